/** Sends a transaction of a wallet, with every argument as the caller gives it. Permit it to keys that may spend all that the wallet has. */
export const main = (transaction) => Svc.Actions.sendTransaction(transaction);

export { type LatchkeyAccount, type ServiceTransaction, toLatchkeyAccount } from './account.ts';
export { WalletRequestError } from './errors.ts';
export { useWalletCid } from './generated/use-wallet.ts';
export type { WalletParameters } from './run-request.ts';

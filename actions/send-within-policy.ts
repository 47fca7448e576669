import type { TransactionRequest } from '@latchkey/policy/evaluator';

/** Sends a transaction, with a nonce and fees of the service. */
export const sendTransaction = ({ wallet: pkpId, ...transaction }: TransactionRequest) => {
  const { chainId, to, value, data, gas, maxFeePerGas, idempotencyKey } = transaction;
  return Svc.Actions.sendTransaction({ pkpId, chainId, to, value, data, gas, maxFeePerGas, idempotencyKey });
};

import type { TransactionRequest } from '@latchkey/policy/evaluator';

/** Signs a transaction, which the caller sends. */
export async function signTransaction({ wallet, ...request }: TransactionRequest) {
  const { type, chainId, to, value, data, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, accessList } =
    request;
  const fees = type === 'eip1559' ? { maxFeePerGas, maxPriorityFeePerGas } : { gasPrice: maxFeePerGas };
  const list = type === 'legacy' ? {} : { accessList };
  const transaction = { type, chainId, to, value, data, nonce, gas, ...fees, ...list };
  return { transaction: await Svc.Actions.signTransaction({ pkpId: wallet, transaction }) };
}

import type { TransactionRequest } from '../packages/policy/src/request.ts';

/** Sends a transaction, with a nonce and fees of the service. */
export async function sendTransaction({ wallet, chainId, to, data, idempotencyKey, ...amounts }: TransactionRequest) {
  const { value, gas, maxFeePerGas } = amounts;
  return Svc.Actions.sendTransaction({
    pkpId: wallet,
    chainId,
    to,
    value: `${value}`,
    data,
    ...(gas !== undefined && { gas: `${gas}` }),
    ...(maxFeePerGas !== undefined && { maxFeePerGas: `${maxFeePerGas}` }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
}

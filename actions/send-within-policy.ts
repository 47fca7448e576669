import type { TransactionRequest } from '@latchkey/policy/evaluator';

type Sending = { sendTransaction(parameters: object): Promise<{ id: string; hash: string; nonce: number }> };

/** Sends a transaction, with a nonce and fees of the service. */
export async function sendTransaction({
  wallet,
  chainId,
  to,
  data,
  idempotencyKey,
  ...amounts
}: TransactionRequest) {
  const { value, gas, maxFeePerGas } = amounts;
  const { sendTransaction: send } = Svc.Actions as unknown as Sending;
  return send({
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

import { address, badRequest, conflict, decimal, forbidden, HttpError, hexBytes } from '@latchkey/http';
import { z } from 'zod';
import type { RunContext } from '../../runs/asked.ts';
import { sendTransactionCode } from '../../standard-actions.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { runForReply, runHeaders } from './svc_action.ts';

const sent = z.object({ id: z.string(), hash: z.string(), nonce: z.int().nonnegative() });

export const sendTransaction = defineRoute({
  method: 'POST',
  path: `${prefix}/send_transaction`,
  tag: 'actions',
  summary: 'Sends a transaction of a wallet',
  description:
    'Runs the standard action `send transaction` (`actions/send-transaction.js`), which a group of the usage key must permit, with the wallet. ' +
    'The service assigns the nonce and the fees, and broadcasts; the reply does not wait until the transaction is mined. ' +
    'Charged as a run. 409 names why the service or the chain refuses the transaction: nothing was sent.',
  auth: 'runKey',
  price: 'run',
  body: z.object({
    pkp_id: address.meta({ description: 'Address of the wallet.' }),
    chain_id: z.int().min(1),
    to: address.nullable().meta({ description: 'Null creates a contract with the code in `data`.' }),
    value: decimal.nullish().meta({ description: 'In wei. Default: 0.' }),
    data: hexBytes.nullish(),
    gas: decimal.nullish().meta({ description: 'Default: the estimate, with headroom.' }),
    max_fee_per_gas: decimal.nullish().meta({
      description:
        'In wei; the highest that the wallet pays, also when the fee is raised. Default: ten times what the chain asks.',
    }),
    idempotency_key: z.string().min(1).max(255).nullish().meta({
      description:
        'Requests with one key, wallet and chain are one transaction. Default: that of the header `Idempotency-Key`.',
    }),
  }),
  bodyLimitBytes: 192 * 1024,
  reply: sent,
  replyHeaders: runHeaders,
  errors: ['forbidden', 'conflict', 'service_unavailable'],
  example: {
    body: {
      pkp_id: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      chain_id: 31_337,
      to: '0x000000000000000000000000000000000000dEaD',
      value: '1000000000000000',
    },
    reply: {
      id: '0192f0a4-7c1e-7d2a-9b3c-5f6e7d8c9b0a',
      hash: '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b',
      nonce: 7,
    },
  },
  handle: async (context: RunContext, request) => {
    const { pkp_id, chain_id, max_fee_per_gas, idempotency_key, to, value, data, gas } = request.body;
    const transaction = {
      pkpId: pkp_id,
      chainId: chain_id,
      to,
      value: textOf(value),
      data: data ?? undefined,
      gas: textOf(gas),
      maxFeePerGas: textOf(max_fee_per_gas),
      idempotencyKey: idempotency_key ?? request.idempotencyId,
    };
    const body = { code: sendTransactionCode, js_params: transaction };
    const { error, response } = await runForReply(context, body, request);
    if (error) throw refusalOf(error);
    return sent.parse(response);
  },
});

const textOf = (amount: bigint | null | undefined): string | undefined => amount?.toString();

function refusalOf({ name, message }: { name: string; message: string }): HttpError {
  switch (name) {
    case 'TypeError':
      return badRequest(message);
    case 'TransactionError':
      return conflict(message);
    case 'WalletNotPermittedError':
    case 'WalletMismatchError':
      return forbidden(message, {
        fix: 'Add the wallet to a group in execute_in_groups of the key that also permits the action.',
      });
    default:
      return new HttpError('service_unavailable', `The run ended: ${name}: ${message}`, { isPublic: true });
  }
}

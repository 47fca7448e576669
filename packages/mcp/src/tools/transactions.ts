/** Transactions of wallets. */
import type { ApiClient, WalletTransaction } from '@latchkey/sdk';
import { z } from 'zod';
import { address, amount, bytes, cid, id, newest } from '../inputs.ts';
import { changes, effect, limited, reads, type Tool, tool } from '../tool.ts';
import { toOutcome } from './runs.ts';

const sendTransaction = (client: ApiClient) =>
  effect('send_transaction', {
    title: 'Send a transaction',
    description:
      'Sends a transaction of a wallet: the service assigns the nonce and the fees, and broadcasts it. Returns id, hash and nonce before it is mined: ' +
      'follow it with get_transaction. Amounts are decimal text in wei. With cid, the action with this policy sends it, or refuses it with ' +
      'a PolicyError that says why; the result is that of run_action, with id and hash in response. After another error it may have been sent: ' +
      'repeat the call with the idempotencyKey of the result.',
    hints: changes,
    input: {
      wallet: address.describe('Address of the wallet'),
      chainId: z.int().min(1),
      to: address.nullable().describe('Null creates a contract with the code in data'),
      value: amount.optional(),
      data: bytes.optional(),
      gas: amount.optional().describe('Default: the estimate, with headroom'),
      maxFeePerGas: amount
        .optional()
        .describe('The highest that the wallet pays, also when the fee is raised'),
      cid: cid
        .optional()
        .describe('CID of an action with a policy. Default: the standard action, without a policy'),
    },
    run: async ({ wallet: pkpId, cid, ...transaction }, { idempotencyKey }) => {
      if (cid === undefined) return client.sendTransaction({ ...transaction, pkpId }, { idempotencyKey });
      const { value, gas, maxFeePerGas } = transaction;
      const amounts = {
        value: value?.toString(),
        gas: gas?.toString(),
        maxFeePerGas: maxFeePerGas?.toString(),
      };
      const jsParams = {
        kind: 'send_transaction',
        pkpId,
        transaction: { ...transaction, ...amounts, idempotencyKey },
      };
      return { ...toOutcome(await client.runAction({ cid, jsParams })), idempotencyKey };
    },
  });

const listTransactions = (client: ApiClient) =>
  tool('list_transactions', {
    title: 'List transactions',
    description: 'Lists the transactions that runs of this usage key sent, the newest first.',
    hints: reads,
    input: {
      ...newest,
      wallet: address.optional(),
      status: z.enum(['queued', 'broadcast', 'mined', 'confirmed', 'replaced', 'failed']).optional(),
    },
    run: async (input, { signal }) => {
      const { items, nextPage } = await client.listTransactions(input, { signal });
      return { items: items.map(toItem), nextPage };
    },
  });

const getTransaction = (client: ApiClient) =>
  tool('get_transaction', {
    title: 'Read a transaction',
    description:
      'Returns a transaction that a run of this usage key sent: status queued, broadcast, mined, confirmed (succeeded), failed (reverted) or replaced.',
    hints: reads,
    input: { id },
    run: async (input, { signal }) => toItem(await client.getTransaction(input, { signal })),
  });

const cancelTransaction = (client: ApiClient) =>
  tool('cancel_transaction', {
    title: 'Cancel a transaction',
    description:
      'Cancels a transaction that is not mined, by an empty transfer with its nonce that the wallet pays for. It is replaced when that is mined.',
    hints: { ...changes, idempotentHint: true },
    input: { id },
    run: async (input) => toItem(await client.cancelTransaction(input)),
  });

const toItem = ({ usageKeyHash: _, data, ...transaction }: WalletTransaction) => ({
  ...transaction,
  data: limited(data),
});

export const transactionTools = (client: ApiClient): Tool[] => [
  sendTransaction(client),
  listTransactions(client),
  getTransaction(client),
  cancelTransaction(client),
];

import { setTimeout as delay } from 'node:timers/promises';
import { unauthorized } from '@latchkey/http';
import { z } from 'zod';
import { type Reader, requireValidKey } from '../../auth/authenticators.ts';
import type { Context } from '../../context.ts';
import { listChanges, readClock, type WalletTransactionRecord } from '../../db/wallet-transaction-records.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { ownerOf } from '../runs/record.ts';
import { toTransactionRecord, transactionRecord } from './record.ts';

const POLL_MS = 500;
/** A client connects again, and proves its key again. */
const LONGEST_STREAM_MS = 600_000;
/** A change can be committed so long after its time. */
const OVERLAP_MS = 5_000;

const events = {
  pending: z.object({ count: z.int() }),
  transaction: transactionRecord,
};

type Streaming = Pick<Context, 'db' | 'walletChains' | 'transactionStreams' | 'keyRegistry'>;

export const transactionEvents = defineRoute({
  method: 'GET',
  path: `${prefix}/transactions/events`,
  tag: 'transactions',
  summary: 'Streams the changes of transactions',
  description:
    'With `Accept: text/event-stream` the reply is a stream: `pending` (`{count}`), `transaction` with each of so many pending transactions, and then with each one that changes. It ends ' +
    'after 10 minutes, when the key is removed, or with 429 when another usage key has no stream, with `result` (`{status, headers, body}`): connect again. Without a stream it returns the pending ' +
    'transactions. A usage key gets the transactions of its own runs.',
  auth: 'keyOrWallet',
  reply: z
    .array(transactionRecord)
    .meta({ description: 'The pending transactions, the last changed one last.' }),
  events,
  errors: ['too_many_requests', 'service_unavailable'],
  handle: async (context: Streaming, { caller, sendEvent, signal }) => {
    if (sendEvent) await follow(context, caller, sendEvent, signal);
    const pending = await listChanges(context.db, ownerOf(caller), undefined);
    return pending.map((record) => toTransactionRecord(context, record));
  },
});

type SendEvent = <Name extends keyof typeof events>(
  name: Name,
  data: z.output<(typeof events)[Name]>,
) => void;

/**
 * Sends the pending transactions of the caller, and each change until the stream ends. Rejects with 401 when its key ends, or the account of its
 * wallet has another admin wallet.
 */
async function follow(
  context: Streaming,
  caller: Reader,
  sendEvent: SendEvent,
  closed: AbortSignal,
): Promise<void> {
  const { db, transactionStreams, keyRegistry } = context;
  const sharing = `${caller.account} ${caller.isUsageKey ? 'usage keys' : 'owner'}`;
  using place = transactionStreams.limit.enter(sharing, String(caller.hash));
  const late = AbortSignal.timeout(LONGEST_STREAM_MS);
  const signal = AbortSignal.any([closed, transactionStreams.ending, late, place.signal]);
  const owner = ownerOf(caller);
  const authenticateAgain = async (): Promise<void> => {
    const { adminWallet } = requireValidKey(await keyRegistry.findRecent(caller.hash, caller.minBlock));
    // The identity of a former admin wallet still resolves to the account.
    if (!caller.isUsageKey && adminWallet !== caller.adminWallet)
      throw unauthorized('The account has another admin wallet.', {
        fix: 'Connect again with X-Wallet-Auth of the present admin wallet.',
      });
  };
  await authenticateAgain();
  const sent = new Map<string, number>();
  let since = await readClock(db);
  const readChanges = () => listChanges(db, owner, new Date(since.getTime() - OVERLAP_MS));
  const send = (record: WalletTransactionRecord): void => {
    sent.set(record.id, record.changedAt.getTime());
    sendEvent('transaction', toTransactionRecord(context, record));
  };
  // Changes from before the stream are not sent.
  for (const { id, changedAt } of await readChanges()) sent.set(id, changedAt.getTime());
  const pending = await listChanges(db, owner, undefined);
  sendEvent('pending', { count: pending.length });
  for (const record of pending) send(record);
  while (!signal.aborted) {
    await delay(POLL_MS, undefined, { signal }).catch(() => {});
    await authenticateAgain();
    const changes = await readChanges();
    for (const record of changes) if (sent.get(record.id) !== record.changedAt.getTime()) send(record);
    since = changes.at(-1)?.changedAt ?? since;
    for (const [id, changedAtMs] of sent) if (changedAtMs < since.getTime() - OVERLAP_MS) sent.delete(id);
  }
  place.signal.throwIfAborted();
}

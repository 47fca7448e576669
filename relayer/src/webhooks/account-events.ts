/**
 * Queues the events of accounts from the logs of the contract, whoever wrote to it. One relayer at a time reads on from the block
 * in `chain_cursors`. The events of some blocks are stored in the statement that moves the cursor past them: a crash loses none, and none is
 * stored twice.
 */
import type { Chain } from '@latchkey/chain/chain';
import { readAccount } from '@latchkey/chain/chain';
import { accountConfigAbi } from '@latchkey/protocol';
import { rowsOf } from '@latchkey/service/rows';
import { sql } from 'drizzle-orm';
import { type AbiEvent, type Address, type Hex, type Log, parseEventLogs } from 'viem';
import { readLogs } from '../chain/agreed-logs.ts';
import type { Database } from '../db/database.ts';
import { hashText } from '../db/text.ts';
import type { EventType } from './event-types.ts';

/** Longer than a query of logs takes. When it ends too early, two relayers read the same blocks, and one of them stores the events. */
const LEASE_SEC = 30;
/** Time between two queries, by all relayers together. */
const PAUSE_SEC = 1;
/** Nodes permit at least this range. */
const MAX_BLOCKS = 2_000n;
/** A head that is lower by more is of a local chain that was started anew. By less, it is of a node that is behind. */
const MAX_FALL = 64n;
const CURSOR = 'account_events';

type Change = { event: string; usage_api_key_hash?: string; [argument: string]: unknown };
type AccountEvent = { account: string; type: EventType; data: object };

export type AccountEventsOptions = {
  db: Database;
  chain: Pick<Chain, 'agreed' | 'head' | 'refreshHead'>;
  contract: Address;
  /** Blocks on top of a log before its event is queued. A deeper reorg can undo the change. */
  confirmations: number;
};

/** Reads some blocks, if their time has come and no other relayer does. */
export async function followAccountEvents(options: AccountEventsOptions): Promise<void> {
  const { db, chain, contract } = options;
  const confirmations = BigInt(options.confirmations);
  // Before the look for endpoints: one that is added later gets the events of later blocks.
  const head = chain.head();
  const claimed = await claim(db);
  if (!claimed) return;
  const { block, isWanted } = claimed;
  if (block === undefined || !isWanted) {
    const latest = (block === undefined ? await chain.refreshHead() : head) - confirmations;
    return move(db, block, later(block, latest), []);
  }
  const latest = (await chain.refreshHead()) - confirmations;
  if (latest < block) return move(db, block, later(block, latest), []);
  const last = latest < block + MAX_BLOCKS ? latest : block + MAX_BLOCKS;
  const logs = last === block ? [] : await readLogs(chain, contract, [block + 1n, last]);
  await move(db, block, last, eventsOf(logs));
}

/** Returns the next position of the cursor. It does not go back to blocks whose events are queued. */
const later = (block: bigint | undefined, latest: bigint): bigint =>
  block !== undefined && latest < block && block - latest <= MAX_FALL ? block : latest;

async function claim(db: Database): Promise<{ block: bigint | undefined; isWanted: boolean } | undefined> {
  const [row] = await rowsOf<{ block: string | null; is_wanted: boolean }>(
    db,
    sql`
    update chain_cursors set lease_until = now() + make_interval(secs => ${LEASE_SEC})
    where name = ${CURSOR} and lease_until <= now()
    returning block, exists (select from webhook_endpoints where is_enabled) as is_wanted`,
  );
  return row && { block: row.block === null ? undefined : BigInt(row.block), isWanted: row.is_wanted };
}

/** Moves the cursor and stores the events, unless another relayer has moved it. */
async function move(
  db: Database,
  from: bigint | undefined,
  to: bigint,
  events: readonly AccountEvent[],
): Promise<void> {
  const isUnmoved = sql`name = ${CURSOR} and block is not distinct from ${from ?? null}::bigint`;
  const moved = sql`
    update chain_cursors set block = ${to}::bigint, lease_until = now() + make_interval(secs => ${PAUSE_SEC}) where ${isUnmoved}`;
  if (events.length === 0) return void (await db.execute(moved));
  const texts = (values: string[]) => sql`${sql.param(values)}::text[]`;
  await db.execute(sql`
    with moved as (${moved} returning name), queued as (
      select queue_webhook(e.account, e.type, e.data::json) from moved, unnest(
        ${texts(events.map(({ account }) => account))}, ${texts(events.map(({ type }) => type))},
        ${texts(events.map(({ data }) => JSON.stringify(data)))}
      ) e (account, type, data)
    )
    select count(*) from queued`);
}

const isOfAccount = ({ inputs: [first] }: AbiEvent): boolean =>
  first?.name === 'masterApiKeyHash' && first.indexed === true;
const eventInputs = new Map(
  accountConfigAbi
    .filter((item) => item.type === 'event')
    .filter(isOfAccount)
    .map((event): [string, AbiEvent['inputs']] => [event.name, event.inputs]),
);

/** Returns `account.changed` per account and transaction, and `usage_key.removed`. */
function eventsOf(logs: Log[]): AccountEvent[] {
  const events: AccountEvent[] = [];
  const changes = new Map<string, Change[]>();
  for (const log of parseEventLogs({ abi: accountConfigAbi, logs, strict: false })) {
    const master = readAccount(log);
    const inputs = eventInputs.get(log.eventName);
    if (master === undefined || !inputs) continue;
    const account = hashText(master);
    const place = { transaction_hash: log.transactionHash, block_number: String(log.blockNumber) };
    const change = changeOf(log, inputs);
    if (log.eventName === 'UsageApiKeyRemoved' || log.eventName === 'AllUsageApiKeysRemoved') {
      const { usage_api_key_hash: usageKey = null } = change;
      events.push({ account, type: 'usage_key.removed', data: { usage_key_hash: usageKey, ...place } });
    }
    const key = `${account} ${log.transactionHash}`;
    const known = changes.get(key);
    if (known) known.push(change);
    else {
      const all = [change];
      changes.set(key, all);
      const data = { ...place, block_hash: log.blockHash, changes: all };
      events.push({ account, type: 'account.changed', data });
    }
  }
  return events;
}

type ParsedLog = { eventName: string; args: unknown; logIndex: number | null };

/** Returns the name of the event and its indexed arguments, in snake_case. Labels and lists are left out: the lists of the API have them. */
function changeOf({ eventName, args, logIndex }: ParsedLog, [, ...inputs]: AbiEvent['inputs']): Change {
  const values = args as Record<string, bigint | Hex>;
  const shown = inputs
    .filter(({ indexed }) => indexed)
    .map(({ name = '' }): [string, string] => [snakeCase(name), toText(name, values[name] as bigint | Hex)]);
  return { event: eventName, log_index: logIndex, ...Object.fromEntries(shown) };
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Group ids and nonces are decimal, all other numbers are hashes. */
function toText(name: string, value: bigint | Hex): string {
  if (typeof value !== 'bigint') return value;
  return name === 'groupId' || name === 'nonce' ? String(value) : hashText(value);
}

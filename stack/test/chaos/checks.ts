/** The promises: what must hold after every outage. */
import { setTimeout as delay } from 'node:timers/promises';
import { accountConfigAbi } from '@latchkey/protocol';
import { getFrom, settledLedger } from '@latchkey/testing/ledger';
import { until } from '@latchkey/testing/until';
import type { Cluster } from './cluster.ts';
import type { Tenant, TrafficOptions, Unit } from './traffic.ts';

/** Longer than the longest delay of a retry while the service fails, and than a lease. */
const DRAIN_MS = 180_000;
/** Lanes of payers heal by themselves. */
export const HEAL_MS = 60_000;

/** Returns the services that are not ready, each with its reply. */
async function unready({ relayers, triggers }: Cluster): Promise<string[]> {
  const asked = [...relayers, ...triggers].map(async ({ url }) => {
    try {
      const reply = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(2_000) });
      const text = await reply.text();
      return reply.status === 200 ? [] : [`${url}: ${text}`];
    } catch (error) {
      return [`${url}: ${(error as Error).message}`];
    }
  });
  return (await Promise.all(asked)).flat();
}

/** Waits until every service is ready, and throws the replies of those that are not after the longest time. */
export async function untilReady(cluster: Cluster): Promise<void> {
  let waiting: string[] = [];
  const look = async () => {
    waiting = await unready(cluster);
    return waiting.length === 0;
  };
  await until('every part is ready', look, DRAIN_MS).catch(() => {
    throw new Error(`not ready: ${waiting.join('; ')}`);
  });
}

export type StoredRun = { unit: string | null; status: string; error: string | null };

const storedRuns = ({ postgres }: Cluster, { triggerIds }: Tenant) =>
  postgres.query<StoredRun>(
    'triggers',
    `select coalesce(input -> 'event' ->> 'unit', 'event ' || (input -> 'event' -> 'decoded' ->> 'name'), 'slot ' || (input ->> 'scheduled_at')) as unit, status, error::text
     from triggers.runs where trigger_id = any($1)`,
    [triggerIds],
  );

const DRAIN_POLL_MS = 250;

/** Counts the stored runs, also while PostgreSQL is down. */
export async function countRuns(
  { postgres }: Cluster,
  { triggerIds }: Tenant,
): Promise<{ stored: number; ended: number }> {
  const count = async () => {
    const [row] = await postgres.query<{ stored: string; ended: string }>(
      'triggers',
      `select count(*) as stored, count(*) filter (where status not in ('queued', 'running')) as ended
       from triggers.runs where trigger_id = any($1)`,
      [triggerIds],
    );
    return row;
  };
  const row = await until('the runs are counted', count, DRAIN_MS);
  return { stored: Number(row.stored), ended: Number(row.ended) };
}

/** Waits until so many runs are stored and all have ended, or none has ended for `DRAIN_MS`. */
export async function untilDrained(cluster: Cluster, tenant: Tenant, expected: number): Promise<void> {
  let before = -1;
  for (let progressAt = performance.now(); performance.now() - progressAt < DRAIN_MS; ) {
    const { stored, ended } = await countRuns(cluster, tenant);
    if (ended >= expected && ended === stored) return;
    if (ended !== before) progressAt = performance.now();
    before = ended;
    await delay(DRAIN_POLL_MS);
  }
}

/** Waits until the runs have ended, and returns them. */
export async function drained(cluster: Cluster, tenant: Tenant, expected: number): Promise<StoredRun[]> {
  await untilDrained(cluster, tenant, expected);
  return storedRuns(cluster, tenant);
}

/** Blocks whose logs one request asks for: the reply must not exceed the 10 MiB that viem reads. */
const LOG_BLOCKS = 200n;

/** Returns the names of the account's writes on the chain. */
export async function namesOnChain(
  { chain, contract }: Cluster,
  { hash }: Tenant,
  write: TrafficOptions['write'],
): Promise<string[]> {
  const names: string[] = [];
  const head = await chain.client.getBlockNumber();
  for (let fromBlock = 0n; fromBlock <= head; fromBlock += LOG_BLOCKS) {
    const logs = await chain.client.getContractEvents({
      address: contract,
      abi: accountConfigAbi,
      eventName: write === 'add_group' ? 'GroupAdded' : 'WalletDerivationRegistered',
      args: { masterApiKeyHash: hash },
      fromBlock,
      toBlock: fromBlock + LOG_BLOCKS - 1n,
      strict: true,
    });
    names.push(...logs.map(({ args }) => args.name));
  }
  return names;
}

export const countOf = (names: readonly string[]): Map<string, number> =>
  new Map([...Map.groupBy(names, (name) => name)].map(([name, same]) => [name, same.length]));

/** Throws when a payer's nonce is ahead of the chain, or a transaction is pending, for longer than a lane needs to heal. */
export async function checkPayers({ postgres, chain }: Cluster): Promise<void> {
  let fault = '';
  await until(
    'the lanes of the payers heal',
    async () => {
      const nonces = await postgres.query<{ payer: `0x${string}`; next: number }>(
        'relayer',
        'select payer, next from payer_nonces',
      );
      const pending = await postgres.query(
        'relayer',
        `select payer, nonce from transactions where status = 'pending'`,
      );
      const gaps: string[] = [];
      for (const { payer, next } of nonces) {
        const inChain = await chain.client.getTransactionCount({ address: payer });
        if (next > inChain) gaps.push(`${payer}: ${next} in the database, ${inChain} on the chain`);
      }
      fault = [...gaps, ...(pending.length > 0 ? [`${pending.length} pending transactions`] : [])].join(', ');
      return fault === '';
    },
    HEAL_MS,
  ).catch(() => {
    throw new Error(`after ${HEAL_MS / 1_000} s of calm: ${fault}`);
  });
}

/**
 * Returns how many runs of the tenant's time ended without a record of their beginning, by the logs: a killed PostgreSQL can lose it
 * (docs/billing.md, A run). They cost nothing.
 */
const countFreeRuns = (cluster: Cluster, { openedAt }: Tenant): number =>
  cluster
    .output()
    .split('\n')
    .filter((line) => line.includes('"msg":"a run ended after it was released'))
    .filter((line) => (JSON.parse(line) as { time: string }).time >= openedAt).length;

async function checkLedger(
  cluster: Cluster,
  tenant: Tenant,
  paid: { runs: number; writes: number; write: TrafficOptions['write'] },
): Promise<void> {
  const entries = await settledLedger(getFrom(cluster.relayerUrl, tenant.key), HEAL_MS);
  const captured = entries.filter(({ kind }) => kind === 'capture').map(({ reason }) => reason);
  const runs = new Set(captured.filter((reason) => reason.startsWith('run ')));
  const writes = captured.filter((reason) => reason === paid.write);
  const unpaid = paid.runs - runs.size;
  if (unpaid < 0 || unpaid > countFreeRuns(cluster, tenant))
    throw new Error(`${runs.size} runs were paid, ${paid.runs} succeeded`);
  if (writes.length !== paid.writes)
    throw new Error(`${writes.length} writes were paid, ${paid.writes} are on the chain`);
}

export type Findings = { accepted: number; succeeded: number; twice: number; lost: number; broken: string[] };

const VIOLATIONS_SHOWN = 3;
export const some = (what: string, found: readonly string[]): string[] =>
  found.length === 0 ? [] : [`${found.length} ${what}: ${found.slice(0, VIOLATIONS_SHOWN).join('; ')}`];

/** Returns the writes of the account on the chain, by name. A relayer needs some seconds to send again what a reorg has dropped. */
async function writesOnChain(
  cluster: Cluster,
  tenant: Tenant,
  { write, accepted, healMs }: { write: TrafficOptions['write']; accepted: Unit[]; healMs: number },
): Promise<Map<string, number>> {
  const read = async () => countOf(await namesOnChain(cluster, tenant, write));
  let found = await read();
  const writes = accepted.filter(({ kind }) => kind === 'write');
  const isComplete = () => writes.every(({ id }) => found.has(id));
  if (isComplete() || healMs === 0) return found;
  const look = async () => {
    found = await read();
    return isComplete();
  };
  await until('every accepted write is on the chain', look, healMs).catch(() => {});
  return found;
}

/** Compares the units with what has happened. */
export async function judge(
  cluster: Cluster,
  tenant: Tenant,
  {
    units,
    stored,
    write,
    healMs = HEAL_MS,
  }: { units: Unit[]; stored: StoredRun[]; write: TrafficOptions['write']; healMs?: number },
): Promise<Findings> {
  const ended = new Map(stored.map((run) => [run.unit, run]));
  const executed = (unit: string) => cluster.effects.counts.get(unit) ?? 0;
  const accepted = units.filter(({ isAccepted }) => isAccepted);
  const onChain = await writesOnChain(cluster, tenant, { write, accepted, healMs });
  const failures = accepted.flatMap(({ id, kind, refusal }) => {
    if (kind === 'list') return [];
    if (kind === 'write') return onChain.has(id) ? [] : [`${id} is not on the chain`];
    if (kind === 'run') return refusal === undefined && executed(id) > 0 ? [] : [`${id}: ${refusal}`];
    const run = ended.get(id);
    return run?.status === 'success' && executed(id) > 0 ? [] : [`${id}: ${run?.status} ${run?.error ?? ''}`];
  });
  const events = stored.flatMap(({ unit }) => (unit && /^(event|slot) /.test(unit) ? [unit] : []));
  const twice = [...units.filter(({ kind }) => kind !== 'write').map(({ id }) => id), ...events].filter(
    (unit) => executed(unit) > 1,
  );
  const doubled = [
    ...[...onChain].filter(([, count]) => count > 1).map(([name]) => name),
    ...some(
      'webhooks have more than one run',
      [...countOf(stored.flatMap(({ unit }) => unit ?? []))]
        .filter(([, count]) => count > 1)
        .map(([unit]) => unit),
    ),
  ];
  const refused = units
    .filter(({ isAccepted }) => !isAccepted)
    .map(({ id, lastReply }) => `${id}: ${lastReply}`);
  const paid = {
    runs:
      units.filter(({ kind, isAccepted }) => kind === 'run' && isAccepted).length +
      stored.filter(({ status }) => status === 'success').length,
    writes: onChain.size,
    write,
  };
  const faults = await Promise.allSettled([checkPayers(cluster), checkLedger(cluster, tenant, paid)]);
  return {
    accepted: accepted.length,
    succeeded: accepted.length - failures.length,
    twice: twice.length,
    lost: failures.length,
    broken: [
      ...some('accepted units lost', failures),
      ...some('units never accepted', refused),
      ...some('effects doubled', doubled),
      ...faults.flatMap((fault) => (fault.status === 'rejected' ? [String(fault.reason.message)] : [])),
    ],
  };
}

/** The ends of the transactions that wallets were asked to send. */
import { setTimeout as delay } from 'node:timers/promises';
import { repeat } from '@latchkey/service/repeat';
import type { Chain } from '@latchkey/testing/chain';
import { type Address, type Hex, numberToHex, stringToHex } from 'viem';
import { countOf, type Findings, type StoredRun, some } from './checks.ts';
import type { Cluster } from './cluster.ts';
import { chainsOf } from './sends.ts';
import type { Tenant, Unit } from './traffic.ts';

/** A nonce that the chain lost is used by a send after half a minute. */
const MAX_GAP_MS = 60_000;
const LOOK_MS = 1_000;
/** Longer than the heal of a gap, and than what another process needs to take over. */
const SETTLE_MS = 150_000;
const SEND_MS = 10_000;

type Row = { wallet: Address; chain_id: string; nonce: number; status: string; data: Hex; mined_hash: Hex };

const rowsOf = ({ postgres }: Cluster, { hash }: Tenant, condition = 'true'): Promise<Row[]> =>
  postgres.query<Row>(
    'relayer',
    `select wallet, chain_id, nonce, status, data, mined_hash from wallet_transactions where account = $1 and ${condition} order by nonce`,
    [numberToHex(hash, { size: 32 })],
  );

/** Returns the nonces that later transactions wait for, as `wallet on chain: nonce`. */
async function findGaps(cluster: Cluster, tenant: Tenant): Promise<string[]> {
  const gaps: string[] = [];
  const pending = await rowsOf(cluster, tenant, `status = 'pending'`);
  for (const { client, chainId } of chainsOf(cluster)) {
    for (const wallet of tenant.wallets) {
      const [first] = pending.filter((row) => row.wallet === wallet && row.chain_id === String(chainId));
      const next = await client.getTransactionCount({ address: wallet });
      if (first && first.nonce > next) gaps.push(`${wallet} on ${chainId}: ${next}`);
    }
  }
  return gaps;
}

/** Looks for gaps once per second until its end. `longest` is the age in milliseconds of the oldest one that it has seen. */
export function watchGaps(cluster: Cluster, tenant: Tenant) {
  const since = new Map<string, number>();
  const watch = { longest: 0, gap: '', count: 0 };
  const look = async (): Promise<void> => {
    const gaps = await findGaps(cluster, tenant);
    const nowMs = performance.now();
    for (const gap of since.keys()) if (!gaps.includes(gap)) since.delete(gap);
    for (const gap of gaps) {
      if (!since.has(gap)) watch.count++;
      since.set(gap, since.get(gap) ?? nowMs);
      const ageMs = nowMs - (since.get(gap) as number);
      if (ageMs > watch.longest) Object.assign(watch, { longest: ageMs, gap });
    }
  };
  const looking = repeat({ intervalMs: LOOK_MS, task: look, onError: () => {} });
  return Object.assign(watch, { [Symbol.asyncDispose]: () => looking[Symbol.asyncDispose]() });
}
export type GapWatch = ReturnType<typeof watchGaps>;

/** Waits until no transaction is pending. A nonce that a chain has lost waits for the next send: `send` is called while there is a gap. */
export async function untilSettled(
  cluster: Cluster,
  tenant: Tenant,
  send: () => Promise<unknown>,
): Promise<void> {
  const deadline = performance.now() + SETTLE_MS;
  for (let sentAt = performance.now(); performance.now() < deadline; await delay(LOOK_MS)) {
    if ((await rowsOf(cluster, tenant, `status = 'pending'`)).length === 0) return;
    if (performance.now() - sentAt < SEND_MS) continue;
    sentAt = performance.now();
    if ((await findGaps(cluster, tenant)).length > 0) await send();
  }
}

/** Returns the calldata of all transactions of the wallets, by chain: as often as it was mined. */
async function minedData(chain: Chain, { wallets }: Tenant): Promise<Hex[]> {
  const found: Hex[] = [];
  const own = new Set<string>(wallets.map((wallet) => wallet.toLowerCase()));
  for (let number = await chain.client.getBlockNumber(); number > 0n; number--) {
    const { transactions } = await chain.client.getBlock({ blockNumber: number, includeTransactions: true });
    for (const { from, input } of transactions) if (own.has(from) && input !== '0x') found.push(input);
  }
  return found;
}

/** Nonces of wallets that are not those of the chain. */
async function wrongNonces(cluster: Cluster, tenant: Tenant): Promise<string[]> {
  const wrong: string[] = [];
  for (const { client, chainId } of chainsOf(cluster)) {
    const stored = await cluster.postgres.query<{ wallet: Address; next: number }>(
      'relayer',
      'select wallet, next from wallet_nonces where chain_id = $1 and wallet = any($2)',
      [chainId, tenant.wallets],
    );
    for (const { wallet, next } of stored) {
      const inChain = await client.getTransactionCount({ address: wallet });
      // The next send notices transactions of other programs.
      if (next > inChain) wrong.push(`${wallet} on ${chainId}: ${next} in the database, ${inChain} there`);
    }
  }
  return wrong;
}

/** Compares the intents with the chains: each was mined exactly once, or failed with a reason. */
export async function judgeSends(
  cluster: Cluster,
  tenant: Tenant,
  { units, stored, gaps }: { units: Unit[]; stored: StoredRun[]; gaps: GapWatch },
): Promise<Findings> {
  const rows = new Map((await rowsOf(cluster, tenant)).map((row) => [row.data, row]));
  const mined = countOf(
    (await Promise.all(chainsOf(cluster).map((chain) => minedData(chain, tenant)))).flat(),
  );
  const runs = new Map(stored.map((run) => [run.unit, run]));
  const timesOf = (data: Hex) => mined.get(data) ?? 0;
  const accepted = units.filter(({ isAccepted }) => isAccepted);
  const lost = accepted.flatMap(({ id, refusal }) => {
    const [row, run] = [rows.get(stringToHex(id)), runs.get(id)];
    const reason = refusal ?? run?.error ?? undefined;
    return row || reason ? [] : [`${id}: no transaction, ${run?.status ?? 'no run'}`];
  });
  const untrue = [...rows.values()].flatMap(({ data, status, nonce, wallet }) => {
    const expected = status === 'mined' ? 1 : 0;
    return timesOf(data) === expected
      ? []
      : [`nonce ${nonce} of ${wallet} is ${status}, and was mined ${timesOf(data)} times`];
  });
  const executed = (unit: string) => cluster.effects.counts.get(unit) ?? 0;
  return {
    accepted: accepted.length,
    succeeded: accepted.filter(({ id }) => timesOf(stringToHex(id)) === 1).length,
    twice: units.filter(({ id }) => executed(id) > 1).length,
    lost: lost.length,
    broken: [
      ...some('accepted intents without a transaction or a reason', lost),
      ...some(
        'intents never accepted',
        units.filter(({ isAccepted }) => !isAccepted).map(({ id, lastReply }) => `${id}: ${lastReply}`),
      ),
      ...some('transactions are not on the chain as they are stored', untrue),
      ...some(
        'mined transactions are not stored',
        [...mined.keys()].filter((data) => !rows.has(data as Hex)),
      ),
      ...some('nonces are ahead of the chain', await wrongNonces(cluster, tenant)),
      ...(gaps.longest > MAX_GAP_MS
        ? [`a gap was ${Math.round(gaps.longest / 1_000)} s old: ${gaps.gap}`]
        : []),
    ],
  };
}

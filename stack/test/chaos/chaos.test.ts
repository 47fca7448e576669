/** A short run of `npm run chaos`: cheap rows with little traffic, a soak of seconds, and what its checks find. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judge } from './checks.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { rows } from './rows.ts';
import { runRow } from './run.ts';
import { runSoak } from './soak.ts';
import { openTenant, type Unit } from './traffic.ts';

const count = 20;
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster[Symbol.asyncDispose]());

test.each(['relayer-database-read-only', 'triggers-killed', 'reorg-5-dropped'])(
  '%s loses nothing, doubles nothing and leaves an exact ledger',
  async (name) => {
    const row = rows.find((row) => row.name === name) ?? expect.unreachable();
    const result = await runRow(cluster, row, { count, seconds: 3, seed: 1 }, () => {});
    expect(result).toMatchObject({ broken: [], accepted: count, succeeded: count });
  },
  300_000,
);

test('drain-kills loses nothing', async () => {
  const row = rows.find(({ name }) => name === 'drain-kills') ?? expect.unreachable();
  const result = await runRow(cluster, row, { count: 60, seconds: 0, seed: 1 }, () => {});
  expect(result).toMatchObject({ broken: [], accepted: 60, succeeded: 60 });
}, 300_000);

test('sends-in-everything mines each intent once, and leaves no gap', async () => {
  const row = rows.find(({ name }) => name === 'sends-in-everything') ?? expect.unreachable();
  const result = await runRow(cluster, row, { count: 30, seconds: 0, seed: 1 }, () => {});
  expect(result).toMatchObject({ broken: [], accepted: 30, lost: 0 });
}, 300_000);

test('a soak loses nothing and samples every part', async () => {
  const result = await runSoak(cluster, { seconds: 21, seed: 1, rate: 4 }, () => {});
  expect(result).toMatchObject({ broken: [], accepted: 84, succeeded: 84, twice: 0 });
  const measured = [...result.growth.keys()];
  const kinds = ['rss MiB', 'heap MiB', 'handles', 'sockets', 'event loop p99 lag s'];
  const parts = ['relayer 2', 'triggers 1', 'runner 1', 'indexer'];
  expect(measured).toEqual(
    expect.arrayContaining([
      ...parts.flatMap((part) => kinds.map((kind) => `${part}: ${kind}`)),
      ...['triggers.queue_changes: table KiB', 'relayer.payer_nonces: table KiB', 'runners: files'],
      ...['waiting runs: rows', 'indexer: lag s', 'triggers 0: chain, lag s', 'webhook: p95 ms'],
    ]),
  );
  expect(measured).not.toContain('triggers.runs: table KiB');
  for (const { start, end } of result.growth.values())
    expect([start, end]).toEqual([expect.any(Number), expect.any(Number)]);
}, 300_000);

test('reports units that were lost, doubled or not paid', async () => {
  const options = { runMs: 0, write: 'add_group', hasChainTrigger: false } as const;
  const tenant = await openTenant(cluster, options);
  const unit = (id: string, kind: Unit['kind'], isAccepted = true): Unit => ({
    id,
    number: 0,
    kind,
    isAccepted,
  });
  const refused = { ...unit('refused', 'run', false), lastReply: '503 {}' };
  const units = [unit('a', 'webhook'), unit('b', 'write'), unit('c', 'run'), refused];
  cluster.effects.counts.set('c', 2);
  const found = await judge(cluster, tenant, { units, stored: [], write: 'add_group', healMs: 0 });
  expect(found).toMatchObject({ accepted: 3, succeeded: 1, twice: 1, lost: 2 });
  expect(found.broken).toEqual([
    expect.stringContaining('2 accepted units lost'),
    '1 units never accepted: refused: 503 {}',
    '0 runs were paid, 1 succeeded',
  ]);
});

/**
 * Forked process: answers numbers of chain-event triggers on one chain with the CPU time per block of the service and its database, the
 * time from a log to its accepted run, and the time of a restart. A stand-in of the chain runs in this process.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createSealer, sealingKey } from '@latchkey/service/sealer';
import { answer } from '@latchkey/testing/forked';
import { cpuMs } from '@latchkey/testing/process-tree';
import { spawnService } from '@latchkey/testing/services';
import { until } from '@latchkey/testing/until';
import { sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import { loadConfig } from '../src/config.ts';
import { type Database, openDatabase } from '../src/db/database.ts';
import { runs, triggers } from '../src/db/schema.ts';
import { type AnnouncingNode, serveAnnounced } from '../test/chain-node.ts';
import { filled, SIGNATURE } from '../test/chain-triggers.ts';
import { createTriggersDatabase, settingsFor } from '../test/database.ts';
import { addUser, usageKey } from '../test/fixtures.ts';
import { createStandInChain, type StandInChain } from '../test/stand-in-chain.ts';

export type ChainQuestion = {
  counts: number[];
  /** Blocks that are measured for each number of triggers. */
  blocks: number;
  /** Time between two blocks. */
  blockMs: number;
};
export type ChainFigures = {
  triggers: number;
  /** From the creation of the triggers to the first run of the last one. */
  openedMs: number;
  /** CPU time of the service and the database per block. */
  cpuMs: number;
  /** From a log to its accepted run. */
  p50Ms: number;
  p95Ms: number;
  /** From the start of the process to the run of a log that was mined before. */
  restartMs: number;
};

/** Blocks without a log of a trigger before one with a log. */
const FEW = 8;
/** Logs of contracts without triggers in each block. */
const OTHERS = 30;
const STARTED_MS = 120_000;
const USERS = 200;
/** CPU time in a second. */
const IDLE_CPU_MS = 60;

const randomAddress = (): Hex => `0x${randomBytes(20).toString('hex')}`;

const key = randomBytes(32);
const sealer = createSealer([sealingKey(key)]);

function withKey(): { id: string; usageApiKey: string } {
  const id = randomUUID();
  return { id, usageApiKey: sealer.seal(usageKey, id) };
}

async function addTriggers(db: Database, addresses: readonly Hex[], startBlock: number): Promise<void> {
  const users = await Promise.all(
    Array.from({ length: Math.min(USERS, addresses.length) }, () => addUser(db)),
  );
  for (let from = 0; from < addresses.length; from += 1_000)
    await db.insert(triggers).values(
      addresses.slice(from, from + 1_000).map((address, n) => ({
        ...withKey(),
        userId: users[n % users.length] ?? '',
        name: 'a trigger',
        kind: 'chain_event' as const,
        actionCode: 'code',
        defaultParams: {},
        // The runs wait.
        heldUntil: new Date('2100-01-01'),
        maxRunsPerMinute: 1_000_000,
        maxQueuedRuns: 1_000_000,
        maxConcurrentRuns: 1,
        config: {
          chain: 'service',
          chain_id: 31_337,
          contract_address: address,
          event_signature: SIGNATURE,
          topic_filters: [],
          start_block: startBlock,
          confirmations: 0,
          fire_on_retraction: false,
          paused_events: 'drop',
        },
      })),
    );
}

async function cpuMsOfSecond(pids: number[]): Promise<number> {
  const before = cpuMs(pids);
  await delay(1_000);
  return cpuMs(pids) - before;
}

/** Process id of the database server. */
async function serverPid(db: Database): Promise<number> {
  const { rows } = (await db.execute(sql`select pg_read_file('postmaster.pid') as text`)) as unknown as {
    rows: { text: string }[];
  };
  return Number.parseInt(rows[0]?.text ?? '', 10);
}

const others = Array.from({ length: OTHERS }, () => filled(1, randomAddress()));

/** Mines until the service accepts the run of a log. Resolves to the time since `startedMs`. */
async function firstRun(
  db: Database,
  node: AnnouncingNode,
  { address, startedMs, isMining }: { address: Hex; startedMs: number; isMining: boolean },
): Promise<number> {
  const before = await db.$count(runs);
  const accepted = async () => {
    if (isMining) node.mine([filled(2, address)]);
    await delay(100);
    return (await db.$count(runs)) > before;
  };
  await until('a run is accepted', accepted, STARTED_MS);
  return performance.now() - startedMs;
}

async function measureBlocks(
  db: Database,
  { chain, node, addresses }: { chain: StandInChain; node: AnnouncingNode; addresses: readonly Hex[] },
  { blocks, blockMs, pids }: Pick<ChainQuestion, 'blocks' | 'blockMs'> & { pids: number[] },
): Promise<Pick<ChainFigures, 'cpuMs' | 'p50Ms' | 'p95Ms'>> {
  await db.delete(runs);
  const minedMs = new Map<number, number>();
  const beforeMs = cpuMs(pids);
  for (let n = 1; n <= blocks; n++) {
    const isMatching = n % FEW === 0;
    const address = addresses[Math.floor(Math.random() * addresses.length)] as Hex;
    if (isMatching) minedMs.set(chain.head() + 1, Date.now());
    node.mine(isMatching ? [...others, filled(2, address)] : others);
    await delay(blockMs);
  }
  const used = cpuMs(pids) - beforeMs;
  await until('every log has fired', async () => (await db.$count(runs)) >= minedMs.size, STARTED_MS);
  const accepted = await db.select({ input: runs.input, at: runs.createdAt }).from(runs);
  const durations = accepted
    .map(({ input, at }) => {
      const { block_number } = input.event as { block_number: number };
      return at.getTime() - (minedMs.get(block_number) ?? Number.NaN);
    })
    .sort((a, b) => a - b);
  const part = (share: number) => durations[Math.ceil(durations.length * share) - 1] ?? Number.NaN;
  return { cpuMs: used / blocks, p50Ms: part(0.5), p95Ms: part(0.95) };
}

async function measure(count: number, question: ChainQuestion): Promise<ChainFigures> {
  await using database = await createTriggersDatabase();
  const chain = createStandInChain();
  chain.mine(...Array.from({ length: 200 }, () => []));
  await using node = await serveAnnounced(chain);
  const settings = {
    ...settingsFor(database),
    SERVICE_RPC_URL: node.url,
    SEALING_KEYS: key.toString('base64'),
    RELAYER_URLS: 'http://127.0.0.1:1',
    LOG_LEVEL: 'error',
  };
  const { db, close } = await openDatabase(loadConfig(settings).secrets.database);
  await using resources = new AsyncDisposableStack();
  resources.defer(close);
  const addresses = Array.from({ length: count }, randomAddress);
  const [address = '0x'] = addresses.slice(-1);
  const start = async () => {
    const startedMs = performance.now();
    return { startedMs, service: await spawnService('triggers', settings) };
  };
  const first = await start();
  resources.defer(async () => void (await first.service.stop('SIGTERM')));
  await first.service.ready();
  await addTriggers(db, addresses, chain.head() + 1);
  const openedMs = await firstRun(db, node, { address, startedMs: performance.now(), isMining: true });
  const pids = [first.service.child.pid as number, await serverPid(db)];
  await until('the service is idle', async () => (await cpuMsOfSecond(pids)) < IDLE_CPU_MS, STARTED_MS);
  const figures = await measureBlocks(db, { chain, node, addresses }, { ...question, pids });
  await first.service.stop('SIGTERM');
  node.mine([filled(2, address)]);
  const second = await start();
  const restartMs = await firstRun(db, node, { address, startedMs: second.startedMs, isMining: false });
  await second.service.stop('SIGTERM');
  return { triggers: count, openedMs, ...figures, restartMs };
}

answer(async (question: ChainQuestion) => {
  const measured: ChainFigures[] = [];
  for (const count of question.counts) measured.push(await measure(count, question));
  return measured;
});

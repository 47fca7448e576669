/**
 * Measures the waiting time of an honest client, alone and next to each attacker. Attacker, client and stack are
 * separate processes. Phases with and without an attacker take turns, so that other load on the machine affects both.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { type Stack, startStack, temporaryDataDir } from '@latchkey/stack';
import { type Comparison, reportComparison, summarize } from '@latchkey/testing/measure';
import { enterCpuLimit, processTree, rssMb } from '@latchkey/testing/process-tree';
import { interrupted, interruption } from './interrupt.ts';
import type { AttackerOptions } from './neighbours/attacker.ts';
import { type AttackName, accountsOf, attackNames } from './neighbours/attacks.ts';
import { type Client, makeRuns, openClient } from './neighbours/clients.ts';
import type { HonestOptions, Kind, Visit } from './neighbours/honest-client.ts';
import { MAX_P99_BESIDE } from './rows.ts';

const CORES = 2;
const ROUNDS = 5;
/** Rounds after a missed goal: only three of 300 requests are above the p99, and one pause of the machine delays several. */
const MORE_ROUNDS = 2 * ROUNDS;
const WATCH_MS = 100;
const MAX_ATTACK_MS = 600_000;
/** The service counts as free when a hello takes less than this. Runs of an attack can continue after it. */
const FREE_HELLO_MS = 2_000;
const FREE_DEADLINE_MS = 120_000;
/** Time between the start of the attacker and the start of the client. */
const HEAD_START_MS = 1_000;
export const timedKinds = ['hello', 'write', 'read'] as const satisfies Kind[];

/**
 * Short runs, so that nothing of an attack remains when a phase alone begins. The local stack lets an address open 600
 * accounts a minute, a deployment 10; the benchmark needs 32.
 */
const stackEnvironment = {
  STARTER_CREDIT_CENTS: '1000000',
  RUN_TIMEOUT_MS: '3000',
  NEW_ACCOUNTS_PER_MINUTE: '40',
};

type Memory = { before: number; highest: number; after: number };
type Row = {
  attack: AttackName;
  relayer: Memory;
  tree: Memory;
  failures: { alone: Failures; beside: Failures };
  statuses: object;
};
type Failures = Record<Kind, number>;

export type Neighbours = {
  /** Per kind of request and attack: beside the attack, divided by alone. */
  comparisons: Comparison[];
  /** Failed requests of the honest client, alone and beside attacks. */
  failures: number;
  /** Highest memory of the relayer after the first attack, over the highest during it. */
  memoryRatio: number;
};

/** Starts a DNS server that never answers. */
async function silentDnsServer() {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: async () => void socket.close(),
  };
}

/**
 * Starts a process that stands for a machine of its own: with the highest priority it does not wait for the stack's
 * processor, with the lowest it uses only the time that the others leave. A priority above normal needs a right,
 * without which the process has the normal one.
 */
function startMachine(script: string, options: object, priority: number): ChildProcess {
  // A session of its own: where the kernel shares the processor between sessions, a priority counts only within one.
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'neighbours', script), JSON.stringify(options)],
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
  );
  const { pid } = child;
  if (pid === undefined) return child;
  const ofSession = `/proc/${pid}/autogroup`;
  try {
    setPriority(pid, priority);
    if (existsSync(ofSession)) writeFileSync(ofSession, String(priority));
  } catch (error) {
    if (priority > constants.priority.PRIORITY_NORMAL) throw error;
    if (!isWarned) console.warn(`${script} has the normal priority: ${(error as Error).message}`);
    isWarned = true;
  }
  return child;
}
let isWarned = false;

/** Resolves to the JSON line that a child writes before it ends. */
async function readResult<Result>(child: ChildProcess): Promise<Result> {
  const output = await text(child.stdout as NodeJS.ReadableStream);
  if (output === '') throw new Error(`${child.spawnargs[1]} ended without a result`);
  return JSON.parse(output) as Result;
}

const runClient = (options: HonestOptions): Promise<Visit> =>
  readResult(startMachine('honest-client.ts', options, constants.priority.PRIORITY_HIGHEST));

/** Returns the attacker's statuses and the client's measurements. */
async function visitBeside(attacker: AttackerOptions, options: HonestOptions) {
  const child = startMachine('attacker.ts', attacker, constants.priority.PRIORITY_LOW);
  const ended = readResult<Record<string, number>>(child);
  ended.catch(() => {}); // The error is handled below.
  await delay(HEAD_START_MS);
  try {
    const visit = await runClient(options);
    child.stdin?.end();
    return { visit, statuses: await ended };
  } finally {
    child.stdin?.end();
  }
}

/** Samples the memory of the relayer, and of the relayer with its child processes. */
function watchMemory(relayer: number) {
  const look = () => ({ relayer: rssMb([relayer]), tree: rssMb(processTree([relayer])) });
  const before = look();
  const highest = { ...before };
  const timer = setInterval(() => {
    const now = look();
    highest.relayer = Math.max(highest.relayer, now.relayer);
    highest.tree = Math.max(highest.tree, now.tree);
  }, WATCH_MS);
  return (): Record<'relayer' | 'tree', Memory> => {
    clearInterval(timer);
    const after = look();
    const memory = (part: 'relayer' | 'tree'): Memory => ({
      before: before[part],
      highest: Math.max(highest[part], after[part]),
      after: after[part],
    });
    return { relayer: memory('relayer'), tree: memory('tree') };
  };
}

const noVisit = (): Visit =>
  ({
    hello: { durationsMs: [], failures: 0 },
    write: { durationsMs: [], failures: 0 },
    read: { durationsMs: [], failures: 0 },
    health: { durationsMs: [], failures: 0 },
  }) satisfies Visit;

function add(into: Visit, visit: Visit): void {
  for (const kind of Object.keys(into) as Kind[]) {
    into[kind].durationsMs.push(...visit[kind].durationsMs);
    into[kind].failures += visit[kind].failures;
  }
}

/** Sends one request of each kind after another until the service is free again. Throws after a deadline. */
async function becomesFree(url: string, client: Client): Promise<void> {
  const deadline = performance.now() + FREE_DEADLINE_MS;
  for (;;) {
    const { hello } = await runClient({ url, ...client, count: 1 });
    if (hello.failures === 0 && (hello.durationsMs[0] ?? FREE_HELLO_MS) < FREE_HELLO_MS) return;
    if (performance.now() > deadline) throw new Error(`no hello within ${FREE_HELLO_MS} ms after an attack`);
  }
}

async function measureAttack(
  { url, pids }: Pick<Stack, 'url' | 'pids'>,
  attack: AttackName,
  clients: { honest: Client; attackers: Client[] },
  count: number,
): Promise<{ row: Row; comparisons: Comparison[] }> {
  const [alone, beside] = [noVisit(), noVisit()];
  const statuses: Record<string, number> = {};
  const firstRounds = Math.min(ROUNDS, count);
  const honest = { url, ...clients.honest, count: Math.ceil(count / firstRounds) };
  const accounts = clients.attackers.slice(0, accountsOf[attack] ?? 1);
  const attacker = { url, name: attack, accounts, maxMs: MAX_ATTACK_MS };
  const memory = watchMemory(pids.relayer);
  let blocks = 0;
  const measureRounds = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round++, blocks++) {
      await becomesFree(url, clients.honest);
      add(alone, await runClient(honest));
      const met = await visitBeside(attacker, honest);
      add(beside, met.visit);
      for (const [status, times] of Object.entries(met.statuses))
        statuses[status] = (statuses[status] ?? 0) + times;
    }
  };
  // Without a total time, because the client sets the rate.
  const samples = ({ durationsMs }: Visit[Kind]) => ({ durationsMs, wallMs: Number.NaN });
  const p99Ms = (visit: Visit, kind: Kind) => summarize(samples(visit[kind])).p99Ms;
  await measureRounds(firstRounds);
  if (timedKinds.some((kind) => p99Ms(beside, kind) > MAX_P99_BESIDE * p99Ms(alone, kind))) {
    console.log(`a p99 beside ${attack} is above its goal: measuring ${MORE_ROUNDS} more rounds`);
    await measureRounds(MORE_ROUNDS);
  }
  const failuresOf = (visit: Visit) =>
    Object.fromEntries(Object.entries(visit).map(([kind, { failures }]) => [kind, failures])) as Failures;
  const comparisons = timedKinds.map((kind) => {
    const what = { name: `${kind} beside ${attack}`, concurrency: 1, blocks, clientBoundBlocks: 0 };
    return reportComparison(what, { service: samples(beside[kind]), baseline: samples(alone[kind]) });
  });
  const failures = { alone: failuresOf(alone), beside: failuresOf(beside) };
  return { row: { attack, ...memory(), failures, statuses }, comparisons };
}

function print(rows: readonly Row[]): void {
  const memory = ({ before, highest, after }: Memory) => [before, highest, after].map(Math.round).join(' / ');
  const failed = ({ hello, write, read, health }: Failures) => [hello, write, read, health].join(' / ');
  console.table(
    rows.map(({ attack, relayer, tree, failures, statuses }) => ({
      attack,
      'relayer MiB before/max/after': memory(relayer),
      'with its processes': memory(tree),
      'failed hello/write/read/health': failed(failures.beside),
      'failed alone': failed(failures.alone),
      'replies to the attacker': Object.entries(statuses)
        .map(([status, times]) => `${times} × ${status}`)
        .join(', '),
    })),
  );
}

/** Returns the highest p99 over alone of a kind of request. */
export const highestP99 = (comparisons: readonly Comparison[], kind: Kind): number =>
  Math.max(...comparisons.filter(({ name }) => name.startsWith(kind)).map(({ ratioP99 }) => ratioP99));

/** `count` requests of each kind, alone and beside each attack. `isLimited`: the stack has two cores. */
export async function benchNeighbours(
  count: number,
  isLimited = false,
  attacks: readonly AttackName[] = attackNames,
): Promise<Neighbours> {
  const dataDir = await temporaryDataDir();
  await using started = new AsyncDisposableStack();
  started.defer(() => rm(dataDir, { recursive: true, force: true }));
  const dns = started.use(await silentDnsServer());
  const limit = isLimited ? enterCpuLimit(CORES) : undefined;
  started.defer(async () => limit?.remove());
  const stack = started.use(
    await startStack({
      dataDir,
      env: { ...stackEnvironment, ACTION_DNS_SERVERS: dns.address },
      isTemporary: true,
      signal: interruption,
    }).finally(limit?.leave),
  );
  const failed = stack.failed.then((error) => {
    throw error;
  });
  const measured = (async () => {
    const honest = await openClient(stack.baseUrl);
    const attackers: Client[] = [];
    const needed = Math.max(...attacks.map((attack) => accountsOf[attack] ?? 1));
    while (attackers.length < needed) attackers.push(await openClient(stack.baseUrl));
    for (const attacker of attackers.slice(0, 1)) await makeRuns(stack.baseUrl, attacker);
    const rows: Row[] = [];
    const comparisons: Comparison[] = [];
    for (const attack of attacks) {
      console.log(`measuring beside ${attack}`);
      const found = await measureAttack(stack, attack, { honest, attackers }, count);
      rows.push(found.row);
      comparisons.push(...found.comparisons);
      print([found.row]);
    }
    if (rows.length > 1) print(rows);
    const failures = rows
      .flatMap(({ failures: { alone, beside } }) => [...Object.values(alone), ...Object.values(beside)])
      .reduce((sum, failed) => sum + failed, 0);
    const [first = Number.NaN, ...later] = rows.map(({ relayer }) => relayer.highest);
    return { comparisons, failures, memoryRatio: Math.max(...later) / first };
  })();
  // Stops the stack and removes its cgroup before the process ends.
  return await Promise.race([measured, failed, interrupted]);
}

/** Many runs of every kind on one runner: each has its outcome and leaves nothing behind. */
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { cidOf } from '@latchkey/protocol';
import { ActionError, type RunResult } from '@latchkey/runner-protocol';
import { createLogger } from '@latchkey/service/logger';
import { bombs } from '@latchkey/testing/bombs';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { type RunnerProcess, startRunnerProcess } from '@latchkey/testing/services';
import { until } from '@latchkey/testing/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  actionProcesses,
  excess,
  groupsOf,
  type RunnerMemory,
  readable,
  readState,
} from '../../test/runner-state.ts';
import type { RunRequest } from './remote-run.ts';
import { connectRunners, type Runners } from './runners.ts';

const COUNT = Number(process.env.RUNS ?? 30);
const POOL_SIZE = 2;
const AT_ONCE = 4;
/** Idle, taken, starting and ending processes. Groups are used again. */
const MAX_GROUPS = 20;
const ACCOUNTS = 3;
/** Time limit of the runs that exceed it. The other runs end earlier by themselves, however busy the machine is. */
const TIME_LIMIT_MS = 500;
/**
 * Maximum growth of the runner's memory in the second half of the runs, however many: heap after a collection, and resident. In the
 * first thousands of runs V8 and the allocator take memory that they keep, which hides the growth of a short count.
 */
const MAX_GROWTH: RunnerMemory = { heapMb: 4, residentMb: COUNT < 5_000 ? 128 : 24 };

const privateKey = `0x${'17'.repeat(32)}`;
const keys: RunRequest['keys'] = {
  nodes: async () => ({ isRefused: true, message: '' }),
  runId: crypto.randomUUID(),
  onOutage() {},
  certificateOf: async () => '',
  secretOf: () => Promise.reject(new Error('no secrets')),
};

type Kind = {
  code: string;
  timeoutMs?: number;
  /** Ends the run when its output begins. */
  isStopped?: true;
  expect: (result: RunResult) => void;
};
const returns = (body: string, response: unknown): Kind => ({
  code: `const main = async ({ url, privateKey }) => { ${body} }`,
  expect: (result) => expect(result).toMatchObject({ hasError: false, response }),
});
const fails = (code: string, names: readonly string[], others: Partial<Kind> = {}): Kind => ({
  code,
  expect: ({ error }) => expect(names).toContain(error?.name),
  ...others,
});

const kinds: Record<string, Kind> = {
  hello: returns('return "hello"', 'hello'),
  sign: returns(
    'return new ethers.Wallet(privateKey).signMessage("m")',
    expect.stringMatching(/^0x[0-9a-f]{130}$/),
  ),
  fetch: returns('return (await fetch(url)).text()', 'fetched'),
  'fetch without a reply': returns('fetch(url + "/silent").catch(() => {}); return 1', 1),
  import: {
    code: "import one from 'one@1.0.0'; export const main = () => one",
    expect: (result) => expect(result).toMatchObject({ hasError: false, response: 1 }),
  },
  error: fails('const main = () => { throw new TypeError("wrong") }', ['TypeError']),
  stopped: fails(
    'const main = async () => { console.log("begun"); await new Promise((done) => setTimeout(done, 600_000)) }',
    ['StoppedError'],
    { isStopped: true },
  ),
  ...Object.fromEntries(
    Object.entries(bombs).map(([name, { code, errors, exceeds }]) => [
      name,
      fails(code, errors, exceeds === 'time' ? { timeoutMs: TIME_LIMIT_MS } : {}),
    ]),
  ),
};
const names = Object.keys(kinds);

let url: string;
let runner: RunnerProcess;
let runners: Runners;
const hostErrors: unknown[] = [];
const resources = new AsyncDisposableStack();
const directory = resources.use(temporaryDirectory(tmpdir())).path;
beforeAll(async () => {
  const server = createServer((request, response) => {
    if (request.url === '/silent') return;
    response.setHeader('Content-Type', 'application/javascript');
    response.end(request.url?.startsWith('/npm/') ? 'export default 1' : 'fetched');
  }).listen(0, '127.0.0.1');
  resources.defer(() => server.closeAllConnections());
  resources.defer(() => void server.close());
  await until('the server listens', async () => server.listening);
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  url = `http://${address}`;
  runner = resources.use(
    await startRunnerProcess({
      ...readable,
      TMPDIR: directory,
      IMPORT_CACHE_DIR: `${directory}/imports`,
      IMPORT_CDN_URL: `${url}/npm`,
      ACTION_ALLOWED_ADDRESSES: address,
      RUNTIME_POOL_SIZE: String(POOL_SIZE),
      LOG_LEVEL: 'info',
    }),
  );
  runners = connectRunners({
    urls: [runner.url],
    token: undefined,
    memoryLimitMb: 64,
    log: createLogger({ name: 'test', level: 'silent' }),
    onHostError: (error) => hostErrors.push(error),
    onWrongAnswer() {},
  });
  resources.defer(() => runners.close());
});
afterAll(() => resources.disposeAsync());

async function run(kind: Kind, account: bigint): Promise<RunResult> {
  const { code, timeoutMs = 60_000, isStopped } = kind;
  const stop = new AbortController();
  const onLog = () => stop.abort(new ActionError('StoppedError', 'stopped'));
  const request: RunRequest = {
    account,
    code,
    timeoutMs,
    keys,
    takeAllowance: async () => '',
    cid: await cidOf(code),
    params: JSON.stringify({ url, privateKey }),
    usageKeyHash: 7n,
    signal: stop.signal,
    onLog: isStopped && onLog,
  };
  return runners.run(request);
}

/** Gives up a run while it waits for a process. */
async function cancel(account: bigint): Promise<void> {
  const givenUp = new AbortController();
  const code = 'const main = () => new Promise((done) => setTimeout(done, 600_000))';
  const running = runners.run({
    account,
    code,
    keys,
    takeAllowance: async () => '',
    timeoutMs: 60_000,
    params: '{}',
    usageKeyHash: 7n,
    signal: givenUp.signal,
    cid: await cidOf(code),
    onLog() {},
  });
  givenUp.abort(new ActionError('StoppedError', 'given up'));
  await expect(running).rejects.toBe(givenUp.signal.reason);
}

let started = 0;
/** Makes this many runs, a few concurrently, of all kinds in turn. */
async function makeRuns(count: number): Promise<void> {
  const end = started + count;
  const worker = async (): Promise<void> => {
    while (started < end) {
      const number = started++;
      const account = BigInt(1 + (number % ACCOUNTS));
      const name = names[number % names.length] as string;
      const kind = kinds[name] as Kind;
      const result = await run(kind, account);
      try {
        kind.expect(result);
      } catch (error) {
        throw new Error(`run ${number}, ${name}: ${JSON.stringify(result).slice(0, 500)}`, { cause: error });
      }
      if (number % 5 === 0) await cancel(account);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Resolves to the state of the runner when the pool is full again and nothing changes any more. */
async function quiet(): Promise<Awaited<ReturnType<typeof readState>>> {
  let last = '';
  return until('the runner is quiet', async () => {
    const now = await readState(runner, directory);
    const isSame = JSON.stringify(now.state) === last;
    last = JSON.stringify(now.state);
    await delay(500);
    return isSame && now.state['action processes'] === POOL_SIZE && now;
  });
}

test.runIf(process.platform === 'linux')(
  'runs of every kind end as they must and leave nothing',
  { timeout: 600_000 + COUNT * 10_000 },
  async () => {
    await quiet();
    const pid = runner.child.pid ?? 0;
    const first = new Set(actionProcesses(pid, directory));
    // Modules, connections and compiled code of a first round stay.
    await makeRuns(names.length);
    const before = await quiet();
    let { memory } = before;
    for (let part = 1; part <= 10; part++) {
      await makeRuns(Math.floor((COUNT * part) / 10) - Math.floor((COUNT * (part - 1)) / 10));
      if (part === 5) memory = (await quiet()).memory;
      if (COUNT < 1_000) continue;
      const { heapMb, residentMb } = (await quiet()).memory;
      console.log(`${started} runs: heap ${heapMb.toFixed(2)} MB, resident ${residentMb.toFixed(1)} MB`);
    }
    // Connections of fetch close some seconds later.
    await expect.poll(async () => excess(before.state, (await quiet()).state)).toEqual({});
    const after = await quiet();
    for (const part of ['heapMb', 'residentMb'] as const)
      expect(after.memory[part] - memory[part], part).toBeLessThan(MAX_GROWTH[part]);
    // Every process served at most one run, so no process of the first runs is left in any process tree.
    const left = actionProcesses(pid, directory);
    expect(left).toHaveLength(first.size);
    expect(left.filter((pid) => first.has(pid))).toEqual([]);
    const controllers = (before.state['control groups with a process'] ?? 0) / POOL_SIZE;
    expect(groupsOf(pid).length).toBeLessThanOrEqual(controllers * MAX_GROUPS);
    expect(hostErrors).toEqual([]);
    expect(runner.output()).not.toMatch(/MaxListenersExceededWarning|"level":(50|60)/);

    runner.child.kill('SIGTERM');
    await until('the runner ends', async () => runner.child.exitCode !== null);
    expect(actionProcesses(pid, directory)).toEqual([]);
    expect(groupsOf(pid)).toEqual([]);
    expect(readdirSync(directory)).toEqual(['imports']);
  },
);

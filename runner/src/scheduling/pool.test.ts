import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { denoBinary } from '@latchkey/fork-server';
import { descendants, eventually, isRunning } from '@latchkey/fork-server/testing';
import { ActionError, RuntimeUnavailableError } from '@latchkey/runner-protocol';
import { describe, expect, test } from 'vitest';
import type { ActionProcess } from '../processes/action-process.ts';
import { writeProgram } from '../processes/bundle.ts';
import { openCgroups } from '../processes/cgroup.ts';
import { noWalls } from '../processes/walls.ts';
import { createRuntime } from '../runtime.ts';
import { CID, callKey, plainSpawner, runner } from '../testing.ts';
import { createPool } from './pool.ts';

/** Processes of actions below `parent`: forks of a template, and processes that start Deno. */
const actionProcesses = (parent = process.pid): number[] =>
  descendants(parent).filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      if (!command.endsWith('\0template\0')) return command.includes('runtime.js');
      const forkedFrom = /^PPid:\s+(\d+)/m.exec(statusOf(pid))?.[1];
      return /^Name:\s+deno/m.test(statusOf(Number(forkedFrom)));
    } catch {
      return false;
    }
  });
const statusOf = (pid: number): string => readFileSync(`/proc/${pid}/status`, 'latin1');
/** Returns whether a process uses only the processor time that others leave, undefined where the kernel has no such groups. */
function isYielding(pid: number | 'self'): boolean | undefined {
  const groups = readFileSync(`/proc/${pid}/cgroup`, 'latin1').trim().split('\n');
  const [file] = groups
    .map((line) => line.split(':'))
    .map(([, names = '', path = '']) => join('/sys/fs/cgroup', names, path, 'cpu.idle'))
    .filter(existsSync);
  return file === undefined ? undefined : readFileSync(file, 'latin1') === '1\n';
}

const LOOP = 'const main = () => { for (;;); }';

describe('the pool', () => {
  test('is full again after runs, crashes and kills', async () => {
    await using runtime = await createRuntime({ poolSize: 2 });
    const run = runner(() => runtime);
    await eventually(() => runtime.stats().idle === 2);
    await Promise.all([
      run('const main = () => 1'),
      run(LOOP, { limits: { timeoutMs: 50 } }),
      run('const main = () => { const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1)) }'),
    ]);
    // The result arrives before its process is gone.
    const full = JSON.stringify({ idle: 2, starting: 0, running: 0, queued: 0 });
    await eventually(() => JSON.stringify(runtime.stats()) === full);
    for (const pid of actionProcesses()) {
      process.kill(pid, 'SIGKILL');
      await eventually(() => runtime.stats().idle < 2);
      await eventually(() => runtime.stats().idle === 2);
    }
    expect(await run('const main = () => "still"')).toMatchObject({ response: 'still' });
  }, 30_000);

  test('replaces a process after a short run, and during a long one', async () => {
    await using runtime = await createRuntime({ poolSize: 2 });
    const run = runner(() => runtime);
    const full = () => eventually(() => runtime.stats().idle === 2);
    // A busy machine can make a short run a long one.
    const startsDuringShortRun = async () => {
      await full();
      const startedAt = performance.now();
      await run('const main = () => 1');
      const { starting } = runtime.stats();
      return performance.now() - startedAt < 20 ? starting : undefined;
    };
    let starting: number | undefined;
    while (starting === undefined) starting = await startsDuringShortRun();
    expect(starting).toBe(0);

    await full();
    const long = run('const main = () => new Promise((r) => setTimeout(r, 2_000))');
    // The processes of short runs end a moment after their results.
    await eventually(() => runtime.stats().idle === 2 && runtime.stats().running === 1);
    await long;
  }, 30_000);

  test('ends the processes that are too many after callers gave theirs back', async () => {
    await using runtime = await createRuntime({ poolSize: 2 });
    const slots = await Promise.all(Array.from({ length: 5 }, () => runtime.take(1n)));
    // Others have been started in their place.
    await eventually(() => runtime.stats().idle === 2);
    for (const slot of slots) slot.release();
    await eventually(() => runtime.stats().idle === 2 && actionProcesses().length === 2);
    expect(await runner(() => runtime)('const main = () => "still"')).toMatchObject({ response: 'still' });
  }, 60_000);

  test('gives an idle process without a wait, unless the account must leave it or others wait', async () => {
    await using runtime = await createRuntime({
      poolSize: 2,
      maxConcurrentRuns: 2,
      maxConcurrentRunsPerAccount: 1,
    });
    await eventually(() => runtime.stats().idle === 2);
    const first = runtime.takeIdle(1n);
    expect(first).toBeDefined();
    expect(runtime.takeIdle(1n)).toBeUndefined();
    const waiting = runtime.take(1n);
    expect(runtime.stats()).toMatchObject({ idle: 1, queued: 1 });
    expect(runtime.takeIdle(2n)).toBeUndefined();
    first?.release();
    (await waiting).release();
    await eventually(() => runtime.stats().idle === 2);
    const other = runtime.takeIdle(2n);
    expect(
      await other?.run({ cid: CID, callKey, params: '{}', code: Buffer.from('const main = () => 2') }),
    ).toMatchObject({
      response: 2,
    });
    await runtime.drain(1_000);
    expect(runtime.takeIdle(3n)).toBeUndefined();
  }, 20_000);

  test('does not take back a process that was used', async () => {
    await using runtime = await createRuntime({ poolSize: 1, maxConcurrentRuns: 1 });
    const slot = await runtime.take(1n);
    const stop = new AbortController();
    const request = { cid: CID, callKey, params: '{}', signal: stop.signal };
    const stopped = slot.run({ ...request, code: Buffer.from(LOOP) });
    const next = runner(() => runtime)('const main = () => "next"', { account: 2n });
    stop.abort(new ActionError('StoppedError', 'stopped'));
    slot.release();
    expect((await stopped).error?.name).toBe('StoppedError');
    expect(await next).toMatchObject({ response: 'next' });
  }, 20_000);

  test('gives every run its own process', async () => {
    await using runtime = await createRuntime({ poolSize: 1 });
    const before = new Set<number>();
    for (let round = 0; round < 3; round++) {
      await eventually(() => runtime.stats().idle === 1);
      const [pid] = actionProcesses();
      expect(before.has(pid as number)).toBe(false);
      before.add(pid as number);
      await runner(() => runtime)('const main = () => 1');
      await eventually(() => !isRunning(pid as number));
    }
  }, 20_000);
});

const probe = openCgroups();
const sharesProcessor = probe.controllers.some((name) => name.startsWith('cpu'));
probe.close();
test.skipIf(!sharesProcessor || isYielding('self') === undefined)(
  'a process yields the processor before it is taken, and after it was given back',
  async () => {
    await using runtime = await createRuntime({ poolSize: 1 });
    await eventually(() => runtime.stats().idle === 1);
    const [pid] = actionProcesses() as [number];
    expect(isYielding(pid)).toBe(true);
    const slot = await runtime.take(1n);
    expect(isYielding(pid)).toBe(false);
    slot.release();
    expect(isYielding(pid)).toBe(true);
  },
);

/** `accompanied`: an account beside which another one is active. */
type Accounts = { heavy: bigint; lighter: bigint; accompanied?: bigint };

/** Opens a pool in which one account is heavier than another one. */
async function openPool({ size, heavy, lighter, accompanied }: Accounts & { size: number }) {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-pool-'));
  const cgroups = openCgroups();
  const pool = createPool({
    ...{ size, maxTaken: 8, maxTakenPerAccount: 8 },
    shares: {
      lighterThan: (account) => (account === heavy ? [lighter] : []),
      hasOthersThan: (account) => account === accompanied,
    },
    process: {
      spawner: plainSpawner({
        ...{ scriptPath: await writeProgram(directory), cwd: directory, cacheDir: join(directory, 'deno') },
        ...{ memoryLimitMb: 64, timeoutMs: 5_000, walls: noWalls({ deno: denoBinary() }) },
      }),
      maxFrameBytes: 1_024,
      cgroups,
    },
  });
  await pool.started;
  return {
    ...pool,
    async [Symbol.asyncDispose]() {
      await pool.close();
      cgroups.close();
      await rm(directory, { recursive: true });
    },
  };
}

test.skipIf(!sharesProcessor || isYielding('self') === undefined)(
  'a start that only a heavy account waits for yields the processor',
  async () => {
    await using pool = await openPool({ size: 1, heavy: 1n, lighter: 2n });
    await eventually(() => pool.stats().idle === 1);
    const [taken] = actionProcesses();
    const sleeper = await pool.take(3n);
    const waiting = pool.take(1n);
    const starting = () => actionProcesses().find((pid) => pid !== taken);
    await eventually(() => isYielding(starting() ?? 'self') === true);
    expect(pool.stats()).toMatchObject({ idle: 0, queued: 1 });
    for (const process of [sleeper, await waiting]) process.kill();
  },
);

test.skipIf(!sharesProcessor || isYielding('self') === undefined)(
  'a start claims its share when a lighter account took one of the processes that a heavy one left',
  async () => {
    await using pool = await openPool({ size: 2, heavy: 1n, lighter: 2n });
    await eventually(() => pool.stats().idle === 2);
    const before = actionProcesses();
    const heavy = await pool.take(1n);
    const light = await pool.take(2n);
    expect(pool.stats()).toMatchObject({ idle: 0, starting: 1, queued: 0 });
    const hasJoined = (pid: number) =>
      readFileSync(`/proc/${pid}/cgroup`, 'latin1').includes('latchkey-actions-');
    const starting = () => actionProcesses().find((pid) => !before.includes(pid) && hasJoined(pid));
    await eventually(() => starting() !== undefined);
    expect(isYielding(starting() as number)).toBe(false);
    expect(pool.stats()).toMatchObject({ idle: 0, starting: 1 });
    for (const process of [heavy, light]) process.kill();
  },
);

test.skipIf(!sharesProcessor || isYielding('self') === undefined)(
  'a start yields the processor unless an account without a process waits for it',
  async () => {
    // A fork is ready before its group can be read.
    const walls = { wanted: [] };
    await using runtime = await createRuntime({ poolSize: 1, maxConcurrentRuns: 4, walls });
    const run = runner(() => runtime);
    const stop = new AbortController();
    await eventually(() => runtime.stats().idle === 1);
    const [taken] = actionProcesses();
    const sleeping = run('const main = () => new Promise((r) => setTimeout(r, 60_000))', {
      account: 1n,
      signal: stop.signal,
    });
    const second = run('const main = () => 2', { account: 1n });
    const starting = () => actionProcesses().find((pid) => pid !== taken);
    await eventually(() => isYielding(starting() ?? 'self') === true);
    const pid = starting() as number;
    expect(runtime.stats()).toMatchObject({ idle: 0, queued: 1 });
    const neighbour = run('const main = () => 3', { account: 2n });
    expect(isYielding(pid)).toBe(false);
    expect((await Promise.all([second, neighbour])).map(({ response }) => response)).toEqual([2, 3]);
    stop.abort();
    await sleeping;
  },
);

describe('the queue', () => {
  const sleeping = (ms: number, value: unknown) =>
    `const main = () => new Promise((r) => setTimeout(r, ${ms}, ${JSON.stringify(value)}))`;

  test('serves the runs of one account in their order', async () => {
    await using runtime = await createRuntime({ poolSize: 1, maxConcurrentRuns: 1 });
    const ended: unknown[] = [];
    await eventually(() => runtime.stats().idle === 1);
    await Promise.all(
      [1, 2, 3].map(async (n) => ended.push((await runner(() => runtime)(sleeping(50, n))).response)),
    );
    expect(ended).toEqual([1, 2, 3]);
  }, 20_000);

  test('serves the waiting runs of accounts in turn, however many each account has', async () => {
    await using runtime = await createRuntime({ poolSize: 1, maxConcurrentRuns: 1 });
    const run = runner(() => runtime);
    const ended: unknown[] = [];
    const accounts = { a: 1n, b: 2n, c: 3n };
    const one = async (name: keyof typeof accounts, n: number) => {
      const { response } = await run(sleeping(20, `${name}${n}`), { account: accounts[name] });
      ended.push(response);
    };
    await eventually(() => runtime.stats().idle === 1);
    const all = [1, 2, 3, 4, 5].map((n) => one('a', n));
    await eventually(() => runtime.stats().queued === 4);
    all.push(one('b', 1), one('b', 2), one('c', 1));
    await Promise.all(all);
    expect(ended).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'a5']);
  }, 30_000);

  test('an account with its share of sleeping runs does not block others', async () => {
    await using runtime = await createRuntime({
      poolSize: 2,
      maxConcurrentRuns: 4,
      maxConcurrentRunsPerAccount: 2,
    });
    const run = runner(() => runtime);
    const stop = new AbortController();
    const sleepers = Array.from({ length: 20 }, () =>
      run(sleeping(60_000, 0), { account: 2n, signal: stop.signal }),
    );
    await eventually(() => runtime.stats().running === 2 && runtime.stats().idle === 2);
    expect(runtime.stats().queued).toBe(18);
    expect((await run('const main = () => "hello"', { account: 3n })).response).toBe('hello');
    expect(runtime.stats()).toMatchObject({ queued: 18 });
    stop.abort();
    await Promise.all(sleepers);
  }, 30_000);

  test('leaves the last idle process to a lighter account that has none', async () => {
    await using pool = await openPool({ size: 2, heavy: 1n, lighter: 2n });
    const idle = () => eventually(() => pool.stats().idle === 2 && pool.stats().running === 0);
    await idle();
    const other = await pool.take(3n);
    const heavy = pool.take(1n);
    expect(pool.stats()).toMatchObject({ idle: 1, running: 1, queued: 1 });
    const light = await pool.take(2n);
    expect(pool.stats()).toMatchObject({ idle: 0, running: 2, queued: 1 });
    for (const process of [other, light, await heavy]) process.kill();
    await idle();

    // The lighter one already has a process.
    const first = await pool.take(2n);
    const last = await pool.take(1n);
    expect(pool.stats()).toMatchObject({ idle: 0, running: 2, queued: 0 });
    for (const process of [first, last]) process.kill();
  }, 20_000);

  test('gives the last idle process to an account whose process is finished and has not ended', async () => {
    await using pool = await openPool({ size: 2, heavy: 1n, lighter: 2n });
    await eventually(() => pool.stats().idle === 2);
    const first = await pool.take(3n);
    const second = pool.take(3n);
    expect(pool.stats()).toMatchObject({ idle: 1, running: 1, queued: 1 });
    pool.finish(first);
    expect(pool.stats()).toMatchObject({ idle: 0, running: 2, queued: 0 });
    for (const process of [first, await second]) process.kill();
  }, 20_000);

  test('begins the runs of an account in turn, on half of the cores, while another account is active', async () => {
    const max = Math.max(1, Math.floor(availableParallelism() / 2));
    await using pool = await openPool({ size: max + 2, heavy: 1n, lighter: 2n, accompanied: 3n });
    const full = () => eventually(() => pool.stats().idle === max + 2 && pool.stats().running === 0);
    const take = (account: bigint) => Array.from({ length: max + 1 }, () => pool.take(account));
    const kill = async (taken: Promise<ActionProcess>[]) => {
      for (const process of await Promise.all(taken)) process.kill();
    };
    for (const begin of [pool.finish, pool.hasBegun]) {
      await full();
      const taken = take(3n);
      expect(pool.stats()).toMatchObject({ running: max, queued: 1 });
      begin(await (taken[0] as Promise<ActionProcess>));
      await eventually(() => pool.stats().queued === 0);
      expect(pool.stats()).toMatchObject({ running: max + 1 });
      await kill(taken);
    }

    await full();
    const computing = take(3n);
    expect(pool.stats()).toMatchObject({ running: max, queued: 1 });
    await kill(computing);

    await full();
    const alone = take(2n);
    expect(pool.stats()).toMatchObject({ running: max + 1, queued: 0 });
    await kill(alone);
  }, 20_000);

  test('pauses between two begins of an account, as long as the begin took per run that continues', async () => {
    const max = Math.max(1, Math.floor(availableParallelism() / 2));
    await using pool = await openPool({ size: max + 2, heavy: 1n, lighter: 2n, accompanied: 3n });
    await eventually(() => pool.stats().idle === max + 2);
    const taken = Array.from({ length: max + 2 }, () => pool.take(3n));
    const first = await (taken[0] as Promise<ActionProcess>);
    await delay(40);
    pool.hasBegun(first);
    const begunAt = performance.now();
    expect(pool.stats()).toMatchObject({ running: max, queued: 2 });
    await taken[max];
    // Timers can be a millisecond early.
    expect(performance.now() - begunAt).toBeGreaterThan(Math.min(40 * max, 100) - 2);

    for (const process of await Promise.all(taken.slice(0, max + 1))) pool.finish(process);
    expect(pool.stats()).toMatchObject({ running: max + 2, queued: 0 });
    for (const process of await Promise.all(taken)) process.kill();
  }, 20_000);

  test('a heavy account pauses also after a run that only computed', async () => {
    const max = Math.max(1, Math.floor(availableParallelism() / 2));
    const size = 2 * (max + 1);
    await using pool = await openPool({ size, heavy: 1n, lighter: 2n, accompanied: 1n });
    await eventually(() => pool.stats().idle === size);
    const taken = Array.from({ length: max + 1 }, () => pool.take(1n));
    const computed = await Promise.all(taken.slice(0, max));
    await delay(40);
    for (const process of computed) pool.finish(process);
    const finishedAt = performance.now();
    expect(pool.stats()).toMatchObject({ running: max, queued: 1 });
    await taken[max];
    expect(performance.now() - finishedAt).toBeGreaterThan(38);
    for (const process of await Promise.all(taken)) process.kill();
  }, 20_000);

  test('a heavy account leaves half of the idle processes', async () => {
    await using pool = await openPool({ size: 4, heavy: 1n, lighter: 2n });
    await eventually(() => pool.stats().idle === 4);
    const taken = [1, 2, 3].map(() => pool.take(1n));
    expect(pool.stats()).toMatchObject({ idle: 2, running: 2, queued: 1 });
    // It waits for a process that is started for it.
    for (const process of await Promise.all(taken)) process.kill();
  }, 20_000);

  test('a run begins when the one before waits, and later when it computes', async () => {
    await using runtime = await createRuntime({ poolSize: 4 });
    const run = runner(() => runtime);
    const max = Math.max(1, Math.floor(availableParallelism() / 2));
    /** Resolves to the time until a run ends that was sent after others. */
    const timeAfter = async (code: string): Promise<number> => {
      await run('const main = () => 1', { account: 2n });
      await eventually(() => runtime.stats().idle === 4);
      const stop = new AbortController();
      const before = Array.from({ length: max }, () => run(code, { account: 1n, signal: stop.signal }));
      const sentAt = performance.now();
      await run('const main = () => 1', { account: 1n });
      const time = performance.now() - sentAt;
      stop.abort();
      await Promise.all(before);
      return time;
    };
    expect(await timeAfter(LOOP)).toBeGreaterThan(240);
    // A busy machine can delay it as long, several times.
    let afterSleeping = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 30 && afterSleeping > 240; attempt++)
      afterSleeping = await timeAfter(sleeping(60_000, 0));
    expect(afterSleeping).toBeLessThan(240);
  }, 60_000);

  test('leaves the last idle process to an account that has none', async () => {
    await using runtime = await createRuntime({ poolSize: 2, maxConcurrentRuns: 8 });
    const run = runner(() => runtime);
    await eventually(() => runtime.stats().idle === 2);
    const first = run(sleeping(300, 1), { account: 1n });
    const second = run(sleeping(0, 2), { account: 1n });
    expect(runtime.stats()).toMatchObject({ idle: 1, running: 1, queued: 1 });
    const neighbour = run('const main = () => 3', { account: 2n });
    expect(runtime.stats()).toMatchObject({ idle: 0, running: 2, queued: 1 });
    expect((await Promise.all([first, second, neighbour])).map(({ response }) => response)).toEqual([
      1, 2, 3,
    ]);
  }, 20_000);

  test('removes a run that is aborted while it waits', async () => {
    await using runtime = await createRuntime({ poolSize: 1, maxConcurrentRuns: 1 });
    const run = runner(() => runtime);
    const stopFirst = new AbortController();
    const first = run(LOOP, { signal: stopFirst.signal });
    await eventually(() => runtime.stats().running === 1);
    const stop = new AbortController();
    const waiting = run('const main = () => 1', { signal: stop.signal });
    await eventually(() => runtime.stats().queued === 1);
    stop.abort();
    expect(await waiting).toMatchObject({ hasError: true, error: { name: 'StoppedError' }, durationMs: 0 });
    expect(runtime.stats().queued).toBe(0);
    stopFirst.abort(new ActionError('CreditError', 'the credit is used up'));
    expect(await first).toMatchObject({
      hasError: true,
      error: { name: 'CreditError', message: 'the credit is used up' },
    });
    expect(await run('const main = () => 1', { signal: AbortSignal.abort() })).toMatchObject({
      hasError: true,
    });
  }, 20_000);

  test('runs more concurrently than there are idle processes', async () => {
    await using runtime = await createRuntime({ poolSize: 1, maxConcurrentRuns: 6 });
    const stop = new AbortController();
    const runs = Array.from({ length: 6 }, () =>
      runner(() => runtime)(sleeping(60_000, 1), { signal: stop.signal }),
    );
    await eventually(() => runtime.stats().running === 6);
    stop.abort();
    await Promise.all(runs);
  }, 20_000);
});

describe('the end', () => {
  test('by close ends runs and processes, and refuses later runs', async () => {
    const runtime = await createRuntime({ poolSize: 2 });
    const run = runner(() => runtime);
    const running = run(LOOP);
    await eventually(() => runtime.stats().running === 1 && runtime.stats().idle > 0);
    const pids = actionProcesses();
    expect(pids.length).toBeGreaterThan(1);
    await runtime.close();
    expect(pids.filter(isRunning)).toEqual([]);
    expect(await running).toMatchObject({ hasError: true, error: { name: 'ProcessError' } });
    await expect(run('const main = () => 1')).rejects.toThrow(RuntimeUnavailableError);
    await runtime.close();
  }, 20_000);

  test('of the host ends every process, also in an endless loop', async () => {
    const runtimeUrl = JSON.stringify(new URL('../runtime.ts', import.meta.url).href);
    const host = spawn(
      process.execPath,
      [
        '--input-type=module-typescript',
        '-e',
        `import { createRuntime } from ${runtimeUrl};
         const runtime = await createRuntime({ poolSize: 1 });
         const slot = await runtime.take(1n);
         void slot.run({ code: Buffer.from(${JSON.stringify(LOOP)}), cid: '', params: '{}', callKey: async () => '' });
         setInterval(() => { const { running, idle } = runtime.stats(); if (running && idle) console.log('both') }, 20);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    for await (const _line of createInterface({ input: host.stdout })) break;
    const pids = actionProcesses(host.pid);
    expect(pids.length).toBeGreaterThan(1);
    host.kill('SIGKILL');
    await eventually(() => pids.filter(isRunning).length === 0);
  }, 20_000);
});

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { descendants, eventually, isRunning } from '@latchkey/fork-server/testing';
import { ActionError, RuntimeUnavailableError } from '@latchkey/runner-protocol';
import { describe, expect, test } from 'vitest';
import { openCgroups } from '../processes/cgroup.ts';
import { createRuntime } from '../runtime.ts';
import { CID, callChain, callKey, runner } from '../testing.ts';

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
const LOOP = 'const main = () => { for (;;); }';

describe('the pool', () => {
  test('is full again after runs, crashes and kills', async () => {
    await using runtime = await createRuntime({ poolSize: 2 });
    const run = runner(runtime);
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

  test('ends surplus processes after callers gave theirs back', async () => {
    await using runtime = await createRuntime({ poolSize: 2 });
    const slots = await Promise.all(Array.from({ length: 5 }, () => runtime.take(1n)));
    await eventually(() => runtime.stats().idle === 1);
    for (const slot of slots) slot.release();
    await eventually(() => runtime.stats().idle === 2 && actionProcesses().length === 2);
    expect(await runner(runtime)('const main = () => "still"')).toMatchObject({ response: 'still' });
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
      await other?.run({
        cid: CID,
        callKey,
        callChain,
        params: '{}',
        code: Buffer.from('const main = () => 2'),
      }),
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
    const request = { cid: CID, callKey, callChain, params: '{}', signal: stop.signal };
    const stopped = slot.run({ ...request, code: Buffer.from(LOOP) });
    const next = runner(runtime)('const main = () => "next"', { account: 2n });
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
      await runner(runtime)('const main = () => 1');
      await eventually(() => !isRunning(pid as number));
    }
  }, 20_000);
});

const probe = openCgroups();
const sharesProcessor = probe.controllers.some((name) => name.startsWith('cpu'));
probe.close();
test.skipIf(!sharesProcessor)('the processes of an account have its weight in equal parts', async () => {
  await using runtime = await createRuntime({ poolSize: 4 });
  await eventually(() => runtime.stats().idle === 4);
  const slots = [await runtime.take(1n), await runtime.take(1n), await runtime.take(2n)];
  // The others are idle, or start.
  const weights = actionProcesses().map(weightOf);
  expect(weights.filter((weight) => weight === 1 / 4)).toHaveLength(2);
  expect(weights).toContain(1 / 2);
  for (const slot of slots) slot.release();
});
/** Returns the weight of the control group of a process, in multiples of the weight of a thread. */
function weightOf(pid: number): number {
  const groups = readFileSync(`/proc/${pid}/cgroup`, 'latin1').trim().split('\n');
  const [file = ''] = groups
    .map((line) => line.split(':'))
    .flatMap(([, names = '', path = '']) =>
      ['cpu.shares', 'cpu.weight'].map((name) => join('/sys/fs/cgroup', names, path, name)),
    )
    .filter(existsSync);
  return Number(readFileSync(file, 'latin1')) / (file.endsWith('shares') ? 1_024 : 100);
}

describe('the queue', () => {
  const sleeping = (ms: number, value: unknown) =>
    `const main = () => new Promise((r) => setTimeout(r, ${ms}, ${JSON.stringify(value)}))`;

  test('an account with its share of sleeping runs does not block others', async () => {
    await using runtime = await createRuntime({
      poolSize: 2,
      maxConcurrentRuns: 4,
      maxConcurrentRunsPerAccount: 2,
    });
    const run = runner(runtime);
    const stop = new AbortController();
    const sleepers = Array.from({ length: 20 }, () =>
      run(sleeping(60_000, 0), { account: 2n, signal: stop.signal }),
    );
    await eventually(() => runtime.stats().running === 2 && runtime.stats().idle === 1);
    expect(runtime.stats().queued).toBe(18);
    expect((await run('const main = () => "hello"', { account: 3n })).response).toBe('hello');
    expect(runtime.stats()).toMatchObject({ queued: 18 });
    stop.abort();
    await Promise.all(sleepers);
  }, 30_000);

  test('removes a run that is aborted while it waits', async () => {
    await using runtime = await createRuntime({ poolSize: 1, maxConcurrentRuns: 1 });
    const run = runner(runtime);
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
});

describe('the end', () => {
  test('by close ends runs and processes, and refuses later runs', async () => {
    const runtime = await createRuntime({ poolSize: 2 });
    const run = runner(runtime);
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

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ActionError, RuntimeUnavailableError } from './errors.ts';
import type { Runtime } from './runtime.ts';
import { startSupervisedRuntime } from './supervised-runtime.ts';
import { eventually, privateKey, runner } from './testing.ts';

let runtime: Runtime;
const hostErrors: { message: string; cid: string }[] = [];
const lost: string[] = [];
beforeAll(async () => {
  runtime = await startSupervisedRuntime({
    poolSize: 2,
    onHostError: (error, { cid }) => hostErrors.push({ message: (error as Error).message, cid }),
    onLost: ({ message }) => lost.push(message),
  });
}, 30_000);
afterAll(() => runtime.close());
const run = runner(() => runtime);

const procFile = (pid: number, name: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
};
const listChildren = (parent: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && Number(procFile(pid, 'stat').split(') ')[1]?.split(' ')[1]) === parent);
const isRunning = (pid: number): boolean => /^State:\s+[^Z]/m.test(procFile(pid, 'status'));
/** The supervisors that this process has started. */
const supervisors = (): number[] =>
  listChildren(process.pid).filter((pid) => procFile(pid, 'cmdline').includes('supervisor.ts'));

test('runs an action with its parameters, keys and logs', async () => {
  const started: number[] = [];
  const code = `async function main({ pkpId }) { console.log('hi'); return Svc.Actions.getPrivateKey({ pkpId }) }`;
  const result = await run(code, { onStart: () => started.push(1) });
  expect(result).toMatchObject({ response: privateKey, logs: 'hi\n', hasError: false });
  expect(result.durationMs).toBeGreaterThanOrEqual(0);
  expect(started).toEqual([1]);
});

describe('key functions', () => {
  test("throw the host's refusal under its name", async () => {
    const code = `const main = () => Svc.Actions.getPrivateKey({ pkpId: '0x0000000000000000000000000000000000000001' })
      .catch(({ name }) => name)`;
    expect((await run(code)).response).toBe('WalletNotPermittedError');
  });

  test('hide the detail of a failure of the host, and report it to the operator', async () => {
    const keys = { getActionPrivateKey: () => Promise.reject(new Error('password is hunter2')) } as never;
    const result = await run('const main = () => Svc.Actions.getActionPrivateKey()', {
      keys,
      cid: 'QmFailing',
    });
    expect(result.error?.name).toBe('InternalError');
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(hostErrors).toEqual([{ message: 'password is hunter2', cid: 'QmFailing' }]);
  });
});

test('ends a run with the reason of its abort', async () => {
  const stop = new AbortController();
  const running = run('const main = () => { for (;;); }', {
    signal: stop.signal,
    onStart: () => stop.abort(new ActionError('CreditError', 'no credit')),
  });
  expect(await running).toMatchObject({
    hasError: true,
    error: { name: 'CreditError', message: 'no credit' },
  });
  const before = await run('const main = () => 1', { signal: AbortSignal.abort() });
  expect(before).toMatchObject({ hasError: true, error: { name: 'StoppedError' } });
});

test('gives the supervisor no environment variables of the relayer', () => {
  const [pid] = supervisors();
  const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .map((entry) => entry.split('=')[0]);
  expect(names.filter(Boolean).sort()).toEqual([
    'NODE_CHANNEL_FD',
    'NODE_CHANNEL_SERIALIZATION_MODE',
    'PATH',
  ]);
});

test('fails the runs of a killed supervisor and starts another one', async () => {
  const [pid] = supervisors();
  const running = run('const main = () => new Promise((r) => setTimeout(r, 60000))', {
    onStart: () => process.kill(pid as number, 'SIGKILL'),
  });
  await expect(running).rejects.toThrow(RuntimeUnavailableError);
  expect(lost).toHaveLength(1);
  await expect(run('const main = () => 1')).rejects.toThrow(RuntimeUnavailableError);
  expect(await runtime.stats()).toEqual({ idle: 0, starting: 0, running: 0, queued: 0 });
  await eventually(() => supervisors().length === 1);
  expect((await run('const main = () => "again"')).response).toBe('again');
}, 30_000);

test('ends the supervisor and every action process when the relayer dies', async () => {
  const url = JSON.stringify(new URL('./supervised-runtime.ts', import.meta.url).href);
  const host = spawn(
    process.execPath,
    [
      '--input-type=module-typescript',
      '-e',
      `import { startSupervisedRuntime } from ${url};
       const runtime = await startSupervisedRuntime({ poolSize: 1 });
       const code = 'const main = () => { for (;;); }';
       void runtime.run({ account: 1n, code, cid: '', keys: {}, onStart: () => console.log('started') });`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  for await (const _line of createInterface({ input: host.stdout })) break;
  const [supervisor = 0] = listChildren(host.pid as number);
  const processes = [supervisor, ...listChildren(supervisor)];
  expect(processes.length).toBeGreaterThan(1);
  host.kill('SIGKILL');
  await eventually(() => !processes.some(isRunning));
}, 30_000);

test('close ends the supervisor, and later runs are refused', async () => {
  const own = await startSupervisedRuntime({ poolSize: 1 });
  const count = supervisors().length;
  const running = runner(() => own)('const main = () => new Promise((r) => setTimeout(r, 60000))');
  await expect.poll(async () => (await own.stats()).running, { timeout: 10_000 }).toBe(1);
  await own.close();
  expect(await running).toMatchObject({ hasError: true });
  expect(supervisors()).toHaveLength(count - 1);
  await expect(runner(() => own)('const main = () => 1')).rejects.toThrow(RuntimeUnavailableError);
}, 30_000);

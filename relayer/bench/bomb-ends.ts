/**
 * Forked process: runs every bomb alone on a runner, and answers a number of rounds with the milliseconds from the exceeded
 * limit until its process is gone, by kind. Linux only.
 */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { cidOf } from '@latchkey/protocol';
import { createLogger } from '@latchkey/service/logger';
import { type Bomb, bombs } from '@latchkey/testing/bombs';
import { answer } from '@latchkey/testing/forked';
import { childrenOf } from '@latchkey/testing/process-tree';
import { type RunnerProcess, startRunnerProcess } from '@latchkey/testing/services';
import { until } from '@latchkey/testing/until';
import { connectRunners, type Runners } from '../src/runners/runners.ts';

const TIMEOUT_MS = 1_000;
const POLL_MS = 1;
const IDLE_MS = 300;
const DEADLINE_MS = 90_000;
const MIB = 2 ** 20;
const MEMORY_LIMIT_MB = 64;
/** Memory that the runner does not count: this much, or what the process holds before its run if that is more. */
const IDLE_BYTES = 20 * MIB;

/** Returns the anonymous memory that the runner counts; undefined when the process is gone. */
function anonymousBytes(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    return 1_024 * (kib('RssAnon') + kib('RssShmem') + kib('VmSwap'));
  } catch {
    return undefined;
  }
}

/** An action process: the child of the runner, and Deno, which is the last process in its chain of children. */
type Process = { child: number; deno: number };

const innermost = (pid: number): number => {
  const [child] = childrenOf(pid);
  return child === undefined ? pid : innermost(child);
};

/** Resolves to the only action process once it has been idle for a while, because the relayer learns of the load late. */
function idleProcess(runner: RunnerProcess, runners: Runners): Promise<Process> {
  let last = { child: 0, since: 0 };
  return until('one process is idle', async () => {
    const [child = 0, ...others] = childrenOf(runner.child.pid ?? 0);
    const { idle, starting, running } = runners.load();
    const isAlone = child > 0 && idle === 1 && starting + running === 0 && others.length === 0;
    if (!isAlone || child !== last.child) last = { child, since: performance.now() };
    return isAlone && performance.now() - last.since > IDLE_MS && { child, deno: innermost(child) };
  });
}

/** Polls until the process is gone. Resolves to the times of its end and of its first excess over `limitBytes`. */
async function watch(
  { child, deno }: Process,
  limitBytes: number,
): Promise<{ goneAt: number; exceededAt?: number }> {
  let exceededAt: number | undefined;
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const bytes = anonymousBytes(deno);
    const now = Date.now();
    if (bytes === undefined && !existsSync(`/proc/${child}`))
      return { goneAt: now, ...(exceededAt !== undefined && { exceededAt }) };
    if (now > deadline) throw new Error('the process of a bomb is not gone');
    if (bytes !== undefined && bytes > limitBytes) exceededAt ??= now;
    await delay(POLL_MS);
  }
}

/** Resolves to the milliseconds from the exceeded limit until the process is gone. */
async function explode(
  runner: RunnerProcess,
  runners: Runners,
  { code, errors, exceeds }: Bomb,
): Promise<number> {
  const idle = await idleProcess(runner, runners);
  const { signal } = new AbortController();
  const cid = await cidOf(code);
  const watched = watch(idle, Math.max(IDLE_BYTES, anonymousBytes(idle.deno) ?? 0) + MEMORY_LIMIT_MB * MIB);
  const startedAt = Date.now();
  const timeoutMs = exceeds === 'time' ? TIMEOUT_MS : 60_000;
  const run = { code, cid, params: '{}', timeoutMs, usageKeyHash: 1n, keys: {} as never, signal };
  const takeAllowance = () => Promise.reject(new Error('no database'));
  const { error, logs } = await runners.run({ account: 1n, ...run, takeAllowance });
  if (!errors.includes(error?.name ?? '')) throw new Error(`a bomb ended with ${error?.name}`);
  const { goneAt, exceededAt = goneAt } = await watched;
  if (exceeds === 'time') return goneAt - (startedAt + TIMEOUT_MS);
  if (exceeds === 'memory') return goneAt - exceededAt;
  return goneAt - Number(logs.match(/\d{13}/g)?.at(-1));
}

answer(async (rounds: number) => {
  await using runner = await startRunnerProcess({ RUNTIME_POOL_SIZE: '1' });
  const runners = connectRunners({
    urls: [runner.url],
    token: undefined,
    memoryLimitMb: MEMORY_LIMIT_MB,
    log: createLogger({ name: 'bombs', level: 'silent' }),
    onHostError: (error) => console.error(error),
    onWrongAnswer() {},
  });
  const ends: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++)
    for (const [kind, bomb] of Object.entries(bombs))
      ends[kind] = [...(ends[kind] ?? []), await explode(runner, runners, bomb)];
  runners.close();
  return ends;
});

/**
 * Processes that each use one key and end. They wait behind walls of their own, as forks of a template for keys, where the machine
 * can fork; the process of the runner has no key.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { denoBinary, type Spawner, spawnForks } from '@latchkey/fork-server';
import { programOf, socketsDirOf } from '../processes/boot.ts';
import { writeKeyProgram } from '../processes/bundle.ts';
import { findWalls } from '../processes/walls.ts';
import { DIRECTORY_PREFIX } from '../runtime.ts';
import type { FromKeyProcess, ToKeyProcess } from './key-protocol.ts';

/** Limit of V8's heap and of private memory, in MiB. */
const MEMORY_LIMIT_MB = 64;
/** The kernel ends a process that computes for longer than this and a minute. */
const TIMEOUT_MS = 30_000;
/** Time until a taken process is replaced: a start would slow the run that took it, which takes tens of milliseconds. */
const REFILL_AFTER_MS = 100;

export type KeyProcess = {
  send: (message: ToKeyProcess) => void;
  onMessage: (message: FromKeyProcess) => void;
  readonly exited: Promise<unknown>;
  kill: () => void;
};

export type KeyProcesses = {
  /** Returns a process for one task. The caller kills it. */
  take: () => Promise<KeyProcess>;
  close: () => Promise<void>;
};

/** @param size - Processes that wait for a task. */
export async function openKeyProcesses(size: number): Promise<KeyProcesses> {
  const directory = await mkdtemp(join(tmpdir(), `${DIRECTORY_PREFIX}${process.pid}-keys-`));
  const scriptPath = await writeKeyProgram(directory);
  await chmod(directory, 0o711);
  const socketsDir = socketsDirOf(scriptPath);
  const paths = { scriptPath, cwd: '/' };
  const walls = await findWalls({ directory, deno: denoBinary(), socketsDir, ...paths });
  const limits = { memoryLimitMb: MEMORY_LIMIT_MB, timeoutMs: TIMEOUT_MS };
  const spawner = await spawnForks(programOf({ ...paths, ...limits, walls }));
  const alive = new Set<KeyProcess>();
  const idle: Promise<KeyProcess>[] = [];
  let refilling: NodeJS.Timeout | undefined;
  let isClosed = false;

  const start = async (): Promise<KeyProcess> => {
    const started = await startKeyProcess(spawner);
    alive.add(started);
    void started.exited.then(() => alive.delete(started));
    if (isClosed) started.kill();
    return started;
  };
  const refill = (): void => {
    refilling = undefined;
    while (idle.length < size && !isClosed) {
      const starting = start();
      idle.push(starting);
      // The next `take` replaces a process that has ended.
      const drop = (): void => {
        if (idle.includes(starting)) idle.splice(idle.indexOf(starting), 1);
      };
      void starting.then(({ exited }) => exited).then(drop, drop);
    }
  };
  refill();
  await idle[0];
  return {
    take() {
      if (!isClosed) refilling ??= setTimeout(refill, REFILL_AFTER_MS);
      return idle.shift() ?? start();
    },
    async close() {
      isClosed = true;
      clearTimeout(refilling);
      await Promise.allSettled(idle);
      for (const each of alive) each.kill();
      await Promise.all([...alive].map(({ exited }) => exited));
      await spawner.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Resolves when the process can take its task. */
async function startKeyProcess(spawner: Spawner): Promise<KeyProcess> {
  const deno = await spawner.spawn();
  const { kill, exited } = deno;
  const ready = Promise.withResolvers<void>();
  const handle: KeyProcess = {
    send: (message) => void deno.input.write(`${JSON.stringify(message)}\n`),
    onMessage: () => ready.resolve(),
    exited,
    kill,
  };
  let held = '';
  deno.output.setEncoding('utf8');
  deno.output.on('data', (text: string) => {
    const lines = (held + text).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) handle.onMessage(JSON.parse(line) as FromKeyProcess);
  });
  void exited.then(({ stderrTail }) =>
    ready.reject(new Error(`the key process ended before it was ready: ${stderrTail}`)),
  );
  await ready.promise;
  deno.isReady();
  return handle;
}

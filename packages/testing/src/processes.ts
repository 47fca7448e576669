/** Child processes and directories of a test, removed after it in any outcome. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';

/** Root directory of the repository. */
export const root = join(import.meta.dirname, '../../..');

/**
 * Creates a directory that is removed after the test; by default relative to the root, below a directory that the
 * deploy script may write.
 */
export function temporaryDirectory(parent?: string): Disposable & { path: string } {
  const absolute = parent ?? join(root, '.data');
  mkdirSync(absolute, { recursive: true });
  const made = mkdtempSync(join(absolute, 'test-'));
  const path = parent === undefined ? relative(root, made) : made;
  const remove = () => {
    rmSync(made, { recursive: true, force: true, maxRetries: 5 });
    directories.delete(remove);
  };
  directories.add(remove);
  return { path, [Symbol.dispose]: remove };
}

/** Processes that a timed-out test leaves running, with the function that ends each. */
const running = new Map<ChildProcess, () => void>();
const directories = new Set<() => void>();
const cleanUp = () => {
  for (const kill of running.values()) kill();
  for (const remove of directories) remove();
};
// Programs other than tests use this module too.
if (process.env.VITEST) (await import('vitest')).afterAll(cleanUp);
else process.once('exit', cleanUp);

/** Collects the output of a process. Returns a function that returns it. */
export function watch(child: ChildProcessByStdio<null, Readable, Readable>, kill: () => void): () => string {
  running.set(child, kill);
  child.once('exit', () => running.delete(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return () => output;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The whole group has already ended.
  }
}

/** Starts a program in its own process group, so that its children end with it. */
export function start(file: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(file, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  return { child, output: watch(child, () => signalGroup(child, 'SIGKILL')) };
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** Longer than the services wait for requests and runs. */
export const END_MS = 180_000;

/** Ends the process group that `start` created. Rejects, and kills the group, when it does not end. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = hasEnded(child) ? undefined : once(child, 'exit', { signal: AbortSignal.timeout(END_MS) });
  signalGroup(child, signal);
  await exited?.catch((cause: unknown) => {
    signalGroup(child, 'SIGKILL');
    throw new Error(`${child.spawnargs.join(' ')} did not end on ${signal}`, { cause });
  });
}

/** Child processes and directories of a test; both are gone after it, however it ends. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';

/** Of the repository. */
export const root = join(import.meta.dirname, '../../..');

/** A directory that is gone after the test; relative to the root and where the deploy script may write by default. */
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

/** What a test that ran out of time leaves behind, and how it is ended. */
const running = new Map<ChildProcess, () => void>();
const directories = new Set<() => void>();
const cleanUp = () => {
  for (const kill of running.values()) kill();
  for (const remove of directories) remove();
};
// Programs beside the tests use this module too.
if (process.env.VITEST) (await import('vitest')).afterAll(cleanUp);
else process.once('exit', cleanUp);

/** Returns what it has printed. */
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
    // All of the group ended before.
  }
}

/** In a process group of its own, so that what it starts ends with it. */
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

/** Ends the process group that `start` made. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = hasEnded(child) ? undefined : once(child, 'exit');
  signalGroup(child, signal);
  await exited;
}

/** The lock of a data directory: two stacks on one directory would destroy each other's databases. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createFile } from '@latchkey/service/files';
import { isAlive } from '@latchkey/service/is-alive';
import type { OutputLine } from './output.ts';
import { StackError } from './root.ts';

/** Time that the guard of a killed stack needs to end its parts. */
const LOCK_DEADLINE_MS = 60_000;
const LOCK_POLL_MS = 100;

/** A process. A container gives the same ids at every start, so the time of its start is part of its identity where the system tells it. */
type Identity = { pid: number; startedAt: string | undefined };
type Lock = { id?: string; owner: Identity; guard: Identity };

/**
 * Creates the lock file; waits for the guard of a killed stack to end. Throws a StackError while another stack has the directory.
 * Returns the function that removes the lock, unless another stack has it by then.
 */
export async function takeLock(
  path: string,
  guardPid: number,
  onOutput: (output: OutputLine) => void,
): Promise<() => Promise<void>> {
  const own: Lock = { id: randomUUID(), owner: await identify(process.pid), guard: await identify(guardPid) };
  const content = `${JSON.stringify(own)}\n`;
  const deadline = Date.now() + LOCK_DEADLINE_MS;
  let isWaiting = false;
  let hasRemoved = false;
  for (;;) {
    if (await createFile(path, content)) {
      if (!hasRemoved) break;
      // Another start that found the same stale lock may be moving this one.
      await delay(LOCK_POLL_MS);
      if ((await readLock(path)) === content) break;
    }
    const found = await readLock(path);
    if (found === undefined) continue;
    const { owner, guard } = parse(found);
    const isOwned = await isRunning(owner);
    if (!isOwned && !(await isRunning(guard))) {
      await removeFile(path, found);
      hasRemoved = true;
      continue;
    }
    if (isOwned || Date.now() > deadline) {
      const { pid } = isOwned ? owner : guard;
      throw new StackError(
        `Another stack (process ${pid}) uses this data directory; if that process is not a stack, delete ${path}`,
      );
    }
    if (!isWaiting) onOutput({ part: 'stack', line: 'waiting for the processes of a killed stack to end' });
    isWaiting = true;
    await delay(LOCK_POLL_MS);
  }
  return () => removeFile(path, content);
}

/** Removes a file if it has this content. Another start may replace it after the check, so it is moved and checked again. */
async function removeFile(path: string, content: string): Promise<void> {
  const moved = `${path}.${randomUUID()}`;
  if ((await readLock(path)) !== content) return;
  try {
    await rename(path, moved);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(moved, 'utf8')) !== content) await link(moved, path).catch(() => {});
  await rm(moved, { force: true });
}

const readLock = (path: string) => readFile(path, 'utf8').catch(() => undefined);
const nobody: Identity = { pid: 0, startedAt: undefined };
/** Parses a lock. No process holds a malformed one. */
function parse(text: string): Lock {
  try {
    return JSON.parse(text) as Lock;
  } catch {
    return { owner: nobody, guard: nobody };
  }
}

async function isRunning({ pid, startedAt }: Identity): Promise<boolean> {
  if (!(pid > 0) || !isAlive(pid)) return false;
  // A lock with the id of this process and without a start is from another process, which had the same id.
  if (startedAt === undefined) return pid !== process.pid;
  return (await identify(pid)).startedAt === startedAt;
}

async function identify(pid: number): Promise<Identity> {
  return { pid, startedAt: await readStart(pid).catch(() => undefined) };
}

/** Returns the start of a process in the form of the system. */
async function readStart(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]);
    return stdout.trim() || undefined;
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // Field 22. The name of the program, field 2, is in parentheses and can have spaces.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

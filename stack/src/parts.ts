/** The processes of a stack. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { startGuard } from '@latchkey/service/guard';
import { takeLock } from './lock.ts';
import { type OutputLine, type PartName, readable } from './output.ts';
import { root, StackError } from './root.ts';

/** Maximum time for a part to stop after its work is done. */
const STOP_DEADLINE_MS = 20_000;
const TAIL_LINES = 40;

export type Part = {
  name: PartName;
  /** Process id, which is also the id of its process group. */
  pid: number;
  /** Resolves to its exit code or to the signal that ended it. */
  exited: Promise<string>;
  isStopping: () => boolean;
  /** Returns the last lines of its output. */
  tail: () => string;
  /** Sends its stop signal, and SIGKILL to the whole group after a deadline. Resolves when the process is gone. */
  stop: () => Promise<void>;
};

export type Parts = {
  start: (
    name: PartName,
    command: string,
    args: string[],
    options: {
      env: Record<string, string | undefined>;
      stopSignal?: NodeJS.Signals;
      /** Maximum time for the work of the part before it stops. Default 0. */
      drainMs?: number;
    },
  ) => Promise<Part>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/**
 * Locks the data directory and starts processes in their own groups, so that Ctrl-C reaches only this process. A guard
 * ends them when this process is killed.
 */
export async function openParts(dataDir: string, onOutput: (output: OutputLine) => void): Promise<Parts> {
  await mkdir(dataDir, { recursive: true });
  const guard = await startGuard();
  const unlock = await takeLock(join(dataDir, 'stack.lock'), guard.pid, onOutput).catch(async (error) => {
    await guard.close();
    throw error;
  });

  return {
    async start(name, command, args, { env, stopSignal = 'SIGTERM', drainMs = 0 }) {
      const child = spawn(command, args, {
        cwd: root,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      try {
        await once(child, 'spawn');
      } catch (cause) {
        throw new StackError(`failed to start ${name}: ${(cause as Error).message}`, { cause });
      }
      const pid = child.pid as number;
      guard.add(pid, stopSignal);
      const tail: string[] = [];
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          tail.push(readable(line));
          if (tail.length > TAIL_LINES) tail.shift();
          onOutput({ part: name, line });
        });
      }
      let hasExited = false;
      const exited = waitForExit(child).then((exit) => {
        hasExited = true;
        kill(-pid, 'SIGKILL'); // Ends children that it left behind.
        guard.remove(pid);
        return exit;
      });
      let isStopping = false;
      const stop = async (): Promise<void> => {
        isStopping = true;
        // Its process id can belong to another process by now.
        if (hasExited) return;
        kill(pid, stopSignal);
        if (await endsWithin(drainMs + STOP_DEADLINE_MS, exited)) return;
        onOutput({ part: 'stack', line: `${name} does not stop: killing it` });
        kill(-pid, 'SIGKILL');
        await exited;
      };
      return { name, pid, exited, isStopping: () => isStopping, tail: () => tail.join('\n'), stop };
    },
    async [Symbol.asyncDispose]() {
      await guard.close();
      await unlock();
    },
  };
}

async function endsWithin(ms: number, exited: Promise<unknown>): Promise<boolean> {
  const deadline = new AbortController();
  const late = delay(ms, false, { signal: deadline.signal }).catch(() => false);
  const inTime = await Promise.race([exited.then(() => true), late]);
  deadline.abort();
  return inTime;
}

async function waitForExit(child: ChildProcess): Promise<string> {
  const [code, signal] = await once(child, 'exit');
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type Guard = {
  pid: number;
  /** Registers a process group, by the process id of its leader and the signal that stops it. */
  add: (pid: number, stopSignal: NodeJS.Signals) => void;
  /** Removes a process group that has ended. */
  remove: (pid: number) => void;
  /** Ends the groups that are still registered. Resolves when the guard is gone. */
  close: () => Promise<void>;
};

/**
 * Starts a process that ends the registered process groups when this process is gone without ending them, even by SIGKILL: the last
 * registered group first, by its stop signal and, after 20 seconds, SIGKILL.
 */
export async function startGuard(): Promise<Guard> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'guard-process.ts')], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  const gone = once(child, 'exit');
  await once(child, 'spawn');
  // A guard that has ended cannot be told anything.
  child.stdin.on('error', () => {});
  // The guard does not keep this process running.
  child.unref();
  return {
    pid: child.pid as number,
    add: (pid, stopSignal) => void child.stdin.write(`+${pid} ${stopSignal}\n`),
    remove: (pid) => void child.stdin.write(`-${pid}\n`),
    async close() {
      child.ref();
      child.stdin.end();
      await gone;
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { startGuard } from '@latchkey/service/guard';
import { PostgresError } from './errors.ts';
import { type PostgresServer, prepareServer, type ServerOptions } from './server.ts';

const TAIL_CHARACTERS = 4_000;
const READY = 'database system is ready to accept connections';

export type RunningPostgres = Pick<PostgresServer, 'url'> & {
  pid: number;
  /** Ends open sessions and stops the server. */
  stop: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/**
 * Starts a server as a child process, which ends with this process, even by SIGKILL. Resolves when it accepts connections, rejects
 * with `PostgresError`.
 */
export async function startPostgres(options: ServerOptions): Promise<RunningPostgres> {
  const { command, args, env, url } = await prepareServer(options);
  const guard = await startGuard();
  // The server has a process group of its own: Ctrl-C ends this process, which stops the server after its last statement.
  const child = spawn(command, args, {
    cwd: '/',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  // A fast shutdown: SIGTERM would wait until every session ends by itself.
  if (child.pid !== undefined) guard.add(child.pid, 'SIGINT');
  const ended = once(child, 'exit').finally(async () => {
    if (child.pid !== undefined) guard.remove(child.pid);
    await guard.close();
  });
  // The wait for readiness below reports a command that cannot be started.
  ended.catch(() => {});
  let output = '';
  const ready = new Promise<void>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-TAIL_CHARACTERS);
      if (output.includes(READY)) resolve();
    });
  });
  const failed = ended.then(([code, signal]) => {
    throw new PostgresError(`PostgreSQL ended with ${signal ?? `exit code ${code}`}:\n${output}`);
  });
  failed.catch(() => {});
  await Promise.race([ready, failed]);
  // The server does not keep this process running; its guard stops it.
  const stderr = child.stderr as Socket;
  child.unref();
  stderr.unref();
  const stop = async (): Promise<void> => {
    child.ref();
    child.kill('SIGINT');
    await ended;
  };
  return { url, pid: child.pid as number, stop, [Symbol.asyncDispose]: stop };
}

/** A private PostgreSQL that waits for the disk as one in production does: those of the tests do not. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, postgresBin, temporaryDirectory, until } from '../../indexer/test/processes.ts';

export async function startDurablePostgres(): Promise<AsyncDisposable & { url: string }> {
  if (postgresBin === undefined) throw new Error('PostgreSQL is not on this machine.');
  const directory = temporaryDirectory(tmpdir());
  // PostgreSQL refuses to run as root.
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres']));
  const user = userInfo().uid === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;
  if (user) await chown(directory.path, user.uid, user.gid);
  const data = join(directory.path, 'cluster');
  const setup = ['-D', data, '-U', 'latchkey', '--auth', 'trust', '-E', 'UTF8'];
  await promisify(execFile)(join(postgresBin, 'initdb'), setup, { cwd: '/', ...user });
  const port = await freePort();
  const server: ChildProcess = spawn(
    join(postgresBin, 'postgres'),
    ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory.path],
    { stdio: ['ignore', 'ignore', 'pipe'], ...user },
  );
  const stop = () => server.kill('SIGQUIT');
  process.once('exit', stop);
  let output = '';
  server.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  await until('PostgreSQL is ready', async () => output.includes('ready to accept connections'));
  return {
    url: `postgres://latchkey@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      const exited = once(server, 'exit');
      stop();
      await exited;
      process.off('exit', stop);
      directory[Symbol.dispose]();
    },
  };
}

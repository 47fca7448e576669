/** The network namespace of action processes that cannot make sockets: one for all of a runner. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';

const START_TIMEOUT_MS = 10_000;

let opened: Promise<string | undefined> | undefined;

/**
 * Returns the path of a network namespace without a connection, or undefined where this process cannot make one. It exists until this
 * process ends. To remove a namespace takes the kernel five milliseconds of a processor, a tenth of a short run.
 * @param unshare - Path of the tool of util-linux.
 */
export function emptyNetwork(unshare: string): Promise<string | undefined> {
  opened ??= open(unshare).catch(() => undefined);
  return opened;
}

async function open(unshare: string): Promise<string> {
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  const holder = spawn(unshare, ['--net', '--', 'cat'], { stdio: ['pipe', 'pipe', 'ignore'] });
  holder.stdin.on('error', () => {});
  try {
    // `cat` answers in the new namespace.
    holder.stdin.write('ready\n');
    await Promise.race([
      once(holder.stdout, 'data', { signal }),
      once(holder, 'exit', { signal }).then(() => Promise.reject(new Error('unshare made no namespace'))),
    ]);
    return `/proc/${process.pid}/fd/${openSync(`/proc/${holder.pid}/ns/net`, 'r')}`;
  } finally {
    holder.kill('SIGKILL');
  }
}

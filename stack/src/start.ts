import { join, resolve } from 'node:path';
import { openPrivateDirectory } from '@latchkey/service/private-directory';
import { checkDataDir, markDataDir } from './data-dir.ts';
import { becomesHealthy } from './healthy.ts';
import { openLogs } from './logs.ts';
import type { OutputLine, PartName } from './output.ts';
import { openParts, type Part } from './parts.ts';
import { root, StackError } from './root.ts';
import { baseEnv } from './service-settings.ts';

export type StackOptions = {
  /**
   * Directory of the kept data: blocks, databases, root secret. Relative to the repository. Must be missing, empty, or of an earlier
   * stack.
   */
  dataDir: string;
  /** Directory of `<chainId>.json` (default: `deployments` in `dataDir`). Relative to the repository. */
  deploymentsDir?: string;
  /** Default 0: any free port. */
  ports?: Partial<
    Record<'relayer' | 'indexer' | 'chain' | 'stripe' | 'triggers' | 'postgres' | 'dashboard', number>
  >;
  /**
   * Further settings of indexer, relayer and triggers; the stack's own settings take precedence. With STRIPE_SECRET_KEY
   * the relayer uses Stripe instead of the stand-in.
   */
  env?: Record<string, string | undefined>;
  /** Deletes the data of earlier starts, databases in `dataDir` included. */
  isFresh?: boolean;
  /** Restarts indexer, relayer, triggers and the stand-in for Stripe when their sources change. */
  isReloading?: boolean;
  /** Does not write the chain while it runs, during which it answers nothing. A killed chain then loses its blocks. */
  isTemporary?: boolean;
  onOutput?: (output: OutputLine) => void;
  /** Aborts the start. */
  signal?: AbortSignal;
};

/** A starting stack. It breaks when a part ends by itself, and when the caller interrupts it. */
export type Start = Awaited<ReturnType<typeof beginStart>>;

/** Takes the data directory. Adds the parts to `started`, which stops them in reverse order. */
export async function beginStart(options: StackOptions, started: AsyncDisposableStack) {
  const { signal } = options;
  const dataDir = resolve(root, options.dataDir);
  const logs = started.use(openLogs(join(dataDir, 'logs')));
  const onOutput = (output: OutputLine) => {
    logs.write(output);
    options.onOutput?.(output);
  };
  const log = (line: string) => onOutput({ part: 'stack', line });

  // No unhandled rejection when a part ends before this promise has a listener.
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  const abort = () => broken.reject(new StackError('The start was interrupted.'));
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  const unlessBroken = <T>(work: Promise<T>): Promise<T> => Promise.race([work, broken.promise]);

  checkDataDir(dataDir);
  // All parts inherit the umask.
  openPrivateDirectory(dataDir, (message, { count, example }) =>
    log(`${message}: ${count}, ${example} first`),
  );
  markDataDir(dataDir);
  const parts = started.use(await openParts(dataDir, onOutput));
  logs.open();
  const over = new AbortController();
  started.defer(() => over.abort());
  const pids: Partial<Record<PartName, number>> = {};
  return {
    dataDir,
    deploymentsDir: resolve(root, options.deploymentsDir ?? join(dataDir, 'deployments')),
    log,
    env: baseEnv(),
    parts,
    /** Aborted when the stack stops. */
    over: over.signal,
    broken: broken.promise,
    fail: broken.reject,
    unlessBroken,
    pids,
    /** Stops the part together with the stack. The stack breaks when the part ends earlier. */
    keep(part: Part, stop = part.stop): void {
      started.defer(stop);
      pids[part.name] = part.pid;
      void part.exited.then((exit) => {
        if (part.isStopping()) return;
        const lines = part.tail();
        broken.reject(new StackError(`The ${part.name} ended with ${exit}.${lines && `\n${lines}`}`));
      });
    },
    becomesHealthy: (name: PartName, check: () => Promise<unknown>) =>
      unlessBroken(becomesHealthy(name, check, over.signal)),
    /** From now on the caller can no longer interrupt the start. */
    finish: () => signal?.removeEventListener('abort', abort),
  };
}

/** Restarts parts when their sources change, for `npm run dev`. */
import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Part } from './parts.ts';
import { root } from './root.ts';

/** An editor that saves several files causes one restart. */
const SETTLE_MS = 200;

export type ReloadOptions = {
  start: () => Promise<Part>;
  /** Absolute paths, watched recursively. */
  folders: string[];
  log: (line: string) => void;
};

/** Returns the source folders of a service and of the packages. */
export function sourceFolders(service: string): string[] {
  const packages = readdirSync(join(root, 'packages')).map((name) => join('packages', name));
  return [service, ...packages]
    .flatMap((folder) => [join(root, folder, 'src'), join(root, folder, 'service')])
    .filter((folder) => existsSync(folder));
}

/**
 * Starts a part and restarts it after each change of a source file. A part that ends by itself stays down until the
 * next change; `exited` resolves after `stop` only.
 */
export async function startReloading({ start, folders, log }: ReloadOptions): Promise<Part> {
  let current = await start();
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  let reloading = Promise.resolve();
  const exited = Promise.withResolvers<string>();
  const { name } = current;

  const tellOfExit = (part: Part): void => {
    void part.exited.then((exit) => {
      if (!part.isStopping())
        log(`${name} ended with ${exit}: it restarts when a file changes\n${part.tail()}`);
    });
  };
  const reload = async (file: string): Promise<void> => {
    if (isStopping) return;
    log(`restarting ${name}: ${file} changed`);
    await current.stop();
    try {
      current = await start();
      tellOfExit(current);
    } catch (error) {
      log(`failed to restart ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const watchers: FSWatcher[] = folders.map((folder) =>
    watch(folder, { recursive: true }, (_, file) => {
      if (file === null || !isSource(file)) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        reloading = reloading.then(() => reload(file));
      }, SETTLE_MS);
    }),
  );
  tellOfExit(current);

  return {
    name,
    get pid() {
      return current.pid;
    },
    exited: exited.promise,
    isStopping: () => isStopping,
    tail: () => current.tail(),
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      await reloading;
      await current.stop();
      exited.resolve(await current.exited);
    },
  };
}

function isSource(file: string): boolean {
  return /\.(?:ts|js|mjs|json|css|sql)$/.test(file) && !file.endsWith('.test.ts');
}

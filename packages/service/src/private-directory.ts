/** Data directories that only the user of this process can read. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

const OTHERS = 0o077;

/** Other users can access a data directory, and that cannot be changed. */
export class PrivateDirectoryError extends Error {
  override readonly name = 'PrivateDirectoryError';
}

type Warn = (message: string, fields: { directory: string; count: number; example: string }) => void;

/**
 * Creates a data directory (0700) with its parents, sets the umask of this process to 077, and removes the rights of
 * other users on its content. Warns when there were any. Throws `PrivateDirectoryError` when they cannot be removed.
 */
export function openPrivateDirectory(path: string, warn: Warn): void {
  process.umask(OTHERS);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new PrivateDirectoryError(`failed to create the data directory ${path}`, { cause });
  }
  const narrowed = closeToOthers(path);
  const [example] = narrowed;
  if (example !== undefined)
    warn('removed the rights of other users on data', {
      directory: path,
      count: narrowed.length,
      example,
    });
}

/**
 * Removes the rights of other users on a directory and its content; returns the paths that had any. Skips links: their
 * targets are outside the directory.
 */
function closeToOthers(directory: string): string[] {
  const narrowed: string[] = [];
  // Windows does not have these modes.
  if (process.platform !== 'win32') close(realpathSync(directory), narrowed);
  return narrowed;
}

function close(path: string, narrowed: string[]): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // Deleted after it was listed, such as temporary files of a database.
  if (found === undefined || found.isSymbolicLink()) return;
  if (found.mode & OTHERS) {
    try {
      chmodSync(path, found.mode & 0o700);
    } catch (cause) {
      if (isGone(cause)) return;
      throw notClosed(path, cause);
    }
    // Some file systems accept a mode and ignore it.
    const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if (mode & OTHERS) throw notClosed(path);
    narrowed.push(path);
  }
  if (!found.isDirectory()) return;
  let names: string[];
  try {
    names = readdirSync(path);
  } catch (cause) {
    if (isGone(cause)) return;
    throw notClosed(path, cause);
  }
  for (const name of names) close(join(path, name), narrowed);
}

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const notClosed = (path: string, cause?: unknown) =>
  new PrivateDirectoryError(
    `other users can read ${path}, and its mode cannot be changed: make this user its owner, or use another directory`,
    { cause },
  );

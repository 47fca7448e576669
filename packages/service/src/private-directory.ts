/** Directories of data that the user of this process alone can read. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

const OTHERS = 0o077;

/** A data directory cannot be closed to other users. */
export class PrivateDirectoryError extends Error {
  override readonly name = 'PrivateDirectoryError';
}

type Warn = (message: string, fields: { directory: string; count: number; example: string }) => void;

/**
 * Makes a data directory (0700) with its parents, sets the umask of this process to 077, and takes the rights of other users from
 * everything that is there. Warns when there were any; throws `PrivateDirectoryError` when they cannot be taken.
 */
export function openPrivateDirectory(path: string, warn: Warn): void {
  process.umask(OTHERS);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new PrivateDirectoryError(`failed to make the data directory ${path}`, { cause });
  }
  const mended = closeToOthers(path);
  const [example] = mended;
  if (example !== undefined)
    warn('other users could read data: took their rights away', {
      directory: path,
      count: mended.length,
      example,
    });
}

/**
 * Takes the rights of other users from a directory and from everything in it; returns what they had rights on. A link is left as
 * it is: it is not in the directory where it leads to.
 */
export function closeToOthers(directory: string): string[] {
  const mended: string[] = [];
  // Windows has no such modes.
  if (process.platform !== 'win32') close(realpathSync(directory), mended);
  return mended;
}

function close(path: string, mended: string[]): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // Deleted since it was listed: temporary files of a database.
  if (found === undefined || found.isSymbolicLink()) return;
  if (found.mode & OTHERS) {
    try {
      chmodSync(path, found.mode & 0o700);
    } catch (cause) {
      if (isGone(cause)) return;
      throw notClosed(path, cause);
    }
    // Some file systems take a mode and keep another.
    const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if (mode & OTHERS) throw notClosed(path);
    mended.push(path);
  }
  if (!found.isDirectory()) return;
  let names: string[];
  try {
    names = readdirSync(path);
  } catch (cause) {
    if (isGone(cause)) return;
    throw notClosed(path, cause);
  }
  for (const name of names) close(join(path, name), mended);
}

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const notClosed = (path: string, cause?: unknown) =>
  new PrivateDirectoryError(
    `other users can read ${path}, and its mode cannot be changed: make this user its owner, or use another directory`,
    { cause },
  );

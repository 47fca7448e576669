import { DatabaseSync } from 'node:sqlite';

/** Another process uses the directory, or another part of this one. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
}

/** The system's code of a lock that another connection holds. */
const SQLITE_BUSY = 5;

/** Keeps them from the garbage collector, which would close them. */
const held = new Set<DatabaseSync>();

/**
 * Takes a directory for the caller; returns what gives it back. The lock is the operating system's, on a file beside the
 * directory, held by way of SQLite: it ends with its process, however that ends, so that none is ever left behind.
 */
export function lockDirectory(directory: string): () => void {
  const path = `${directory}.lock`;
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    file.exec('begin exclusive');
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new DirectoryInUseError(
      `The database ${directory} is in use by another process. Stop it first, or use DATABASE_URL.`,
    );
  }
  held.add(file);
  return () => {
    held.delete(file);
    file.close();
  };
}

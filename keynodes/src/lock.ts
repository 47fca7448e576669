/**
 * The lock of a data directory. The kernel holds it for SQLite: the lock ends with the process, in whatever way that ends, and not while the
 * process is paused. No file content marks it, so that a copy of the directory is unlocked.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FileError } from '@latchkey/service/files';

/** Throws a FileError, which names the holder, while another process has the lock. */
export function lockDirectory(directory: string): Disposable {
  const database = new DatabaseSync(join(directory, 'lock'), { timeout: 0 });
  try {
    database.exec('BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS holder (name TEXT); DELETE FROM holder');
    database.prepare('INSERT INTO holder VALUES (?)').run(`process ${process.pid} on ${hostname()}`);
    // Others can read the row while this transaction is open.
    database.exec('COMMIT; BEGIN IMMEDIATE');
  } catch (cause) {
    const holder = isBusy(cause) ? holderIn(database) : undefined;
    database.close();
    if (holder === undefined) throw cause;
    throw new FileError(
      `${holder} uses the data directory ${directory}: two nodes on one directory destroy the share. Stop it, or use another directory`,
      { cause },
    );
  }
  return { [Symbol.dispose]: () => database.close() };
}

const SQLITE_BUSY = 5;
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;

function holderIn(database: DatabaseSync): string {
  try {
    return String(database.prepare('SELECT name FROM holder').get()?.name ?? 'another process');
  } catch {
    return 'another process';
  }
}

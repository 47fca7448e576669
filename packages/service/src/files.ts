/** Files of a data directory that are complete or absent, also after a power failure. */
import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The file cannot be used. The message says why. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

/**
 * Writes a file next to `path`, passes it to `place`, which gives it that name, and removes it if it is still there.
 *
 * @param complete - Its name until then.
 */
export async function writeComplete(
  path: string,
  content: string | Buffer,
  place: (complete: string) => Promise<void> | void,
  complete = `${path}.${randomUUID()}.new`,
): Promise<void> {
  try {
    {
      await using file = await open(complete, 'wx', 0o600);
      await file.writeFile(content);
      await file.sync();
    }
    await place(complete);
    await using directory = await open(dirname(path), 'r');
    await directory.sync();
  } finally {
    await rm(complete, { force: true });
  }
}

/** Creates a file. Returns false when it exists. */
export async function createFile(path: string, content: string): Promise<boolean> {
  try {
    await writeComplete(path, content, (complete) => link(complete, path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Replaces a file atomically: after a crash it has the old or the new content. */
export async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  await writeComplete(path, content, (complete) => rename(complete, path));
}

/** Reads a file and parses it. Undefined when it does not exist. Rejects with a FileError when `parse` throws. */
export async function readWhole<T>(
  path: string,
  parse: (text: string) => T,
  remedy: string,
): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (cause) {
    throw new FileError(`${path} is damaged or of another version: ${remedy}`, { cause });
  }
}

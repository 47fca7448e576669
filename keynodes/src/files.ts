/** Files of the data directory of a node. */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

/** The file cannot be used. The message says why. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

/** Returns the content of a JSON file, undefined when there is none. Rejects with a FileError when it has another form. */
export async function readJson<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new FileError(`${path} is damaged or of another version: restore a copy`, { cause });
  }
}

/** Replaces a file atomically: after a crash it has the old or the new content. */
export async function replaceFile(path: string, content: string): Promise<void> {
  await replaceFrom(`${path}.new`, path, content, () => {});
}

/** @param check Called without a turn of the event loop before the replacement. The file stays as it is when it throws. */
async function replaceFrom(
  complete: string,
  path: string,
  content: string,
  check: () => void,
): Promise<void> {
  {
    await using handle = await open(complete, 'w', 0o600);
    await handle.writeFile(content);
    await handle.sync();
  }
  check();
  renameSync(complete, path);
  await using directory = await open(dirname(path), 'r');
  await directory.sync();
}

const fenced = z.looseObject({ fence: z.string().default('') });
const fenceIn = (path: string): string => fenced.parse(JSON.parse(readFileSync(path, 'utf8'))).fence;

export type FencedFile = {
  /** Replaces the file. Rejects with a FileError, and changes nothing, after another process has taken it over. */
  replace: (content: object) => Promise<void>;
};

/**
 * Takes a JSON file over from the process that had it before, with a new random `fence` in it. That process can be paused at any point
 * of a replacement: before it has compared its fence, it finds another one; after that, its complete file is gone, and when
 * it was in time, this process begins again with what it wrote.
 *
 * @param contentFrom Returns the first content from the present one, which is undefined for none.
 */
export async function takeOver<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  contentFrom: (present: z.output<Schema> | undefined) => Promise<object>,
): Promise<FencedFile> {
  const fence = randomBytes(16).toString('hex');
  const complete = `${path}.${fence}.new`;
  const textOf = (content: object): string => `${JSON.stringify({ ...content, fence })}\n`;
  const isComplete = (name: string) => name.startsWith(`${basename(path)}.`) && name.endsWith('.new');
  do {
    const content = await contentFrom(await readJson(path, schema));
    await replaceFrom(complete, path, textOf(content), () => {});
    for (const name of await readdir(dirname(path)))
      if (isComplete(name)) await rm(join(dirname(path), name), { force: true });
  } while (fenceIn(path) !== fence);
  return {
    replace: (content) =>
      replaceFrom(complete, path, textOf(content), () => {
        if (fenceIn(path) === fence) return;
        rmSync(complete);
        throw new FileError(`another process has taken ${path} over: this one must end`);
      }),
  };
}

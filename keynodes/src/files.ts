/** Files of the data directory of a node. */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FileError, readWhole, writeComplete } from '@latchkey/service/files';
import { z } from 'zod';

/** Returns the content of a JSON file, undefined when there is none. Rejects with a FileError when it has another form. */
export const readJson = <Schema extends z.ZodType>(path: string, schema: Schema) =>
  readWhole(path, (text): z.output<Schema> => schema.parse(JSON.parse(text)), 'restore a copy');

const fenced = z.looseObject({ fence: z.string().default('') });
const fenceIn = (path: string): string => fenced.parse(JSON.parse(readFileSync(path, 'utf8'))).fence;

export type FencedFile = {
  /** Replaces the file. Rejects with a FileError, and changes nothing, after another process has taken it over. */
  replace: (content: object) => Promise<void>;
};

/**
 * Takes a JSON file over from another process by writing a new random `fence` into it. The other process can be paused at any point
 * of a replacement. Before it compares its fence, it will find another one. After that, its temporary file is gone; if it renamed the file
 * in time, this process starts again from the renamed file.
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
    await writeComplete(path, textOf(content), () => renameSync(complete, path), complete);
    for (const name of await readdir(dirname(path)))
      if (isComplete(name)) await rm(join(dirname(path), name), { force: true });
  } while (fenceIn(path) !== fence);
  return {
    replace: (content) =>
      writeComplete(
        path,
        textOf(content),
        () => {
          // Comparison and renaming in one turn of the event loop.
          if (fenceIn(path) !== fence)
            throw new FileError(`another process has taken ${path} over: this one must end`);
          renameSync(complete, path);
        },
        complete,
      ),
  };
}

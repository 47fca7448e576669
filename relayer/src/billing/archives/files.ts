/** Files of archives: compressed CSV, complete or absent. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { type ArchivedEntry, COLUMNS, parseEntry } from './entries.ts';

/** Lines are compressed and hashed in pieces of this many. */
const LINES_AT_ONCE = 500;

/** Writes the lines below the names of the columns, to the disk. Resolves to the SHA-256 of the CSV. */
export async function writeLines(path: string, entries: AsyncIterable<ArchivedEntry>): Promise<string> {
  const hash = createHash('sha256');
  let piece = [COLUMNS];
  const take = () => {
    const text = `${piece.join('\n')}\n`;
    piece = [];
    hash.update(text);
    return text;
  };
  async function* pieces(): AsyncGenerator<string> {
    for await (const { line } of entries) {
      piece.push(line);
      if (piece.length === LINES_AT_ONCE) yield take();
    }
    if (piece.length > 0) yield take();
  }
  const file = createWriteStream(path, { flush: true, mode: 0o600 });
  await pipeline(Readable.from(pieces()), createGzip(), file);
  return hash.digest('hex');
}

/** Resolves to the SHA-256 of the CSV; undefined when there is no such file. Rejects when it is damaged. */
export async function hashFile(path: string): Promise<string | undefined> {
  if (!(await exists(path))) return undefined;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), createGunzip(), hash);
  return hash.digest('hex');
}

/** Reads the entries. Rejects at a malformed line. */
export async function* readFile(path: string): AsyncGenerator<ArchivedEntry> {
  const source = createReadStream(path);
  const content = createGunzip();
  const piped = pipeline(source, content).catch(() => {});
  try {
    let isFirst = true;
    let rest = '';
    for await (const text of content.setEncoding('utf8')) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      // A reason can have line breaks: its line goes on while a quote is open.
      let part: string | undefined;
      for (const piece of lines) {
        const line: string = part === undefined ? piece : `${part}\n${piece}`;
        part = (line.split('"').length - 1) % 2 === 1 ? line : undefined;
        if (part !== undefined) continue;
        if (!isFirst) yield parseEntry(line);
        else if (line !== COLUMNS) throw new Error('the first line is not the names of the columns');
        isFirst = false;
      }
      if (part !== undefined) rest = `${part}\n${rest}`;
    }
    if (rest !== '') throw new Error('the last line is not complete');
  } finally {
    source.destroy();
    content.destroy();
    await piped;
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Gives a written file its name, on the disk. */
export async function place(written: string, path: string): Promise<void> {
  await rename(written, path);
  await using directory = await open(dirname(path), 'r');
  await directory.sync();
}

export const remove = (path: string): Promise<void> => rm(path, { force: true });

/**
 * Modules on disk: contents by their hash, and for each URL the hash of its first use. Every read is verified. Contents above the
 * limit are deleted, the least recently used first; the hashes stay.
 */
import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type ModuleStore = {
  /** Returns the hash of the first use of the URL. */
  hashOf: (url: string) => Promise<string | undefined>;
  /** Returns the content with this hash; undefined when it is missing or damaged. */
  read: (hash: string) => Promise<Buffer | undefined>;
  /** Stores a content, and its hash for the URL if there is none. Returns the hash of the first use. */
  write: (url: string, content: Buffer) => Promise<string>;
};

/** Returns Subresource Integrity: `sha384-` and base64. */
export const hashOfModule = (content: Uint8Array): string =>
  `sha384-${createHash('sha384').update(content).digest('base64')}`;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

export async function openModuleStore(directory: string, maxBytes: number): Promise<ModuleStore> {
  const [contents, urls] = [join(directory, 'contents'), join(directory, 'urls')];
  for (const path of [contents, urls]) await mkdir(path, { recursive: true, mode: 0o700 });
  const contentPath = (hash: string): string =>
    join(contents, Buffer.from(hash.slice('sha384-'.length), 'base64').toString('hex'));
  const urlPath = (url: string): string => join(urls, createHash('sha256').update(url).digest('hex'));

  let bytes = (await listContents(contents)).reduce((sum, { size }) => sum + size, 0);
  let sweeping: Promise<void> | undefined;
  const sweep = async (): Promise<void> => {
    const oldest = (await listContents(contents)).sort((a, b) => a.usedAt - b.usedAt);
    bytes = oldest.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of oldest) {
      if (bytes <= maxBytes) break;
      await rm(path, { force: true });
      bytes -= size;
    }
  };

  return {
    hashOf: (url) => readRecord(urlPath(url)),
    async read(hash) {
      const path = contentPath(hash);
      try {
        const content = await readFile(path);
        if (hashOfModule(content) !== hash) return undefined;
        const now = new Date();
        await utimes(path, now, now);
        return content;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async write(url, content) {
      const hash = hashOfModule(content);
      await writeWhole(contentPath(hash), content, rename);
      await writeWhole(urlPath(url), hash, linkFirst);
      bytes += content.length;
      if (bytes > maxBytes) {
        sweeping ??= sweep().finally(() => {
          sweeping = undefined;
        });
        await sweeping;
      }
      return (await readRecord(urlPath(url))) ?? hash;
    },
  };
}

async function readRecord(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

type Publish = (unfinished: string, path: string) => Promise<void>;

/** Keeps an existing file: one of several concurrent first uses counts, also across runners. */
const linkFirst: Publish = async (unfinished, path) => {
  await link(unfinished, path).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(unfinished);
};

/** After a crash the file has its whole content or does not exist. */
async function writeWhole(path: string, content: Buffer | string, publish: Publish): Promise<void> {
  const unfinished = `${path}.${randomUUID()}`;
  await writeFile(unfinished, content, { mode: 0o600, flush: true });
  await publish(unfinished, path);
}

async function listContents(directory: string): Promise<{ path: string; size: number; usedAt: number }[]> {
  const names = await readdir(directory);
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      const found = await stat(path).catch(() => undefined);
      return found ? [{ path, size: found.size, usedAt: found.mtimeMs }] : [];
    }),
  );
  return files.flat();
}

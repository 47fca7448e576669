/** Files of code: found in folders, read with bounds, rewritten, and written. */
import { lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cidOf } from '@latchkey/protocol';
import { compileSource } from '../actions/compile.ts';
import { UsageError } from '../errors.ts';
import { ParseError, type Rewritten, rewrite } from './rewrite.ts';

const CODE = /(?<!\.d)\.(?:[cm]?[jt]s|[jt]sx)$/;
/** The limit of the service for code. */
const MAX_BYTES = 16_777_216;
const MAX_FILES = 10_000;

export type FileReport = Omit<Rewritten, 'code' | 'isAction'> & {
  file: string;
  /** The file is left as it is, for this reason. */
  error?: string;
  /** Of actions: the CIDs of the code before and after. */
  cids?: { from: string; to: string };
};

/** Returns the files of code in files and folders, without those that folders link to. */
export async function findCode(paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const add = async (path: string, isNamed: boolean): Promise<void> => {
    const stats = await lstat(path).catch(() => undefined);
    if (!stats) throw new UsageError(`${path}: no such file or folder`);
    if (stats.isDirectory())
      for (const name of (await readdir(path)).sort())
        if (name !== 'node_modules' && !name.startsWith('.')) await add(join(path, name), false);
    if (stats.isDirectory() || (!isNamed && !(stats.isFile() && CODE.test(path)))) return;
    found.add(path);
    if (found.size > MAX_FILES) throw new UsageError(`more than ${MAX_FILES} files`, 'Name fewer folders.');
  };
  for (const path of paths) await add(path, true);
  if (found.size === 0) throw new UsageError('there are no JavaScript or TypeScript files');
  return [...found];
}

/** Returns the text of a file, and rejects with a `ParseError` for one that is not code. */
export async function readCode(path: string): Promise<string> {
  if (!CODE.test(path)) throw new ParseError('is not a JavaScript or TypeScript file');
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new ParseError(`cannot be read: ${error.code}`);
  });
  if (bytes.length > MAX_BYTES) throw new ParseError(`has more than ${MAX_BYTES} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ParseError('is not UTF-8');
  }
}

/** Returns the CID of the code that the service would get, or undefined when other files belong to it. */
export async function cidOfSource(path: string, source: string): Promise<string | undefined> {
  const code = await compileSource(path, source);
  return code === undefined ? undefined : cidOf(code);
}

async function migrateFile(file: string, isDryRun: boolean): Promise<FileReport> {
  try {
    const source = await readCode(file);
    const { code, isAction, changes, notes } = rewrite(file, source);
    const [from, to] = isAction ? [await cidOfSource(file, source), await cidOfSource(file, code)] : [];
    if (!isDryRun && code !== source)
      await writeFile(file, code).catch((error: NodeJS.ErrnoException) => {
        throw new Error(`cannot be written: ${error.code}`);
      });
    return { file, changes, notes, ...(from !== undefined && to !== undefined && { cids: { from, to } }) };
  } catch (error) {
    return { file, changes: [], notes: [], error: reasonOf(error) };
  }
}

/** Deep code overflows the stack of the parser, or of what walks over it. */
const reasonOf = (error: unknown): string =>
  error instanceof RangeError ? 'is nested too deeply' : (error as Error).message;

/** Rewrites files, one after another. A file that fails stays as it is, and the others go on. */
export async function migrateCode(paths: readonly string[], isDryRun: boolean): Promise<FileReport[]> {
  const reports: FileReport[] = [];
  for (const file of await findCode(paths)) reports.push(await migrateFile(file, isDryRun));
  return reports;
}

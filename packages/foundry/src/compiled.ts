/** The compiled contracts that come with a checkout, so that a first start needs no compiler. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { readIfPresent } from './read.ts';

/** The files of forge's directories `out` and `cache`: path in the repository to text. */
export type Compiled = Record<string, string>;

const FILE = 'snapshots/compiled.json.br';
export const CACHE_FILE = 'cache/solidity-files-cache.json';

export async function readCompiled(root: string): Promise<Compiled> {
  const packed = await readFile(join(root, FILE));
  return JSON.parse((await promisify(brotliDecompress)(packed)).toString());
}

export async function writeCompiled(root: string, compiled: Compiled): Promise<void> {
  const packed = await promisify(brotliCompress)(JSON.stringify(compiled), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  await writeFile(join(root, FILE), packed);
}

/** Puts the compiled contracts where forge looks for them, unless it has compiled before. It then compiles what differs from them. */
export async function unpackCompiled(root: string): Promise<void> {
  if ((await readIfPresent(join(root, CACHE_FILE))) !== undefined) return;
  const { [CACHE_FILE]: index = '', ...artifacts } = await readCompiled(root);
  for (const [path, text] of Object.entries(artifacts)) await write(join(root, path), text);
  // Last, because it tells forge that the others are there.
  await write(join(root, CACHE_FILE), index);
}

/** Never leaves a part of the file to another process. */
async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${process.pid}`, text);
  await rename(`${path}.${process.pid}`, path);
}

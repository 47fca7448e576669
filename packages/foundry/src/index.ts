/** The programs of foundry, as packages of npm. */
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isAlive } from '@latchkey/service/is-alive';
import { readIfPresent } from './read.ts';

const CACHE = join(import.meta.dirname, '../../../cache');
const CACHE_FILE = 'solidity-files-cache.json';
const launchers = { anvil: '@foundry-rs/anvil/bin.mjs', forge: '@foundry-rs/forge/bin.mjs' };

/** Returns the executable of one of foundry's npm packages; their own launchers would add a process. */
export function foundryBinary(tool: keyof typeof launchers): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const launcher = createRequire(import.meta.url).resolve(launchers[tool]);
  return createRequire(launcher).resolve(`@foundry-rs/${tool}-${process.platform}-${arch}/bin/${tool}`);
}

/**
 * Runs a command of forge on a copy of its cache, which takes the place of the cache when the command has changed it. On the cache itself,
 * each command writes the whole file in place, and another one that reads a part of it compiles everything again. Records of transactions
 * have the URL of their node; they are deleted with the copy, or by the next command when this process is killed.
 * @param run Starts forge with these variables of the environment, and resolves when it has ended.
 */
export async function withForgeCache<Result>(
  run: (variables: { FOUNDRY_CACHE_PATH: string }) => Result | Promise<Result>,
  cache = CACHE,
): Promise<Result> {
  await mkdir(cache, { recursive: true });
  await removeLeftovers(cache);
  const directory = await mkdtemp(join(cache, `copy-${process.pid}-`));
  try {
    const [shared, copy] = [cache, directory].map((path) => join(path, CACHE_FILE)) as [string, string];
    const before = await readIfPresent(shared);
    if (before !== undefined) await writeFile(copy, before);
    const result = await run({ FOUNDRY_CACHE_PATH: directory });
    const after = await readIfPresent(copy);
    // A killed forge leaves a part of it.
    if (after !== before && after?.endsWith('}')) await rename(copy, shared);
    return result;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Removes the copies of processes that were killed. */
async function removeLeftovers(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const pid = Number(/^copy-(\d+)-/.exec(name)?.[1]);
    if (pid && !isAlive(pid)) await rm(join(cache, name), { recursive: true, force: true });
  }
}

/** The directories that a stack may use for its data: it makes the content private, and `--fresh` deletes most of it. */
import { existsSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import { root, StackError } from './root.ts';
import { OPERATOR_TOKEN } from './service-settings.ts';

/** Content of a directory that marks it as data of a stack. */
const MARKER = 'latchkey-stack';
/** Content by which the data of earlier versions is known. */
const EARLIER_MARKERS = ['stack.lock', join('postgres', 'password')];

/**
 * Throws a StackError unless the directory is missing, empty or data of a stack. The `.data` of the repository needs no marker:
 * tests and tools also write there.
 */
export function checkDataDir(path: string): void {
  if (!existsSync(path)) return;
  const directory = realpathSync(path);
  const refuse = (reason: string) =>
    new StackError(`${path} cannot be the data directory: ${reason}. Choose an empty or a new directory.`);
  if (!relative(directory, realpathSync(root)).startsWith('..'))
    throw refuse('it contains the sources of this repository');
  if (directory === join(realpathSync(root), '.data')) return;
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch (cause) {
    throw refuse(`it cannot be read (${(cause as Error).message})`);
  }
  const isOfStack = [MARKER, ...EARLIER_MARKERS].some((name) => existsSync(join(directory, name)));
  if (names.length > 0 && !isOfStack) throw refuse('it has files that are not of a stack');
}

export function markDataDir(path: string): void {
  writeFileSync(join(path, MARKER), 'The data of a local stack. npm run up -- --fresh deletes it.\n');
}

/** Deletes what an earlier stack has stored. */
export async function deleteData(
  { dataDir, deploymentsDir }: { dataDir: string; deploymentsDir: string },
  log: (line: string) => void,
): Promise<void> {
  log(`deleting the blocks, databases and keys in ${relative(root, dataDir)}`);
  const deleted = [
    'chain',
    'postgres',
    'stripe',
    'keynodes',
    'runner',
    'relayer',
    'triggers',
    'broadcast',
    'first-account.json',
    OPERATOR_TOKEN,
  ];
  const paths = [
    ...deleted.map((name) => join(dataDir, name)),
    join(deploymentsDir, `${LOCAL_CHAIN_ID}.json`),
  ];
  for (const path of paths) await rm(path, { recursive: true, force: true });
}

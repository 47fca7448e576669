/** Another version of the services: a commit, unpacked beside this tree. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '@latchkey/bundle';
import { root, temporaryDirectory } from '@latchkey/testing/processes';

/** Returns the bundled program of an entry, for example `relayer/src/main.ts`. */
export type Version = (entry: string) => Promise<string>;

/** Scope of the packages of the repository. */
const OWN = '@latchkey';
/** Folder of bundles. */
const CACHE = '.cache';

/** The version of this tree. */
export const present: Version = (entry) => bundle(entry);

/**
 * Unpacks a commit, with the packages that are installed in this tree.
 * @param ref - A commit, tag or branch of this repository.
 */
export function openCheckout(ref: string): Disposable & { version: Version } {
  const directory = temporaryDirectory();
  const path = join(root, directory.path);
  const archive = execFileSync('git', ['archive', ref], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', path], { input: archive });
  const lock = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (lock(path) !== lock(root))
    console.warn(`${ref} has another package-lock.json: it runs with the packages of this tree`);
  for (const folder of ['.', ...workspaces(path)]) linkPackages(join(root, folder), join(path, folder));
  return {
    async version(entry) {
      // Its own bundler, in a process of its own: a bundle finds the files beside its sources.
      const script = `import { bundle } from '@latchkey/bundle'; console.log(await bundle(${JSON.stringify(entry)}))`;
      const evaluate = ['--input-type=module', '--eval', script];
      const { stdout } = await promisify(execFile)(process.execPath, evaluate, { cwd: join(path, 'stack') });
      return stdout.trim();
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

const workspaces = (path: string): string[] =>
  ['packages', '.'].flatMap((parent) =>
    readdirSync(join(path, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
      .map(({ name }) => join(parent, name)),
  );

/** Links each installed package. The packages of the repository are links to its own folders. */
function linkPackages(from: string, to: string): void {
  const installed = join(from, 'node_modules');
  if (!existsSync(installed)) return;
  const made = join(to, 'node_modules');
  mkdirSync(join(made, OWN), { recursive: true });
  for (const name of readdirSync(installed))
    if (name !== OWN && name !== CACHE) symlinkSync(join(installed, name), join(made, name));
  const own = join(installed, OWN);
  if (existsSync(own))
    for (const name of readdirSync(own)) symlinkSync(readlinkSync(join(own, name)), join(made, OWN, name));
}

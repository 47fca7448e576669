/** The package as users get it: packed, installed in an empty folder, and run there. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const sdk = join(import.meta.dirname, '..');
const typescript = join(sdk, 'node_modules/typescript/bin/tsc');

export type Installed = AsyncDisposable & {
  /** The folder of the application. */
  directory: string;
  /** Paths in the tarball. */
  packed: string[];
  /** Runs the compiler in the folder. Resolves with its output, one error per line. */
  compile: (options: string[]) => Promise<string[]>;
  /** Returns the executable of a Node of this major version. */
  findNode: (major: number) => Promise<string>;
};

/** Packs the SDK and installs it with viem in a new folder. */
export async function installPacked(): Promise<Installed> {
  const base = await mkdtemp(join(tmpdir(), 'latchkey-sdk-'));
  const npm = (args: string[], cwd: string) =>
    run('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel', 'error'], { cwd });
  const { stdout } = await npm(['pack', '--json', '--pack-destination', base], sdk);
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
    { filename: string; files: { path: string }[] },
  ];
  const directory = join(base, 'app');
  await mkdir(directory);
  await writeFile(join(directory, 'package.json'), '{"private": true, "type": "module"}');
  const { peerDependencies } = JSON.parse(await readFile(join(sdk, 'package.json'), 'utf8'));
  // The lowest version that the package accepts.
  const viem = `viem@${peerDependencies.viem.replace('^', '')}`;
  await npm(['install', join(base, filename), viem], directory);
  return {
    directory,
    packed: files.map(({ path }) => path),
    async compile(options) {
      const typeRoots = join(sdk, '../../node_modules/@types');
      const args = [typescript, '--pretty', 'false', '--typeRoots', typeRoots, ...options];
      return run(process.execPath, args, { cwd: directory }).then(
        () => [],
        ({ stdout }: { stdout: string }) => stdout.trim().split('\n'),
      );
    },
    async findNode(major) {
      const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
      const prefix = join(base, `node-${major}`);
      const executable = join(prefix, 'node_modules', name, 'bin/node');
      if (!existsSync(executable)) {
        await mkdir(prefix, { recursive: true });
        await npm(['install', '--prefix', prefix, `${name}@${major}`], prefix);
      }
      return executable;
    },
    async [Symbol.asyncDispose]() {
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Packages as users get them: packed, installed in an empty folder, and run there. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './processes.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const typescript = join(root, 'packages/sdk/node_modules/typescript/bin/tsc');

export type Installed = AsyncDisposable & {
  /** The folder of the application. */
  directory: string;
  /** Paths in the tarball of the first package. */
  packed: string[];
  /** Runs the compiler in the folder. Resolves with its output, one error per line. */
  compile: (options: string[]) => Promise<string[]>;
  /** Compiles a program as `<name>.js` for Node. Resolves with the errors. */
  build: (name: string, program: string) => Promise<string[]>;
  /** Returns the executable of a Node of this major version. */
  findNode: (major: number) => Promise<string>;
};

const npm = (args: string[], cwd: string) =>
  run('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel', 'error'], { cwd });

/** Packs a package into a folder. Packing builds it beside its sources: one process of a test run at a time. */
async function pack(name: string, folder: string): Promise<{ tarball: string; files: string[] }> {
  const lock = join(tmpdir(), `latchkey-packing-${process.ppid}`);
  const take = async () => {
    await mkdir(lock);
    return true;
  };
  await until('no other process packs', take, 600_000);
  try {
    const args = ['pack', '--json', '--pack-destination', folder];
    const { stdout } = await npm(args, join(root, 'packages', name));
    const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
      { filename: string; files: { path: string }[] },
    ];
    return { tarball: join(folder, filename), files: files.map(({ path }) => path) };
  } finally {
    await rmdir(lock);
  }
}

/** Packs packages of the repository and installs them in a new folder, with the viem of the first one, and other packages of the registry. */
export async function installPacked(names: string[], others: string[] = []): Promise<Installed> {
  const base = await mkdtemp(join(tmpdir(), 'latchkey-installed-'));
  const packed: Awaited<ReturnType<typeof pack>>[] = [];
  for (const name of names) packed.push(await pack(name, base));
  const directory = join(base, 'app');
  await mkdir(directory);
  await writeFile(join(directory, 'package.json'), '{"private": true, "type": "module"}');
  const manifest = await readFile(join(root, 'packages', names[0] as string, 'package.json'), 'utf8');
  const range: string | undefined = JSON.parse(manifest).peerDependencies?.viem;
  // The lowest version that the package accepts.
  const viem = range === undefined ? [] : [`viem@${range.replace('^', '')}`];
  await npm(['install', ...packed.map(({ tarball }) => tarball), ...viem, ...others], directory);
  const compile = async (options: string[]): Promise<string[]> => {
    const typeRoots = join(root, 'node_modules/@types');
    const args = [typescript, '--pretty', 'false', '--typeRoots', typeRoots, ...options];
    return run(process.execPath, args, { cwd: directory }).then(
      () => [],
      ({ stdout }: { stdout: string }) => stdout.trim().split('\n'),
    );
  };
  return {
    directory,
    compile,
    async build(name, program) {
      await writeFile(join(directory, `${name}.ts`), program);
      const config = { files: [`${name}.ts`], compilerOptions: { types: ['node'] } };
      await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config));
      return compile('-p . --strict --target es2022 --module nodenext --skipLibCheck'.split(' '));
    },
    packed: packed[0]?.files ?? [],
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

/** Returns the examples of a page in TypeScript as one program, with the URLs of a stack in place of those of the local one. */
export function readProgram(page: string, urls: Record<string, string>): string {
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = '']) => text);
  return Object.entries(urls).reduce(
    (program, [shown, url]) => program.replaceAll(shown, url),
    blocks.join('\n'),
  );
}

/** Returns what the comments of a program say that its lines print. */
export const documentedOutput = (program: string): string[] =>
  [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = '']) => text);

/** Returns printed lines, with long hex digits as pages show them. */
export const printedLines = (stdout: string): string[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => line.replace(/\b0x[0-9a-fA-F]{8,}/g, '0x…'));

/** Packages as users get them: packed, installed in an empty folder, and run there. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Packed, pack } from '@latchkey/bundle/pack';
import { PACKED_VARIABLE } from './packed-setup.ts';
import { root } from './processes.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const typescript = join(root, 'packages/sdk/node_modules/typescript/bin/tsc');
const tools = join(root, 'node_modules/.cache/tools');

export type Installed = AsyncDisposable & {
  /** The folder of the application. */
  directory: string;
  packages: Packed[];
  /** Runs the compiler in the folder, by default the older one of the SDK. Resolves with its output, one error per line. */
  compile: (options: string[], compiler?: string) => Promise<string[]>;
  /** Compiles a program as `<name>.js` for Node. Resolves with the errors. */
  build: (name: string, program: string) => Promise<string[]>;
};

const npm = (args: string[], cwd: string) =>
  run('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel', 'error'], { cwd });

/** Runs `work` in one process of a test run at a time. */
async function alone<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = process.env[PACKED_VARIABLE];
  if (folder === undefined) throw new Error(`${PACKED_VARIABLE} is not set`);
  const lock = join(folder, 'lock');
  const take = async () => {
    await mkdir(lock);
    return true;
  };
  await until('no other process packs', take, 600_000);
  try {
    return await work(folder);
  } finally {
    await rmdir(lock);
  }
}

/** Packs a package once per test run. */
const packOnce = (name: string): Promise<Packed> =>
  alone(async (folder) => {
    const result = join(folder, `${name}.json`);
    if (!existsSync(result)) await writeFile(result, JSON.stringify(await pack(name, folder)));
    return JSON.parse(await readFile(result, 'utf8'));
  });

/** Returns a file of a package of the registry, which is installed once per checkout. */
function findTool(name: string, version: string, file: string): Promise<string> {
  const prefix = join(tools, `${name.replace('/', '+')}@${version}`);
  const path = join(prefix, 'node_modules', name, file);
  return alone(async () => {
    if (!existsSync(path)) {
      await mkdir(prefix, { recursive: true });
      await npm(['install', '--prefix', prefix, `${name}@${version}`], prefix);
    }
    return path;
  });
}

const platform = process.platform === 'win32' ? 'win' : process.platform;

/** Returns the executable of a Node of this major version. */
export async function findNode(major: number): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  return findTool(`node-${platform}-${process.arch}`, String(major), 'bin/node');
}

/** Returns the executable of Bun. */
export const findBun = (): Promise<string> =>
  findTool(
    `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`,
    '1.4.5',
    'bin/bun',
  );

/** Packs packages of the repository and installs them in a new folder, with the viem that they need, and other packages of the registry. */
export async function installPacked(names: string[], others: string[] = []): Promise<Installed> {
  const packages: Packed[] = [];
  for (const name of names) packages.push(await packOnce(name));
  const base = await mkdtemp(join(tmpdir(), 'latchkey-installed-'));
  const directory = join(base, 'app');
  await mkdir(directory);
  await writeFile(join(directory, 'package.json'), '{"private": true, "type": "module"}');
  const range = packages.map(({ manifest }) => manifest.peerDependencies?.viem).find(Boolean);
  // The lowest version that the packages accept.
  const viem = range === undefined ? [] : [`viem@${range.replace('^', '')}`];
  await npm(['install', ...packages.map(({ tarball }) => tarball), ...viem, ...others], directory);
  const compile = async (options: string[], compiler = typescript): Promise<string[]> => {
    const typeRoots = join(root, 'node_modules/@types');
    const args = [compiler, '--pretty', 'false', '--typeRoots', typeRoots, ...options];
    return run(process.execPath, args, { cwd: directory }).then(
      () => [],
      ({ stdout }: { stdout: string }) => stdout.trim().split('\n'),
    );
  };
  return {
    directory,
    packages,
    compile,
    async build(name, program) {
      await writeFile(join(directory, `${name}.ts`), program);
      const config = { files: [`${name}.ts`], compilerOptions: { types: ['node'] } };
      await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config));
      return compile('-p . --strict --target es2022 --module nodenext --skipLibCheck'.split(' '));
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

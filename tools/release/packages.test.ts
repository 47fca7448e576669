/**
 * The public packages in an empty folder: their files, publint and arethetypeswrong, their types in each resolution, and one program with all
 * libraries in each runtime and bundle. Their own package.test.ts run them with the services.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publicPackages } from '@latchkey/bundle/pack';
import { denoBinary } from '@latchkey/fork-server';
import {
  documentedOutput,
  findBun,
  findNode,
  type Installed,
  installPacked,
  printedLines,
  readProgram,
} from '@latchkey/testing/installed';
import { build as esbuild } from 'esbuild';
import { build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFaults } from './check.ts';
import { commonJs, output, program, startService, types } from './sample-service.ts';

const run = promisify(execFile);
/** Every runtime, resolution and bundler, which take minutes of a processor; otherwise one of each. */
const isFull = process.env.PACKAGE_MATRIX === 'full';
const majors = isFull ? [20, 22, 24] : [24];

let installed: Installed;
let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  service = await startService();
  installed = await installPacked(
    [...publicPackages],
    ['ethers@6.17.0', '@wagmi/core@3.6.5', '@solana/kit@8.4.0', ...(isFull ? ['webpack@5.113.0'] : [])],
  );
  await writeFile(join(installed.directory, 'program.js'), program(service.url));
  await writeFile(join(installed.directory, 'program.cjs'), commonJs(service.url));
}, 1_200_000);
afterAll(async () => {
  await installed?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const find = (folder: string) => {
  const packed = installed.packages.find(({ manifest }) => manifest.name === `@latchkey/${folder}`);
  if (!packed) throw new Error(`${folder} is not packed`);
  return packed;
};

describe('the tarball', () => {
  const modules = (...names: string[]) => names.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]);
  const vectors = ['cids', 'hashes', 'run-receipt', 'typed-data'].map((name) => `vectors/${name}.json`);
  /** Paths beside package.json, the README and the license. */
  const contents: Record<string, string[]> = {
    action: ['tsconfig.action.json', 'types/index.d.ts'],
    cli: ['dist/licenses.txt', 'dist/main.js'],
    ethers: modules('index', 'v5'),
    mcp: ['dist/licenses.txt', 'dist/main.js', 'skills/latchkey/SKILL.md'],
    protocol: [...modules('index', 'passkey', 'secret-cipher'), ...vectors],
    sdk: [...modules('api', 'index'), 'dist/licenses.txt', 'docs/README.md'],
    viem: modules('index', 'provider', 'solana', 'wagmi'),
  };

  test.each(publicPackages)('of %s has what users need, and no sources, tests or scripts', (name) => {
    // Code that several modules share, or that is loaded when it is needed, has a hash in its name.
    const files = find(name).files.filter((path) => !/-[A-Z0-9]{8}\.js$|-[\w-]{8}\.d\.ts$/.test(path));
    const expected = [...(contents[name] ?? []), 'LICENSE', 'README.md', 'package.json'];
    expect(files.toSorted()).toEqual(expected.toSorted());
  });

  test.each(publicPackages)('of %s has a manifest without scripts, sources and private packages', (name) => {
    const { manifest } = find(name);
    const { scripts, devDependencies, dependencies, peerDependencies, exports } = manifest;
    expect([scripts, devDependencies]).toEqual([undefined, undefined]);
    expect(JSON.stringify(exports)).not.toContain('/src/');
    for (const [needed, range] of Object.entries({ ...dependencies, ...peerDependencies }))
      if (needed.startsWith('@latchkey/')) {
        expect(range).toBe(`^${manifest.version}`);
        expect(publicPackages).toContain(needed.slice('@latchkey/'.length));
      }
  });

  test.each(publicPackages)('of %s has no finding of publint and arethetypeswrong', async (name) => {
    expect(await findFaults(find(name))).toEqual([]);
  });

  test('without the types of an entry has findings', async () => {
    const broken = await mkdtemp(join(tmpdir(), 'latchkey-broken-'));
    const packed = find('ethers');
    await cp(packed.directory, broken, { recursive: true });
    await rm(join(broken, 'dist/v5.d.ts'));
    const { stdout } = await run('npm', ['pack', '--json'], { cwd: broken });
    const [{ filename }] = JSON.parse(stdout);
    const faults = await findFaults({ ...packed, directory: broken, tarball: join(broken, filename) });
    expect(faults.join('\n')).toMatch(/publint: .*v5\.d\.ts/);
    expect(faults.join('\n')).toMatch(/arethetypeswrong: .*v5/);
    await rm(broken, { recursive: true });
  });
});

describe('types', () => {
  const strict = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022 --noEmit';
  const typescript = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
  const own = (line: string) => !/^node_modules\/(?!@latchkey\/[\w-]+\/(?!node_modules))/.test(line);

  const resolutions: [name: string, options: string, file: string][] = [
    ['nodenext', '--module nodenext', 'types.ts'],
    ['node16', '--module node16', 'types.ts'],
    ['bundler', '--module esnext --moduleResolution bundler', 'types.ts'],
    ['nodenext, imported by CommonJS,', '--module nodenext', 'types.cts'],
  ];
  test.each(isFull ? resolutions : resolutions.slice(0, 1))(
    'of %s are complete, also with declarations checked',
    async (_name, resolution, file) => {
      await writeFile(join(installed.directory, file), types);
      const options = { lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] };
      const config = { files: [file], compilerOptions: options };
      await writeFile(join(installed.directory, 'tsconfig.json'), JSON.stringify(config));
      const args = `-p . ${strict} ${resolution} --skipLibCheck false`.split(' ');
      const complaints = await installed.compile(args, typescript);
      expect(complaints.filter(own)).toEqual([]);
    },
    240_000,
  );
});

describe('a program with all libraries runs', () => {
  const runtimes: [name: string, command: () => Promise<[string, ...string[]]>][] = [
    ...majors.flatMap((major): typeof runtimes => [
      [`in Node ${major}`, async () => [await findNode(major), 'program.js']],
      [`in Node ${major} as CommonJS`, async () => [await findNode(major), 'program.cjs']],
    ]),
    ['in Deno', async () => [denoBinary(), 'run', '--allow-all', '--no-remote', 'program.js']],
    ['in Bun', async () => [await findBun(), 'program.js']],
  ];
  test.each(isFull ? runtimes : runtimes.filter(([name]) => name !== 'in Bun'))(
    '%s',
    async (_name, find) => {
      const [command, ...args] = await find();
      const { stdout } = await run(command, args, { cwd: installed.directory, timeout: 120_000 });
      expect(stdout).toBe(`${output}\n`);
    },
    600_000,
  );

  /** Bundlers for a browser: each writes `bundle/<name>.js`. */
  const bundlers: Record<string, (entry: string, folder: string) => Promise<unknown>> = {
    esbuild: (entry, outdir) =>
      esbuild({
        entryPoints: { esbuild: entry },
        outdir,
        bundle: true,
        format: 'esm',
        splitting: true,
        minify: true,
      }),
    Vite: (entry, outDir) =>
      vite({
        root: installed.directory,
        configFile: false,
        logLevel: 'error',
        build: {
          outDir,
          emptyOutDir: false,
          target: 'es2022',
          modulePreload: false,
          rolldownOptions: { input: entry, output: { entryFileNames: 'Vite.js' } },
        },
      }),
    webpack: async (entry, path) => {
      const webpack = createRequire(join(installed.directory, 'package.json'))('webpack');
      const compiler = webpack({
        mode: 'production',
        optimization: { minimize: false },
        context: installed.directory,
        entry,
        target: ['web', 'es2022'],
        experiments: { outputModule: true },
        output: { path, filename: 'webpack.js', module: true, chunkFormat: 'module' },
        performance: false,
      });
      const stats = await promisify(compiler.run.bind(compiler))();
      expect(stats.toJson({ all: false, errors: true, warnings: true })).toMatchObject({
        errors: [],
        warnings: [],
      });
      await promisify(compiler.close.bind(compiler))();
    },
  };
  test.each(Object.entries(bundlers).filter(([name]) => isFull || name === 'esbuild'))(
    'in a bundle of %s',
    async (name, bundle) => {
      const folder = join(installed.directory, 'bundle');
      await mkdir(folder, { recursive: true });
      await bundle(join(installed.directory, 'program.js'), folder);
      const { stdout } = await run(process.execPath, [join(folder, `${name}.js`)], { cwd: folder });
      expect(stdout).toBe(`${output}\n`);
    },
    240_000,
  );
});

test('the README of protocol prints its documented output', async () => {
  const readme = readProgram(await readFile(join(find('protocol').directory, 'README.md'), 'utf8'), {});
  expect(await installed.build('readme', readme)).toEqual([]);
  const { stdout } = await run(process.execPath, ['readme.js'], { cwd: installed.directory });
  expect(printedLines(stdout)).toEqual(documentedOutput(readme));
}, 240_000);

test.each(majors)('the commands start on Node %i', { timeout: 600_000 }, async (major) => {
  const node = await findNode(major);
  for (const name of ['cli', 'mcp']) {
    const { manifest } = find(name);
    const [[command, file] = ['', '']] = Object.entries(manifest.bin ?? {});
    const path = join(installed.directory, 'node_modules', manifest.name, file);
    expect((await readFile(path, 'utf8')).startsWith('#!/usr/bin/env node\n')).toBe(true);
    const { stdout } = await run(node, [path, '--help']);
    expect(stdout).toContain(command);
  }
});

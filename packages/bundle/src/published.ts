/**
 * Writes `dist/` of the package in the working directory, as it is published: ES modules and their declarations, one of each for an entry of its
 * `exports`. Its dependencies are installed with it; packages of the repository that are not among them are bundled into both.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { collectLicenses } from './licenses.ts';
import { isSource } from './manifest.ts';

type Manifest = {
  exports: Record<string, string>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

const root = process.cwd();
const packages = dirname(root);
const outdir = join(root, 'dist');
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
/** Another version of an installed package has a name of its own here. */
const aliases = { ethers5: 'ethers' };

/** Sources by the name of their module in `dist/`. */
const entries = Object.fromEntries(
  Object.values(manifest.exports)
    .filter(isSource)
    .map((path) => [basename(path, '.ts'), path]),
);

await rm(outdir, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: entries,
  absWorkingDir: root,
  outdir,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  // Code that is loaded when it is needed has a file of its own.
  splitting: true,
  chunkNames: '[name]-[hash]',
  external: installed,
  alias: aliases,
  legalComments: 'none',
  metafile: true,
});
const licenses = collectLicenses(root, metafile);
if (licenses !== '') await writeFile(join(outdir, 'licenses.txt'), licenses);
/** Packages of the repository that are bundled. The compiler writes declarations of packages only when they are named. */
const bundled = Object.keys(metafile.inputs).filter((path) => /^\.\.\/[\w-]+\/src\/index\.ts$/.test(path));

// The compiler writes the declarations of each file. The plugin alone compiles the sources a second time, several times as slowly.
await using directory = await mkdtempDisposable(join(tmpdir(), 'latchkey-declarations-'));
const emitted = directory.path;
const config = join(emitted, 'tsconfig.json');
await writeFile(
  config,
  JSON.stringify({
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: packages,
      outDir: emitted,
    },
    files: [...Object.values(entries), ...bundled].map((path) => join(root, path)),
    include: [],
  }),
);
// The compiler of the repository, three times as fast as the older one that the plugin needs.
const typescript = join(packages, '../node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [typescript, '-p', config], { stdio: 'inherit' });

const declared = (path: string): string =>
  join(emitted, path.slice(packages.length)).replace(/(?:\.d)?\.ts$/, '.d.ts');
const isInstalled = (name: string): boolean =>
  installed.some((known) => name === known || name.startsWith(`${known}/`));
const declarations = await rollup({
  input: Object.fromEntries(
    Object.entries(entries).map(([name, source]) => [name, declared(join(root, source))]),
  ),
  external: (name) => isInstalled(name) || Object.hasOwn(aliases, name) || name === 'zod',
  plugins: [
    {
      name: 'emitted declarations',
      resolveId(name) {
        const path = join(emitted, name.replace('@latchkey/', ''), 'src/index.d.ts');
        return name.startsWith('@latchkey/') && existsSync(path) ? path : null;
      },
    },
    dts(),
  ],
  onLog: (_level, { message }) => {
    throw new Error(message);
  },
});
await declarations.write({
  dir: outdir,
  format: 'es',
  entryFileNames: '[name].d.ts',
  chunkFileNames: '[name]-[hash].d.ts',
  paths: aliases,
});
await declarations.close();

/**
 * Writes `dist/`, the package as it is published: ES modules and their declarations. The parts of `@latchkey/protocol`
 * that the SDK needs are bundled into both, because it is not published.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const root = join(import.meta.dirname, '..');
const outdir = join(root, 'dist');
const entryPoints = { index: join(root, 'src/index.ts'), api: join(root, 'src/generated/api.ts') };
/** Dependencies that are installed with the package, from its package.json. */
const external = /^(?:viem|multiformats)(?:\/|$)/;

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints,
  outdir,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  // Code that is loaded when it is needed has a file of its own.
  splitting: true,
  chunkNames: '[name]-[hash]',
  external: ['viem', 'multiformats'],
});

// The compiler writes the declarations of each file. The plugin alone compiles the sources a second time, several times as slowly.
await using directory = await mkdtempDisposable(join(tmpdir(), 'latchkey-declarations-'));
const emitted = directory.path;
execFileSync('tsc', ['-p', join(root, 'tsconfig.declarations.json'), '--outDir', emitted], {
  stdio: 'inherit',
});
const declarations = await rollup({
  input: { index: join(emitted, 'sdk/src/index.d.ts'), api: join(emitted, 'sdk/src/generated/api.d.ts') },
  external: (name) => external.test(name) || name === 'zod',
  plugins: [
    {
      name: 'emitted declarations',
      resolveId: (name) => (name === '@latchkey/protocol' ? join(emitted, 'protocol/src/index.d.ts') : null),
    },
    dts(),
  ],
  onLog: (_level, { message }) => {
    throw new Error(message);
  },
});
await declarations.write({ dir: outdir, format: 'es', entryFileNames: '[name].d.ts' });
await declarations.close();

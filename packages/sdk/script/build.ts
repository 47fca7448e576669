/**
 * Writes `dist/`, the package as it is published: ES modules and their declarations. The parts of `@latchkey/protocol`
 * that the SDK needs are bundled into both, because it is not published.
 */
import { rm } from 'node:fs/promises';
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
  external: ['viem', 'multiformats'],
});

const declarations = await rollup({
  input: entryPoints,
  external,
  plugins: [dts({ tsconfig: join(root, 'tsconfig.json'), includeExternal: ['@latchkey/protocol'] })],
  onLog: (_level, { message }) => {
    throw new Error(message);
  },
});
await declarations.write({ dir: outdir, format: 'es', entryFileNames: '[name].d.ts' });
await declarations.close();

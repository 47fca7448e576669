/**
 * Writes `dist/` of the command in the working directory, as it is published. Everything but its dependencies is bundled, since one file
 * starts in a fraction of the time.
 */
import { readFileSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { collectLicenses } from './licenses.ts';

const root = process.cwd();
const outdir = join(root, 'dist');
const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

await rm(outdir, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outdir,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  splitting: true,
  chunkNames: '[name]-[hash]',
  external: Object.keys({ ...dependencies, ...optionalDependencies }),
  // Some bundled packages are CommonJS.
  banner: {
    js: "import { createRequire as createRequire_ } from 'node:module'; const require = createRequire_(import.meta.url);",
  },
  legalComments: 'none',
  metafile: true,
});
await chmod(join(outdir, 'main.js'), 0o755);
await writeFile(join(outdir, 'licenses.txt'), collectLicenses(root, metafile));

/**
 * Writes `dist/` of the command in the working directory, as it is published. Everything but its dependencies is bundled: the packages of the
 * repository are not published, and one file starts in a fraction of the time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

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
  conditions: ['@latchkey/source'],
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
await writeFile(join(outdir, 'licenses.txt'), collectLicenses(Object.keys(metafile.inputs)));

/** Returns the licenses of the bundled packages. */
function collectLicenses(inputs: string[]): string {
  const folders = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const path = join(root, folder);
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const file = readdirSync(path).find((name) => /^licen[cs]e/i.test(name));
    const text = file === undefined ? '' : readFileSync(join(path, file), 'utf8');
    return `${manifest.name} ${manifest.version}, ${manifest.license}\n\n${text}`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

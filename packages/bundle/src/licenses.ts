/** The licenses of packages whose code is in a bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** Returns the licenses of the packages in a bundle, whose inputs are relative to `root`. */
export function collectLicenses(root: string, { outputs }: Metafile): string {
  const inputs = Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => (inputs[path]?.bytesInOutput ?? 0) > 0),
  );
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

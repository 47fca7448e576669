/** package.json of a public package: in the repository its entries are sources, in the tarball modules of `dist/`. */
import { basename } from 'node:path';

type Versions = Record<string, string>;
export type Manifest = {
  name: string;
  version: string;
  private?: true;
  exports?: Record<string, unknown>;
  bin?: Record<string, string>;
  files?: string[];
  scripts?: Record<string, string>;
  dependencies?: Versions;
  optionalDependencies?: Versions;
  peerDependencies?: Versions;
  devDependencies?: Versions;
};

export const isSource = (entry: unknown): entry is string =>
  typeof entry === 'string' && /^\.\/src\/.*\.ts$/.test(entry);

function toModule(entry: unknown): unknown {
  if (!isSource(entry)) return entry;
  const path = `./dist/${basename(entry, '.ts')}`;
  return { types: `${path}.d.ts`, default: `${path}.js` };
}

/** Returns the manifest of the tarball. `*` is the version of a package of the repository: all have the same. */
export function toPublished(manifest: Manifest): Manifest {
  const { scripts: _scripts, devDependencies: _development, ...published } = manifest;
  if (manifest.exports)
    published.exports = Object.fromEntries(
      Object.entries(manifest.exports).map(([name, entry]) => [name, toModule(entry)]),
    );
  for (const kind of ['dependencies', 'peerDependencies'] as const) {
    const versions = manifest[kind];
    if (versions)
      published[kind] = Object.fromEntries(
        Object.entries(versions).map(([name, range]) => [
          name,
          range === '*' ? `^${manifest.version}` : range,
        ]),
      );
  }
  return published;
}

/** The public packages as npm gets them: built, with the manifest of a tarball, the license and nothing of the repository. */
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Manifest, toPublished } from './manifest.ts';

export type { Manifest };

const root = join(import.meta.dirname, '../../..');

export type Packed = {
  manifest: Manifest;
  /** Its content. */
  directory: string;
  tarball: string;
  /** Paths in the tarball. */
  files: string[];
  packedBytes: number;
  unpackedBytes: number;
};

/** Returns a manifest of the repository by the folder of its package. */
export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** Folders of the public packages, below `packages/`. */
export const publicPackages: readonly string[] = readdirSync(join(root, 'packages')).filter(
  (name) => !readManifest(`packages/${name}`).private,
);

/** Builds a public package beside its sources, and packs it into a folder. */
export async function pack(name: string, folder: string): Promise<Packed> {
  const source = join(root, 'packages', name);
  const npm = (args: string[], cwd: string) => promisify(execFile)('npm', args, { cwd });
  await npm(['run', '--if-present', 'build'], source);
  const { repository } = readManifest('.') as { repository?: { url: string } };
  const manifest = {
    ...toPublished(readManifest(`packages/${name}`)),
    ...(repository && { repository: { ...repository, directory: `packages/${name}` } }),
    publishConfig: { access: 'public' },
  };
  const directory = join(folder, name);
  await mkdir(directory);
  for (const path of [...(manifest.files ?? []), 'README.md'])
    cpSync(join(source, path), join(directory, path), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(directory, 'LICENSE'));
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const { stdout } = await npm(['pack', '--json', '--pack-destination', folder], directory);
  const [{ filename, files, size, unpackedSize }] = JSON.parse(stdout) as [
    { filename: string; files: { path: string }[]; size: number; unpackedSize: number },
  ];
  return {
    manifest,
    directory,
    tarball: join(folder, filename),
    files: files.map(({ path }) => path),
    packedBytes: size,
    unpackedBytes: unpackedSize,
  };
}

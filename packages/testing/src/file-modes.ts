/** Rights on the files of a directory. */
import { chmod, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

async function pathsIn(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  return [directory, ...names.map((name) => join(directory, name))];
}

/** Returns the paths in a directory, itself included, on which other users have rights. */
export async function openToOthers(directory: string): Promise<string[]> {
  const found = await Promise.all(
    (await pathsIn(directory)).map(async (path) => {
      // Temporary files of a database may be deleted meanwhile.
      const { mode } = await lstat(path).catch(() => ({ mode: 0 }));
      return mode & 0o077 ? [`${path} ${(mode & 0o777).toString(8)}`] : [];
    }),
  );
  return found.flat();
}

/** Creates a directory and a file on which other users have rights. */
export async function makeOpen(directory: string): Promise<void> {
  await mkdir(join(directory, 'earlier'), { recursive: true });
  await writeFile(join(directory, 'earlier', 'file'), '');
  for (const path of await pathsIn(directory))
    await chmod(path, (await lstat(path)).isDirectory() ? 0o755 : 0o666);
}

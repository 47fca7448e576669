/** Files with secrets, in a folder that only its user can read. */
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandError } from './errors.ts';

/** Returns the path of a file in the folder of Latchkey below `$XDG_CONFIG_HOME`. */
export const configPath = (name: string): string =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'latchkey', name);

/** Throws when others than the user have access to a path. Windows has no such modes. */
function requirePrivate(path: string, { mode, uid }: { mode: number; uid: number }): void {
  if (process.platform === 'win32') return;
  if (process.getuid?.() !== uid) throw new CommandError(`${path} belongs to another user`);
  if ((mode & 0o077) !== 0)
    throw new CommandError(`other users have access to ${path}`, `Run: chmod go-rwx '${path}'`);
}

/** Creates the folder of a file. Throws when others have access to it. */
export async function makePrivateFolder(path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  requirePrivate(folder, await stat(folder));
}

/** Reads a file. Resolves to undefined when there is none, and throws when others have access to it or its folder. */
export async function readPrivate(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new CommandError(`${path} cannot be read: ${error.code}`);
  });
  if (!file) return undefined;
  try {
    const folder = dirname(path);
    requirePrivate(folder, await stat(folder));
    requirePrivate(path, await file.stat());
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Replaces a file atomically, with mode 0600. Its folder exists. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(text);
    // The new secret must outlive a crash of the machine: the old one can end next.
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

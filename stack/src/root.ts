import { fileURLToPath } from 'node:url';
import { readWhole } from '@latchkey/service/files';

/** Root of the repository: forge and the services run here, and relative paths start here. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A failure of the stack, with a message for the user. */
export class StackError extends Error {
  override readonly name = 'StackError';
}

/** Reads a file of the data directory, as `readWhole` does. */
export const readKept = <T>(path: string, parse: (text: string) => T): Promise<T | undefined> =>
  readWhole(path, parse, 'restore a copy, or start with --fresh, which deletes the data of this stack');

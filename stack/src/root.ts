import { fileURLToPath } from 'node:url';

/** Root of the repository: forge and the services run here, and relative paths start here. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A failure of the stack, with a message for the user. */
export class StackError extends Error {
  override readonly name = 'StackError';
}

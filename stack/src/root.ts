import { fileURLToPath } from 'node:url';

/** Of the repository: forge and the services are started here, relative paths are below it. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** What went wrong with a stack, in words for who started it. */
export class StackError extends Error {
  override readonly name = 'StackError';
}

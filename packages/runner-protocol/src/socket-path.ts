import { relative } from 'node:path';

/** Returns the shorter name of a Unix socket: its name has at most 107 bytes. */
export function socketPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.length < path.length ? fromHere : path;
}

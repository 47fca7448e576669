import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './root.ts';

/** A new empty directory below `.data`, for a stack that keeps nothing. */
export async function temporaryDataDir(): Promise<string> {
  await mkdir(join(root, '.data'), { recursive: true });
  return mkdtemp(join(root, '.data', 'test-'));
}

import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './root.ts';

/** Creates an empty directory below `.data` for a temporary stack. */
export async function temporaryDataDir(): Promise<string> {
  await mkdir(join(root, '.data'), { recursive: true });
  return mkdtemp(join(root, '.data', 'test-'));
}

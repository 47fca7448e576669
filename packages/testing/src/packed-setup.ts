/** Vitest global setup: a folder for the packed packages of a test run, each of which is built once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment variable with the folder. */
export const PACKED_VARIABLE = 'LATCHKEY_PACKED';

export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-packed-'));
  process.env[PACKED_VARIABLE] = folder;
  return () => rm(folder, { recursive: true, force: true });
}

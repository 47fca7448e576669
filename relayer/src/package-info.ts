import { readFile } from 'node:fs/promises';

/** Returns the name and version in the relayer's package.json. */
export async function readPackageInfo(): Promise<{ name: string; version: string }> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const { name, version } = JSON.parse(text) as { name: string; version: string };
  return { name, version };
}

import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Returns the name and version in the relayer's package.json. */
export async function readPackageInfo(): Promise<{ name: string; version: string }> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const { name, version } = JSON.parse(text) as { name: string; version: string };
  return { name, version };
}

/** Returns the commit of the working tree, or "unknown". */
export function commitOfWorkingTree(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

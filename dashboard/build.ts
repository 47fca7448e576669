/** Builds the dashboard when its sources are newer than its files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { distDir } from './serve.ts';

const here = import.meta.dirname;
const sources = [
  'src',
  'public',
  'index.html',
  'vite.config.ts',
  'package.json',
  '../packages/sdk/src',
  '../packages/protocol/src',
];

function newest(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const isCurrent = (): boolean => {
  const built = join(distDir, 'index.html');
  return (
    existsSync(built) && newest(built) > Math.max(...sources.map((source) => newest(join(here, source))))
  );
};

/** Rejects with the output of the build when it fails. */
export async function buildDashboard(signal?: AbortSignal): Promise<void> {
  if (isCurrent()) return;
  const vite = join(here, '..', 'node_modules', 'vite', 'bin', 'vite.js');
  const child = spawn(process.execPath, [vite, 'build', here, '--logLevel', 'warn'], { signal });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The dashboard was not built.\n${output}`);
}

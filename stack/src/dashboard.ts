/** The dashboard of the local stack: built when its sources have changed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './root.ts';

const directory = join(root, 'dashboard');
/** Where the built dashboard is. */
export const distDir = join(directory, 'dist');
/** Relative to the directory of the dashboard. */
const sources = [
  'src',
  'public',
  'index.html',
  'action-environment.ts',
  'vite.config.ts',
  'package.json',
  '../actions',
  '../packages/action/types',
  '../packages/policy/src',
  '../packages/sdk/src',
  '../packages/protocol/src',
];

function newest(path: string): number {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const isCurrent = (): boolean => {
  const built = join(distDir, 'index.html');
  return (
    existsSync(built) && newest(built) > Math.max(...sources.map((source) => newest(join(directory, source))))
  );
};

/** Builds the dashboard atomically, because stacks can start together. Rejects with the output of a failed build. */
export async function buildDashboard(signal?: AbortSignal): Promise<void> {
  if (isCurrent()) return;
  const [built, old] = ['new', 'old'].map((name) => `${distDir}-${name}-${process.pid}`) as [string, string];
  try {
    await runVite(built, signal);
    if (isCurrent()) return;
    await rename(distDir, old).catch(() => {});
    await rename(built, distDir);
  } finally {
    await Promise.all([built, old].map((path) => rm(path, { recursive: true, force: true })));
  }
}

async function runVite(outDir: string, signal: AbortSignal | undefined): Promise<void> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const options = ['--logLevel', 'warn', '--outDir', outDir, '--emptyOutDir'];
  // Tests set it to `test`, for which Vite builds what is meant for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, [vite, 'build', directory, ...options], { signal, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The dashboard was not built.\n${output}`);
}

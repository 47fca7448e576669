import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

/** Makes a checkout whose packages `a` and `node` are what the test names, and starts a program in it. */
async function start(packages: string[], hasNode = true) {
  const root = await mkdtemp(join(tmpdir(), 'latchkey-check-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, 'tools'));
  await copyFile(join(import.meta.dirname, 'check.mjs'), join(root, 'tools/check.mjs'));
  await writeFile(join(root, 'package.json'), '{"devDependencies": {"a": "1", "node": "1"}}');
  for (const name of packages) {
    await mkdir(join(root, 'node_modules', name, 'bin'), { recursive: true });
    await writeFile(join(root, 'node_modules', name, 'package.json'), '{}');
  }
  if (hasNode && packages.includes('node')) await writeFile(join(root, 'node_modules/node/bin/node'), '');
  const command = `${JSON.stringify(process.execPath)} tools/check.mjs && echo started`;
  return promisify(execFile)('sh', ['-c', command], { cwd: root }).then(
    ({ stdout }) => stdout.trim(),
    ({ code, stderr }) => `${code}: ${stderr.trim()}`,
  );
}

test.each([
  ['nothing is installed', [], true, '1: The packages are not installed: run npm ci'],
  [
    'development packages are missing',
    ['node'],
    true,
    '1: Packages are missing (a): run npm ci, without --omit=dev',
  ],
  [
    'install scripts were skipped',
    ['a', 'node'],
    false,
    '1: The install scripts of the packages have not run: run npm ci, without --ignore-scripts',
  ],
  ['everything is installed', ['a', 'node'], true, 'started'],
])('%s', async (_, packages, hasNode, said) => {
  expect(await start(packages, hasNode)).toBe(said);
});

/** The package as users get it: packed, and installed in an empty folder. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stack } from '@latchkey/testing/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const packages = join(import.meta.dirname, '../..');

let base: string;
let app: string;
const npm = (args: string[], cwd: string) =>
  run('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel', 'error'], { cwd });

async function pack(name: string): Promise<{ path: string; files: string[] }> {
  const { stdout } = await npm(['pack', '--json', '--pack-destination', base], join(packages, name));
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  return { path: join(base, filename), files: files.map(({ path }: { path: string }) => path) };
}

const latchkey = (args: string[], cwd = app) =>
  run(join(app, 'node_modules/.bin/latchkey'), args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: base, LATCHKEY_URL: stack.url },
  });

let packed: Record<'cli' | 'action', { path: string; files: string[] }>;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'latchkey-cli-package-'));
  app = join(base, 'app');
  await mkdir(app);
  packed = { cli: await pack('cli'), action: await pack('action') };
  await npm(['init', '-y'], app);
  await npm(['install', packed.cli.path, packed.action.path], app);
}, 600_000);
afterAll(() => rm(base, { recursive: true, force: true }));

test('the tarballs have the command with the licenses of what is in it, and the types', {
  timeout: 600_000,
}, async () => {
  const files = packed.cli.files.filter((path) => !/-[A-Z0-9]{8}\.js$/.test(path));
  expect(files.toSorted()).toEqual(['dist/licenses.txt', 'dist/main.js', 'package.json']);
  expect(packed.action.files.toSorted()).toEqual([
    'package.json',
    'tsconfig.action.json',
    'types/index.d.ts',
  ]);
  expect(await readdir(join(app, 'node_modules/@latchkey'))).toEqual(['action', 'cli']);
});

test('--help, init, types and tests of the new project work', { timeout: 600_000 }, async () => {
  expect((await latchkey(['--help'])).stdout).toContain('Usage: latchkey');
  const { stdout } = await latchkey(['init', 'greetings']);
  expect(stdout).toContain('wrote greetings/actions/sign.ts');
  const project = join(app, 'greetings');
  await expect(latchkey(['init', 'greetings'])).rejects.toMatchObject({ code: 2 });
  const typescript = join(packages, 'sdk/node_modules/typescript/bin/tsc');
  await run(process.execPath, [typescript, '-p', project]);
  const tested = await latchkey(['actions', 'test'], project);
  expect(tested.stdout).toBe('1 passed, 0 failed\n');
});

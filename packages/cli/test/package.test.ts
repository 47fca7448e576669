/** The package as users get it: packed, and installed in an empty folder. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Installed, installPacked } from '@latchkey/testing/installed';
import { stack } from '@latchkey/testing/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const typescript = join(import.meta.dirname, '../../sdk/node_modules/typescript/bin/tsc');

let installed: Installed;
beforeAll(async () => {
  installed = await installPacked(['cli', 'action']);
}, 600_000);
afterAll(async () => {
  await installed?.[Symbol.asyncDispose]();
});

const latchkey = (args: string[], cwd = installed.directory) =>
  run(join(installed.directory, 'node_modules/.bin/latchkey'), args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: installed.directory, LATCHKEY_URL: stack.url },
  });

test('the tarballs have the command with the licenses of what is in it, and the types', {
  timeout: 600_000,
}, async () => {
  const files = installed.packed.filter((path) => !/-[A-Z0-9]{8}\.js$/.test(path));
  expect(files.toSorted()).toEqual(['dist/licenses.txt', 'dist/main.js', 'package.json']);
  const modules = join(installed.directory, 'node_modules/@latchkey');
  const types = await readdir(join(modules, 'action'), { recursive: true });
  expect(types.toSorted()).toEqual(['package.json', 'tsconfig.action.json', 'types', 'types/index.d.ts']);
  expect(await readdir(modules)).toEqual(['action', 'cli']);
});

test('--help, init, types and tests of the new project work', { timeout: 600_000 }, async () => {
  expect((await latchkey(['--help'])).stdout).toContain('Usage: latchkey');
  const { stdout } = await latchkey(['init', 'greetings']);
  expect(stdout).toContain('wrote greetings/actions/sign.ts');
  const project = join(installed.directory, 'greetings');
  await expect(latchkey(['init', 'greetings'])).rejects.toMatchObject({ code: 2 });
  await run(process.execPath, [typescript, '-p', project]);
  const tested = await latchkey(['actions', 'test'], project);
  expect(tested.stdout).toBe('1 passed, 0 failed\n');
});

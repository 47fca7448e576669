/** The package as users get it: packed, and installed in an empty folder. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { findNode, installPacked } from '@latchkey/testing/installed';
import { stack } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const typescript = join(import.meta.dirname, '../../sdk/node_modules/typescript/bin/tsc');

const installed = disposeAfterAll(await installPacked(['cli', 'action']));

test.each([20, 22])(
  'init, types and tests of the new project work on Node %i',
  { timeout: 600_000 },
  async (major) => {
    const node = await findNode(major);
    const latchkey = (args: string[], cwd = installed.directory) =>
      run(node, [join(installed.directory, 'node_modules/@latchkey/cli/dist/main.js'), ...args], {
        cwd,
        env: { PATH: process.env.PATH, HOME: installed.directory, LATCHKEY_URL: stack.url },
      });
    const folder = `greetings-${major}`;
    const { stdout } = await latchkey(['init', folder]);
    expect(stdout).toContain(`wrote ${folder}/actions/sign.ts`);
    const project = join(installed.directory, folder);
    await expect(latchkey(['init', folder])).rejects.toMatchObject({ code: 2 });
    await run(process.execPath, [typescript, '-p', project]);
    const tested = await latchkey(['actions', 'test'], project);
    expect(tested.stdout).toBe('1 passed, 0 failed\n');
  },
);

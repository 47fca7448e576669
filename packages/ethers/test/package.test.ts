/** The packed adapters in an empty folder: their READMEs as programs. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { documentedOutput, installPacked, printedLines, readProgram } from '@latchkey/testing/installed';
import { stack } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

const installed = disposeAfterAll(await installPacked(['ethers', 'viem', 'sdk'], ['ethers@6.17.0']));

test.each(['viem', 'ethers'])(
  'the README of %s prints its documented output',
  async (name) => {
    const path = join(installed.directory, 'node_modules/@latchkey', name, 'README.md');
    const program = readProgram(await readFile(path, 'utf8'), {
      'http://127.0.0.1:8000': stack.url,
      'http://127.0.0.1:8545': stack.rpcUrl,
    });
    expect(await installed.build('readme', program)).toEqual([]);
    const { stdout } = await promisify(execFile)(process.execPath, ['readme.js'], {
      cwd: installed.directory,
      timeout: 600_000,
    });
    const expected = documentedOutput(program);
    expect(expected.length).toBeGreaterThan(1);
    expect(printedLines(stdout)).toEqual(expected);
  },
  600_000,
);

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenOf } from '@latchkey/fork-server';
import { readKernelFile } from '@latchkey/fork-server/kernel-file';
import { eventually } from '@latchkey/fork-server/testing';
import { onTestFinished, test } from 'vitest';
import { writeProgram } from './bundle.ts';

const ofEsbuild = (pid: number): boolean => {
  try {
    return readKernelFile(`/proc/${pid}/cmdline`).includes('esbuild');
  } catch {
    return false;
  }
};
const countProcesses = (): number => childrenOf(process.pid).filter(ofEsbuild).length;

test.runIf(process.platform === 'linux')(
  'no process of esbuild remains after the program is written',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-bundle-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const writing = writeProgram(directory);
    await eventually(() => countProcesses() > 0);
    await writing;
    await eventually(() => countProcesses() === 0, 5_000);
  },
);

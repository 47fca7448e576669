// Forked process: runs an empty file with Deno, in a new process each time, and answers with the durations.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer } from '@latchkey/testing/forked';
import { measureSteadily, type Samples } from '@latchkey/testing/measure';

export type DenoRuns = { binary: string; clients: number; leadIn: number; count: number };

const directory = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
const file = join(directory, 'empty.js');
writeFileSync(file, '');
const env = { DENO_DIR: join(directory, 'deno'), DENO_NO_UPDATE_CHECK: '1' };

answer(({ binary, clients, leadIn, count }: DenoRuns): Promise<Samples> => {
  const run = async () => {
    const child = spawn(binary, ['run', '--no-config', file], { stdio: 'ignore', env });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`deno ended with ${code}`);
  };
  return measureSteadily(run, { count, concurrency: clients, leadIn });
});

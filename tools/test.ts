/**
 * `npm test [-- --only forge|vitest] [-- <vitest filters>]`: every test of the repository, with one closing line.
 * The contracts are built first: tests deploy the compiled artifacts.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { foundryBinary } from '@latchkey/stack/foundry';

interface Outcome {
  passed: number;
  failed: number;
}

const { values, positionals } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  allowPositionals: true,
});
if (values.help) {
  console.log('npm test [-- --only forge|vitest] [<vitest filters>]');
  process.exit(0);
}
if (values.only !== undefined && values.only !== 'forge' && values.only !== 'vitest') {
  console.error(`--only takes forge or vitest, not "${values.only}"`);
  process.exit(2);
}

/** Runs a command, passes its output on, and returns what it wrote and how it ended. */
function run(command: string, args: string[]): Promise<{ output: string; code: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      process.stdout.write(chunk);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ output, code: code ?? 1 }));
  });
}

/** A runner that fails without a failed test (a compile error, an unhandled rejection) counts as one failure. */
function outcome(passed: number, failed: number, code: number): Outcome {
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed };
}

async function forge(): Promise<Outcome> {
  const { output, code } = await run(foundryBinary('forge'), ['test']);
  const plain = output.replaceAll(/\p{Cc}\[[0-9;]*m/gu, '');
  const summary = /(\d+) tests passed, (\d+) failed, \d+ skipped/.exec(plain);
  return outcome(Number(summary?.[1] ?? 0), Number(summary?.[2] ?? 1), code);
}

async function vitest(): Promise<Outcome> {
  const dir = mkdtempSync(join(tmpdir(), 'latchkey-vitest-'));
  try {
    const file = join(dir, 'result.json');
    const args = [
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...positionals,
    ];
    const { code } = await run('vitest', args);
    const result = JSON.parse(readFileSync(file, 'utf8')) as {
      numPassedTests: number;
      numFailedTests: number;
    };
    return outcome(result.numPassedTests, result.numFailedTests, code);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const build = await run(foundryBinary('forge'), ['build']);
if (build.code !== 0) process.exit(build.code);
const outcomes: Outcome[] = [];
if (values.only !== 'vitest') outcomes.push(await forge());
if (values.only !== 'forge') outcomes.push(await vitest());
const passed = outcomes.reduce((sum, { passed }) => sum + passed, 0);
const failed = outcomes.reduce((sum, { failed }) => sum + failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

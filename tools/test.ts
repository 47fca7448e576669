/** `npm test` and `npm run test:watch`. See HELP. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { foundryBinary, withForgeCache } from '@latchkey/foundry';
import { buildDashboard } from '@latchkey/stack/dashboard';
import { type Outcome, outcome, runFiles, type VitestRun, vitestArgs } from './vitest.ts';

const HELP = `npm test [-- [--only forge|vitest] [--project parts|stack] [-t <name>] [<file> ...]]
npm run test:watch -- <file> ... [-t <name>]

Without a file: every test of the repository, with one closing line.
With files: these tests only. A file of Solidity is run by forge, any other path is a filter of vitest.

  -t, --name <name>  tests whose name matches this regular expression
  --only <runner>    forge or vitest
  --project <name>   parts (tests that start what they need) or stack (tests on one local stack), of vitest
  --threads <count>  of forge
  --again            run the files of vitest that failed once more, alone. Passes when they pass then, and names them
  --watch            run the files again when they or what they import change`;

const vitestBinary = [process.execPath, 'node_modules/vitest/vitest.mjs'] as const;

/** Runs a command and passes its output on. */
function run(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ output: string; code: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      process.stdout.write(chunk);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ output, code: code ?? 1 }));
  });
}

const runForge = (args: string[]) => withForgeCache((cache) => run(foundryBinary('forge'), args, cache));

type Options = {
  name?: string | undefined;
  project?: string | undefined;
  threads?: string | undefined;
  again?: boolean | undefined;
};

/** The arguments of `forge test`. */
function forgeArgs(files: string[], { name, threads }: Options): string[] {
  const path = files.length > 1 ? `{${files.join(',')}}` : files[0];
  return [
    'test',
    ...(path ? ['--match-path', path] : []),
    ...(name ? ['--match-test', name] : []),
    ...(threads ? ['--threads', threads] : []),
  ];
}

async function forge(files: string[], options: Options): Promise<Outcome> {
  const { output, code } = await runForge(forgeArgs(files, options));
  const plain = output.replaceAll(/\p{Cc}\[[0-9;]*m/gu, '');
  const ran = [...plain.matchAll(/^Suite result: \w+\. (\d+) passed; (\d+) failed/gm)];
  const sum = (group: 1 | 2) => ran.reduce((total, match) => total + Number(match[group]), 0);
  return outcome(sum(1), ran.length === 0 ? 1 : sum(2), code);
}

const runVitest: VitestRun = async (args) => {
  const dir = mkdtempSync(join(tmpdir(), 'latchkey-vitest-'));
  try {
    const file = join(dir, 'result.json');
    const reporters = ['--reporter=default', '--reporter=./tools/vitest-reporter.ts'];
    const [node, script] = vitestBinary;
    const { code } = await run(node, [script, 'run', ...reporters, ...args], { VITEST_RESULT: file });
    return { code, result: JSON.parse(readFileSync(file, 'utf8')) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/** Runs one runner's files until Ctrl-C. Returns its exit code. */
function watch(solidity: string[], others: string[], options: Options): number {
  if ((solidity.length === 0) === (others.length === 0)) return misuse('--watch takes files of one runner');
  const [node, script] = vitestBinary;
  const [command, args] =
    solidity.length > 0
      ? [foundryBinary('forge'), [...forgeArgs(solidity, options), '--watch']]
      : [node, [script, 'watch', ...vitestArgs(others, options)]];
  return spawnSync(command, args, { stdio: 'inherit' }).status ?? 1;
}

function misuse(text: string): number {
  console.error(`${text}\n\n${HELP}`);
  return 2;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      only: { type: 'string' },
      name: { type: 'string', short: 't' },
      project: { type: 'string' },
      threads: { type: 'string' },
      again: { type: 'boolean', default: false },
      watch: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  });
  const { only, name } = values;
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (only !== undefined && only !== 'forge' && only !== 'vitest')
    return misuse(`--only takes forge or vitest, not "${only}"`);
  if (name !== undefined && positionals.length === 0 && only === undefined)
    return misuse('--name needs a file or --only');
  const solidity = positionals.filter((path) => path.endsWith('.sol'));
  const others = positionals.filter((path) => !path.endsWith('.sol'));
  if (values.watch) return watch(solidity, others, values);

  const isAll = positionals.length === 0;
  const usesForge = only !== 'vitest' && (isAll || solidity.length > 0);
  const usesVitest = only !== 'forge' && (isAll || others.length > 0);
  // Tests of both runners deploy the compiled contracts.
  const build = await runForge(['build']);
  if (build.code !== 0) return build.code;
  // Otherwise each stack of the tests would build it.
  if (usesVitest && isAll) await buildDashboard();
  const outcomes: Outcome[] = [];
  if (usesForge) outcomes.push(await forge(solidity, values));
  if (usesVitest) outcomes.push(await runFiles(runVitest, others, values));
  const passed = outcomes.reduce((sum, { passed }) => sum + passed, 0);
  const failed = outcomes.reduce((sum, { failed }) => sum + failed, 0);
  console.log(`${passed} passed, ${failed} failed`);
  if (passed + failed === 0) console.error('no test has run: check the file and the name');
  return passed > 0 && failed === 0 ? 0 : 1;
}

process.exitCode = await main();

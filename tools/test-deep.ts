/** `npm run test:deep`: see HELP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { foundryBinary, withForgeCache } from '@latchkey/foundry';
import { exitWithMistake, parseCommand, parseCount } from '@latchkey/service/parse-command';
import { format, printSummary, readRuns } from './invariant-summary.ts';

const HELP = `npm run test:deep [-- options]

Runs long what CI runs with a short count. Ends at the first part that fails.

  --calls N           calls of the invariants, shared by the campaigns in test/invariant (default 10,000,000)
  --fuzz-runs N       runs of every fuzz test (default 2,000)
  --shapes N          shapes of an account, searched for calls that cost more than the worst known ones (default 10,000)
  --envelopes N       changed proofs of wallets (default 1,000,000)
  --permutations N    lives of payments, looked at in any order (default 10,000)
  --kills N           kills of the relayer under load, after one at every message (default 200)
  --days N            simulated days of schedules (default 10,000)
  --chains N          random chains with reorgs, followed by the trigger service (default 500)
  --queue N           random steps of the queue of runs, compared with a simple reference (default 5,000)
  --bodies N          random bodies of webhooks (default 10,000)
  --lost-replies N    lost replies of the relayer to the trigger service (default 10,000)
  --requests N        hostile requests to every endpoint of relayer and trigger service (default 100,000; at most
                      10,000 to POST /api/alerts/test, whose refusals wait for a second)
  --derivations N     keys derived by three nodes, compared with a plain computation from the root (default 100,000)
  --dealing-kills N   kills of a key node in refresh, resharing and generation, and interruptions of the command
                      (default 171: every point of each)
  --releases N        runs with released keys before memory and traffic of the relayer are scanned (default 1,000)
  --key-runs N        runs with keys before the memory of the runner is scanned (default 300)
  --runs N            runs of every kind, bombs too, on one runner, which must hold nothing of them afterwards
                      (default 10,000)
  --restored N        units of traffic before, around and after a backup of every database, which is restored (default 500)
  --forks N           forks of one template, which draw no random value twice (default 10,000)
  --seed N            seed of the parts that take one (default: their own)
  --only PART         runs one of: invariants, fuzz, shapes, envelopes, permutations, crashes, days, chains, queue,
                      bodies, lost-replies, requests, derivations, dealing-kills, releases, key-runs, runs, forks,
                      restored. Outages of a whole cluster: npm run chaos`;

/** The campaigns of test/invariant/Invariants.t.sol, which forge runs concurrently. */
const CAMPAIGNS = ['small', 'large'];
const DEPTH = 1000;
const INVARIANTS = 'test/invariant/*';
const defaults = {
  calls: 10_000_000,
  'fuzz-runs': 2_000,
  shapes: 10_000,
  envelopes: 1_000_000,
  permutations: 10_000,
  kills: 200,
  days: 10_000,
  chains: 500,
  queue: 5_000,
  bodies: 10_000,
  'lost-replies': 10_000,
  requests: 100_000,
  derivations: 100_000,
  'dealing-kills': 171,
  releases: 1_000,
  'key-runs': 300,
  runs: 10_000,
  forks: 10_000,
  restored: 500,
};
type Count = keyof typeof defaults;
const countNames = Object.keys(defaults) as Count[];

const { values } = parseCommand(HELP, {
  ...(Object.fromEntries(countNames.map((name) => [name, { type: 'string' }])) as Record<
    Count,
    { type: 'string' }
  >),
  seed: { type: 'string' },
  only: { type: 'string' },
});

function count(name: Count): number {
  const text = values[name];
  return text === undefined ? defaults[name] : parseCount(HELP, name, text);
}
const counts = Object.fromEntries(countNames.map((name) => [name, count(name)])) as Record<Count, number>;
const seed = values.seed === undefined ? [] : ['--seed', values.seed];

/** The running child process, which must not outlive this process. */
let running: ChildProcess | undefined;
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = true;
    running?.kill(signal);
  });
}

/** Runs a command, passes its output on, and returns it. */
function run(command: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    running = child;
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      process.stdout.write(chunk);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0 && !interrupted) resolve(output.replaceAll(/\p{Cc}\[[0-9;]*m/gu, ''));
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}`));
    });
  });
}

async function forgeTest(args: string[], env: Record<string, string>): Promise<string> {
  const output = await withForgeCache(async (cache) => {
    await run(foundryBinary('forge'), ['build'], cache);
    return run(foundryBinary('forge'), ['test', ...args], { ...env, ...cache });
  });
  if (!/[1-9]\d* tests passed, 0 failed/.test(output)) throw new Error('no tests have run');
  return output;
}

async function invariants(): Promise<string> {
  const runs = Math.ceil(counts.calls / CAMPAIGNS.length / DEPTH);
  mkdirSync('.data', { recursive: true });
  const dir = mkdtempSync(join('.data', 'invariants-'));
  const progress = setInterval(() => {
    const done = readRuns(dir).length * DEPTH;
    console.log(`invariants: ${format(done)} of ${format(runs * CAMPAIGNS.length * DEPTH)} calls`);
  }, 30_000);
  try {
    const output = await forgeTest(['--match-path', INVARIANTS], {
      FOUNDRY_INVARIANT_RUNS: String(runs),
      FOUNDRY_INVARIANT_DEPTH: String(DEPTH),
      INVARIANT_SUMMARIES: dir,
    });
    printSummary(readRuns(dir));
    const made = [...output.matchAll(/\[PASS\] invariant_\w+\(\) \(runs: \d+, calls: (\d+)/g)];
    return `${format(made.reduce((sum, match) => sum + Number(match[1]), 0))} invariant calls`;
  } finally {
    clearInterval(progress);
    rmSync(dir, { recursive: true, force: true });
  }
}

async function fuzz(): Promise<string> {
  const output = await forgeTest(['--match-test', '^testFuzz', '--no-match-path', INVARIANTS], {
    FOUNDRY_FUZZ_RUNS: String(counts['fuzz-runs']),
  });
  const runs = [...output.matchAll(/\[PASS\] testFuzz\w*\([^)]*\) \(runs: (\d+)/g)];
  return `${format(runs.reduce((sum, match) => sum + Number(match[1]), 0))} runs of ${runs.length} fuzz tests`;
}

async function shapes(): Promise<string> {
  await forgeTest(['--match-contract', '^WorstSearch$'], {
    WORST_COUNT: String(counts.shapes),
    ...(values.seed !== undefined && { WORST_SEED: values.seed }),
  });
  return `${format(counts.shapes)} shapes of an account`;
}

async function crashes(): Promise<string> {
  await run('node', ['relayer/test/crashes.ts', '--kills', String(counts.kills), ...seed]);
  return `kills at every message and ${format(counts.kills)} under load`;
}

/** Tests of vitest whose counts come from the environment. */
const vitest = (file: string, env: Record<string, string>, project = 'parts'): Promise<string> =>
  run('node', ['node_modules/vitest/vitest.mjs', 'run', '--project', project, file], env);

/** A test of vitest whose count comes from the environment variable. */
const test = (name: Count, file: string, variable: string, what: string, project?: string) => async () => {
  await vitest(file, { [variable]: String(counts[name]) }, project);
  return `${format(counts[name])} ${what}`;
};

/** A program that takes its count as an option. */
const program =
  (name: Count, file: string, option: string, what: string, more: string[] = []) =>
  async () => {
    await run('node', [file, option, String(counts[name]), ...more]);
    return `${format(counts[name])} ${what}`;
  };

async function chains(): Promise<string> {
  for (const file of ['chain-follower', 'chain-factory', 'chain-block'])
    await vitest(`triggers/test/${file}.property.test.ts`, {
      CHAIN_RUNS: String(counts.chains),
      ...(values.seed !== undefined && { CHAIN_SEED: values.seed }),
    });
  return `${format(4 * counts.chains)} chains`;
}

async function queue(): Promise<string> {
  await vitest('triggers/test/queue-model.test.ts', {
    QUEUE_STEPS: String(counts.queue),
    ...(values.seed !== undefined && { QUEUE_SEED: values.seed }),
  });
  return `${format(counts.queue)} steps of the queue`;
}

async function requests(): Promise<string> {
  const env = {
    FUZZ_RUNS: String(counts.requests),
    ...(values.seed !== undefined && { FUZZ_SEED: values.seed }),
  };
  for (const part of ['relayer/src/routes', 'triggers/src/routes', 'triggers/src/pages'])
    await vitest(`${part}/fuzz.test.ts`, env, 'stack');
  return `${format(counts.requests)} hostile requests to every endpoint`;
}

async function dealingKills(): Promise<string> {
  const kills = counts['dealing-kills'];
  await vitest('keynodes/test/dealing-kills.test.ts', { DEALING_KILLS: String(kills) });
  return `${format(kills)} kills of a key node in dealings, ${format(kills)} interruptions of the command`;
}

const parts: Record<string, () => Promise<string>> = {
  invariants,
  fuzz,
  shapes,
  envelopes: program('envelopes', 'relayer/test/mutated-envelopes.ts', '--count', 'envelopes', seed),
  permutations: program(
    'permutations',
    'relayer/test/payment-permutations.ts',
    '--count',
    'permutations of payments',
    seed,
  ),
  crashes,
  days: program('days', 'triggers/test/simulated-days.ts', '--days', 'days of schedules'),
  chains,
  queue,
  bodies: test('bodies', 'triggers/src/routes/webhook.test.ts', 'RANDOM_BODIES', 'bodies of webhooks'),
  'lost-replies': program(
    'lost-replies',
    'triggers/test/lost-replies.ts',
    '--count',
    'lost replies of the relayer',
  ),
  requests,
  derivations: test(
    'derivations',
    'packages/threshold/src/derivation.test.ts',
    'DERIVATIONS',
    'derivations from shares',
  ),
  'dealing-kills': dealingKills,
  releases: test(
    'releases',
    'relayer/src/routes/actions/released-keys.test.ts',
    'RELEASES',
    'runs with released keys',
    'stack',
  ),
  'key-runs': test('key-runs', 'runner/test/key-memory.test.ts', 'KEY_RUNS', 'runs with keys on one runner'),
  runs: test('runs', 'relayer/src/runners/many-runs.test.ts', 'RUNS', 'runs on one runner'),
  restored: program(
    'restored',
    'stack/test/chaos/restore.ts',
    '--count',
    'units before, around and after a restore',
  ),
  forks: test('forks', 'runner/src/child/random.test.ts', 'FORKS', 'forks without a repeated random value'),
};
const partNames = Object.keys(parts);
if (values.only !== undefined && !partNames.includes(values.only))
  exitWithMistake(HELP, `--only takes ${partNames.join(', ')}, not "${values.only}"`);
const done: string[] = [];
try {
  for (const [name, part] of Object.entries(parts)) {
    if (values.only !== undefined && values.only !== name) continue;
    console.log(`\n== ${name}`);
    const started = performance.now();
    const what = await part();
    done.push(`${what} in ${Math.round((performance.now() - started) / 1000)} s`);
    console.log(done.at(-1));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log(`\ndeep: FAILED${done.length === 0 ? '' : ` after ${done.join(', ')}`}`);
  process.exit(1);
}
console.log(`\ndeep: ${done.join(', ')}: no difference, no broken rule`);

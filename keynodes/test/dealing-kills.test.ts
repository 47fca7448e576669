/** Kills of a node at points of a dealing, and interruptions of the command. DEALING_KILLS: the number of each (default 2). */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '@latchkey/bundle';
import { hasEnded, temporaryDirectory, watch } from '@latchkey/testing/processes';
import { freePort, until } from '@latchkey/testing/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Kind } from '../src/admin/plan.ts';
import {
  type Deployed,
  nodeSettings,
  outputOf,
  type Run,
  runnerFor,
  sharesOf,
  startConfigurationOnly,
  startNode,
  type TestNode,
} from './key-nodes.ts';

const KILLS = Number(process.env.DEALING_KILLS ?? 2);
const INPUT = new TextEncoder().encode('an input');

/** The messages of a node in a dealing without complaints, in order. */
const ROUNDS = ['commit hash', 'commitments', 'subshares', 'complaints', 'answers', 'confirmation'];
const withWrite = ['received', 'stored', 'replying', 'replied'];
const stagesOf = (action: string): string[] =>
  // Without complaints a node has no answers to store.
  action === 'deliver answers' ? withWrite.filter((stage) => stage !== 'stored') : withWrite;
const actions = [
  'join',
  'propose',
  ...ROUNDS.flatMap((round) => [`deliver ${round}`, `close ${round}`]),
  'finish',
];
const POINTS = actions.flatMap((action) => stagesOf(action).map((stage) => `${action} ${stage}`));

type Victim = { url: string; killAt: (point: string) => void; output: () => string; kills: () => number };

let deployed: Deployed;
let nodes: TestNode[];
let victim: Victim & AsyncDisposable;
let run: Run;

beforeAll(async () => {
  deployed = await startConfigurationOnly();
  nodes = [await startNode(deployed), await startNode(deployed)];
  victim = await startVictim();
  run = runnerFor(deployed);
  await run({ kind: 'generation', nodes: [...nodes, victim], threshold: 2 });
});
afterAll(async () => {
  await victim?.[Symbol.asyncDispose]();
  for (const node of nodes ?? []) await node[Symbol.asyncDispose]();
  await deployed?.[Symbol.asyncDispose]();
});

/** Starts a node, and starts it again whenever it dies. */
async function startVictim(): Promise<typeof victim> {
  const directory = temporaryDirectory(tmpdir());
  const port = await freePort();
  const file = join(directory.path, 'kill-at');
  const settings = { ...nodeSettings(deployed, join(directory.path, 'data')), LOG_LEVEL: 'info' };
  let output = '';
  let kills = 0;
  let isEnding = false;
  let child: ChildProcess;
  const program = await bundle('keynodes/test/killable-node.ts');
  const start = () => {
    const started = spawn(process.execPath, [program], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...settings,
        PORT: String(port),
        METRICS_PORT: '0',
        KILL_AT: file,
      },
    });
    child = started;
    const own = watch(started, () => started.kill('SIGKILL'));
    started.once('close', () => {
      output += own();
      if (isEnding) return;
      kills++;
      start();
    });
    current = own;
  };
  let current = () => '';
  start();
  const url = `http://127.0.0.1:${port}`;
  await until('the node answers', async () => (await fetch(`${url}/v1/dealing`)).ok, 60_000);
  return {
    url,
    killAt: (point) => writeFileSync(file, point),
    output: () => output + current(),
    kills: () => kills,
    async [Symbol.asyncDispose]() {
      isEnding = true;
      child.kill('SIGTERM');
      await until('the node has ended', async () => hasEnded(child));
      directory[Symbol.dispose]();
    },
  };
}

const KINDS: Kind[] = ['refresh', 'resharing', 'generation'];

/** Prepares a dealing of each kind in turn, and returns the options of its command. */
async function prepare(index: number) {
  const kind = KINDS[index % KINDS.length] ?? 'refresh';
  // The state of a new deployment.
  if (kind === 'generation') await deployed.configuration().write('key-nodes', '');
  return { kind, nodes: [...nodes, victim], ...(kind !== 'refresh' && { threshold: 2 }) };
}

/** Checks that all nodes work with one group; returns an output of it. */
async function check(): Promise<string> {
  const published = await deployed.configuration().read('key-nodes');
  const shares = sharesOf(nodes);
  expect(shares.map(({ parameters }) => parameters)).toEqual([published, published]);
  const view = (await (await fetch(`${victim.url}/v1/dealing`)).json()) as object;
  expect(view).toMatchObject({
    current: { identifier: 3, parameters: published },
    next: null,
    dealing: null,
  });
  expect(await (await fetch(`${victim.url}/health`)).json()).toMatchObject({
    chain: { ok: true },
    share: { ok: true },
  });
  return outputOf(shares, INPUT);
}

test(`a dealing ends with the same group after kill -9 of a node at ${KILLS} points`, async () => {
  for (let i = 0; i < KILLS; i++) {
    const point = POINTS[Math.floor(((i + 0.5) * POINTS.length) / KILLS) % POINTS.length] ?? '';
    const [options, kills, output] = [await prepare(i), victim.kills(), outputOf(sharesOf(nodes), INPUT)];
    victim.killAt(point);
    await run(options);
    await until(`killed at ${point}`, async () => victim.kills() === kills + 1);
    await until('the node answers', async () => (await fetch(`${victim.url}/v1/dealing`)).ok);
    const after = await check();
    if (options.kind !== 'generation') expect(after, point).toBe(output);
  }
}, 600_000);

test('a dealing passes every point', async () => {
  const from = victim.output().length;
  await run(await prepare(0));
  const passed = victim.output().slice(from);
  expect([...passed.matchAll(/^point: (.*)$/gm)].map(([, point]) => point)).toEqual(
    expect.arrayContaining(POINTS),
  );
});

test(`a dealing ends with the same group after ${KILLS} interruptions of the command`, async () => {
  for (let i = 0; i < KILLS; i++) {
    const options = await prepare(0);
    const output = outputOf(sharesOf(nodes), INPUT);
    const commands = 2 + Math.floor(((i + 0.5) * 40) / KILLS);
    await expect(run({ ...options, interruptAfter: commands })).rejects.toThrow('interrupted');
    await run(options);
    expect(await check(), `after ${commands} commands`).toBe(output);
  }
}, 600_000);

test('the audit log has the steps of a dealing and no secret', async () => {
  const output = victim.output();
  for (const message of [
    'accepted a proposed dealing',
    'closed a round of a dealing',
    'stored a share',
    'promoted a share',
  ])
    expect(output).toContain(`"msg":"${message}"`);
  for (const { context } of nodes) {
    const { identity, current } = context.store.read();
    expect(output).not.toContain(identity);
    expect(output).not.toContain(current?.secret);
  }
  // Subshares and shares are 32 bytes; sessions and public keys are the only such values in the log.
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  const known = new Set(lines.flatMap((line) => [JSON.parse(line).session, JSON.parse(line).public_key]));
  const found = lines.flatMap((line) => line.match(/[0-9a-f]{64,}/g) ?? []);
  expect(found.filter((value) => !known.has(value))).toEqual([]);
});

/** Runs each way out of an action, and looks at what it reached: the host, another run, the network. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { denoBinary } from '@latchkey/fork-server';
import { ActionError, defaultLimits, type RunResult } from '@latchkey/runner-protocol';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createActionNames } from '../src/fetching/action-names.ts';
import { defaultFetchOptions } from '../src/fetching/guarded-agent.ts';
import { startProcess } from '../src/processes/action-process.ts';
import { writeProgram } from '../src/processes/bundle.ts';
import { noWalls, type Walls } from '../src/processes/walls.ts';
import { loadCode, runJob } from '../src/runs/job.ts';
import { callChain, callKey, plainSpawner, serve } from '../src/testing.ts';
import { type Bait, pairs, probes, USE } from './escapes.ts';
import { startRuntime } from './runtime.ts';

const SECRET = 'SECRET of the host';

const directory = await mkdtemp(join(tmpdir(), 'latchkey-escapes-'));
afterAll(() => rm(directory, { recursive: true }));
const [secretPath, markPath] = [join(directory, 'secret'), join(directory, 'mark')];
await writeFile(secretPath, SECRET);
let connections = 0;
const server = await serve((_request, response) => {
  connections += 1;
  response.end(SECRET);
});
disposeAfterAll(server);
const bait: Bait = { secretPath, markPath, url: server.url, port: server.port };
const run = await startRuntime({ poolSize: 4 });
const codeOf = (body: string): string => `const main = async (params) => { ${USE}
  let got; try { got = await (async () => { ${body} })() } catch (error) { got = [error, error?.constructor] }
  return { evidence: await use(got, params) } }`;

function expectNothing(result: RunResult): void {
  expect(JSON.stringify(result)).not.toContain(SECRET);
  // A probe can break its own process, but nothing else.
  if (!result.hasError) expect(result.response).toEqual({ evidence: [] });
  expect(connections).toBe(0);
  expect(existsSync(bait.markPath)).toBe(false);
}

test('there are at least 250 ways, each once', () => {
  const bodies = [...probes.map(({ body }) => body), ...pairs.map(({ leave, find }) => leave + find)];
  expect(new Set(bodies).size).toBe(bodies.length);
  expect(bodies.length).toBeGreaterThanOrEqual(250);
});

test('the check finds what an escape would reach', async () => {
  const reached = `const main = async (params) => { ${USE}
    return use([{ readTextFileSync: () => 'SECRET' }, (text) => () => ({ require: () => text })], params) }`;
  expect((await run(reached, { jsParams: bait })).response).toEqual([
    'readTextFileSync: SECRET',
    'require: return this',
    expect.stringMatching(/^require: return typeof process/),
    expect.stringMatching(/^require: return typeof Deno/),
  ]);
});

describe('reaches nothing:', () => {
  test.concurrent.each(probes)('$title', async ({ body }) => {
    expectNothing(await run(codeOf(body), { jsParams: bait, limits: { timeoutMs: 10_000 } }));
  });
});

/** Without walls, and with every permission of Deno. Tries a share of the ways, or all with `ESCAPES`. */
describe('reaches nothing through the globals alone:', () => {
  const every = process.env.ESCAPES === 'all' ? 1 : 12;
  const some = probes.filter((_probe, index) => index % every === 0);
  let scriptPath: string;
  beforeAll(async () => {
    scriptPath = await writeProgram(directory);
    await mkdir(join(directory, 'empty'));
  });
  const deno = denoBinary();
  const permitted: Walls = {
    ...noWalls({ deno }),
    wrap: (command) =>
      command.flatMap((part) => (/^--(deny|allow)-/.test(part) ? [] : part === 'run' ? ['run', '-A'] : part)),
  };

  test.each(some)('$title', async ({ body }) => {
    const limits = { ...defaultLimits, timeoutMs: 10_000 };
    const maxFrameBytes = 1024 * 1024;
    const spawner = plainSpawner({
      scriptPath,
      walls: permitted,
      timeoutMs: limits.timeoutMs,
      cwd: join(directory, 'empty'),
      cacheDir: join(directory, 'deno'),
      memoryLimitMb: limits.memoryLimitMb,
    });
    const actionProcess = await startProcess({ spawner, maxFrameBytes });
    const result = await runJob(actionProcess, {
      params: JSON.stringify(bait),
      callKey,
      callChain,
      limits,
      signal: undefined,
      loaded: loadCode(actionProcess, Buffer.from(codeOf(body)), limits.memoryLimitMb),
      load: () => Promise.reject(new ActionError('ImportError', 'no CDN')),
      names: createActionNames().forRun(1n),
      fetchOptions: defaultFetchOptions,
      maxFrameBytes,
      onHostError: (error) => expect.unreachable(String(error)),
    });
    expectNothing(result);
  });
});

describe('leaves nothing for the next run:', () => {
  test.each(pairs)('$title', async ({ leave, find }) => {
    const left = await run(`const main = async (params) => { ${leave} }`, { jsParams: { secret: SECRET } });
    const code = `const main = async ({ seen }) => { ${find} }`;
    const found = await run(code, {
      account: 2n,
      jsParams: { seen: left.logs },
      limits: { timeoutMs: 1_000 },
    });
    expect(JSON.stringify(found)).not.toContain(SECRET);
  });
});

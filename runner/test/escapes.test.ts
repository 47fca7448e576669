/** Runs each way out of an action, and looks at what it reached: the host, another run, the network. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRuntime, type Runtime } from '../src/runtime.ts';
import { runner, serve } from '../src/testing.ts';
import { type Bait, pairs, probes, USE } from './escapes.ts';

const SECRET = 'SECRET of the host';

let runtime: Runtime;
let server: Awaited<ReturnType<typeof serve>>;
let directory: string;
let bait: Bait;
let connections = 0;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'latchkey-escapes-'));
  const [secretPath, markPath] = [join(directory, 'secret'), join(directory, 'mark')];
  await writeFile(secretPath, SECRET);
  server = await serve((_request, response) => {
    connections += 1;
    response.end(SECRET);
  });
  const { url, port } = server;
  bait = { secretPath, markPath, url, port };
  runtime = await createRuntime({ poolSize: 4 });
});
afterAll(async () => {
  await runtime.close();
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});
const run = runner(() => runtime);

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
    const code = `const main = async (params) => { ${USE}
      let got; try { got = await (async () => { ${body} })() } catch (error) { got = [error, error?.constructor] }
      return { evidence: await use(got, params) } }`;
    const result = await run(code, { jsParams: bait, limits: { timeoutMs: 10_000 } });
    const text = JSON.stringify(result);
    expect(text).not.toContain(SECRET);
    // A probe can break its own process, but nothing else.
    if (!result.hasError) expect(result.response).toEqual({ evidence: [] });
    expect(connections).toBe(0);
    expect(existsSync(bait.markPath)).toBe(false);
  });
});

describe('leaves nothing for the next run:', () => {
  test.each(pairs)('$title', async ({ leave, find }) => {
    const left = await run(`const main = async (params) => { ${leave} }`, { jsParams: { secret: SECRET } });
    const code = `const main = async ({ seen }) => { ${find} }`;
    const found = await run(code, {
      ...{ account: 2n, jsParams: { seen: left.logs }, limits: { timeoutMs: 1_000 } },
    });
    expect(JSON.stringify(found)).not.toContain(SECRET);
  });
});

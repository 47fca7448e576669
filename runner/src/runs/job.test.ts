import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { denoBinary } from '@latchkey/fork-server';
import { ActionError, defaultLimits } from '@latchkey/runner-protocol';
import { hostErrorNames } from '@latchkey/runner-protocol/error-names';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createActionNames } from '../fetching/action-names.ts';
import { defaultFetchOptions } from '../fetching/guarded-agent.ts';
import { startProcess } from '../processes/action-process.ts';
import { noWalls } from '../processes/walls.ts';
import { callChain, callKey, plainSpawner, privateKey } from '../testing.ts';
import { loadCode, runJob } from './job.ts';

/** A process under an attacker's control: it writes arbitrary data to the channel. */
const HOSTILE = `
  const write = (bytes) => { for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at)) };
  const frame = (message, body = new Uint8Array()) => {
    const json = new TextEncoder().encode(typeof message === 'string' ? message : JSON.stringify(message));
    const bytes = new Uint8Array(8 + json.length + body.length);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, 4 + json.length + body.length);
    view.setUint32(4, json.length);
    bytes.set(json, 8);
    bytes.set(body, 8 + json.length);
    return bytes;
  };
  const post = (...args) => write(frame(...args));
  const wait = () => new Promise((resolve) => setTimeout(resolve, 60000));
  post({ type: 'ready' });
  await Deno.stdin.read(new Uint8Array(1));
`;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'latchkey-run-'));
  await mkdir(join(directory, 'empty'));
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

let files = 0;
const runHostile = async (script: string, timeoutMs = 5_000) => {
  files += 1;
  const scriptPath = join(directory, `hostile-${files}.js`);
  await writeFile(scriptPath, HOSTILE + script);
  const maxFrameBytes = 1024 * 1024;
  const limits = { ...defaultLimits, timeoutMs };
  const spawner = plainSpawner({
    scriptPath,
    timeoutMs,
    memoryLimitMb: limits.memoryLimitMb,
    walls: noWalls({ deno: denoBinary() }),
    cwd: join(directory, 'empty'),
    cacheDir: join(directory, 'deno'),
  });
  const actionProcess = await startProcess({ spawner, maxFrameBytes });
  const errors: unknown[] = [];
  const result = await runJob(actionProcess, {
    params: '{}',
    callKey,
    callChain,
    limits,
    signal: undefined,
    maxFrameBytes,
    loaded: loadCode(actionProcess, new Uint8Array(), limits.memoryLimitMb),
    load: () => Promise.reject(new ActionError('ImportError', 'no CDN')),
    names: createActionNames().forRun(1n),
    fetchOptions: defaultFetchOptions,
    onHostError: (error) => errors.push(error),
  });
  const exit = await actionProcess.exited;
  return { result, exit, errors };
};

describe('a process that forges frames', () => {
  test.each([
    ['noise', 'write(crypto.getRandomValues(new Uint8Array(65536).map((v) => v | 128)))'],
    ['text', 'write(new TextEncoder().encode("hello\\n".repeat(1000)))'],
    ['a frame of 4 GB', 'write(new Uint8Array([255, 255, 255, 255]))'],
    ['a second ready message', 'post({ type: "ready" })'],
    ['a response that is not JSON', 'post({ type: "done" }, new Uint8Array([123]))'],
    ['a host message', 'post({ type: "reply", id: 1, ok: true, value: "" })'],
    [
      'a repeated id',
      'for (const _ of [1, 2]) post({ type: "call", id: 5, operation: "getActionPrivateKey", args: {} })',
    ],
    [
      'an older id',
      'for (const id of [5, 4]) post({ type: "call", id, operation: "getActionPrivateKey", args: {} })',
    ],
    ['a pull without a fetch', 'post({ type: "pull", id: 1, chunks: 1 })'],
    ['a pull of no chunks', 'post({ type: "pull", id: 1, chunks: 0 })'],
    [
      'a pull of chunks that were not sent',
      `post({ type: "fetch", id: 1, url: "http://127.0.0.1/", method: "GET", headers: [], redirect: "follow", body: "none" });
       post({ type: "pull", id: 1, chunks: 1 })`,
    ],
    ['a chunk without a fetch', 'post({ type: "chunk", id: 1 }, new Uint8Array(1))'],
    [
      'a chunk that was not requested',
      `post({ type: "fetch", id: 1, url: "http://127.0.0.1/", method: "POST", headers: [], redirect: "follow", body: "chunks" });
       post({ type: "chunk", id: 1 }, new Uint8Array(1))`,
    ],
    ['more aborts than fetches', 'for (let id = 1; id < 99; id++) post({ type: "abort", id })'],
  ])('%s: is killed', async (_name, script) => {
    const { result, exit } = await runHostile(`${script}; await wait();`);
    expect(result).toMatchObject({ response: null, hasError: true, error: { name: 'ProcessError' } });
    expect(exit.signal).toBe('SIGKILL');
  });

  test.each([
    ['Deno.readTextFileSync("/etc/passwd")'],
    ['Deno.writeTextFileSync("/tmp/latchkey-escaped", "x")'],
    ['Deno.env.toObject()'],
    ['new Deno.Command("/bin/true").outputSync()'],
    ['await Deno.connect({ hostname: "127.0.0.1", port: 1 })'],
    ['Deno.listen({ port: 0 })'],
    ['await fetch("http://127.0.0.1:1")'],
    ['await import("node:fs").then((fs) => fs.readdirSync("/"))'],
    ['await import("node:child_process").then((c) => c.execSync("id"))'],
    ['await import("https://esm.sh/is-odd")'],
    ['await import("npm:is-odd")'],
    ['Deno.hostname()'],
    ['Deno.kill(1, "SIGTERM")'],
    ['Deno.dlopen("libc.so.6", {})'],
  ])('gains no access: %s', async (expression) => {
    const script = `let outcome; try { outcome = 'did ' + JSON.stringify(${expression}) } catch (error) { outcome = 'refused' }
      post({ type: 'done' }, new TextEncoder().encode(JSON.stringify(outcome))); await wait();`;
    expect((await runHostile(script)).result.response).toBe('refused');
  });

  test('can ask only for what its action can ask for, within the limits', async () => {
    const script = `for (let id = 1; id < 12; id++) post({ type: 'call', id, operation: 'getPrivateKey',
      args: { pkpId: '0x' + String(id).padStart(40, '0') } }); await wait();`;
    const { result } = await runHostile(script);
    expect(result.error?.name).toBe('KeyLimitError');
    expect(JSON.stringify(result)).not.toContain(privateKey.slice(2));
  });

  test('cannot make the host keep an oversized response or error', async () => {
    const large = await runHostile(
      `post({ type: 'done' }, new TextEncoder().encode('"' + 'x'.repeat(200000) + '"')); await wait();`,
    );
    expect(large.result.error?.name).toBe('ResponseLimitError');
    const text = `'x'.repeat(200000)`;
    const error = await runHostile(
      `post({ type: 'failed', name: ${text}, message: ${text}, stack: ${text} }); await wait();`,
    );
    expect(JSON.stringify(error.result).length).toBeLessThan(30_000);
  });

  test('a line of output counts by the bytes of its frame', async () => {
    const script = `const padded = JSON.stringify({ type: 'log', text: '' }) + ' '.repeat(900000);
      for (let i = 0; i < 100; i++) post(padded); await wait();`;
    const { result } = await runHostile(script);
    expect(result.error?.name).toBe('ConsoleLimitError');
  });

  test.each([...hostErrorNames])('cannot claim the name %s of a host error', async (name) => {
    const script = `post({ type: 'failed', name: '${name}', message: 'm', stack: '' }); await wait();`;
    expect((await runHostile(script)).result.error).toMatchObject({ name: 'Error', message: 'm' });
  });

  test('can claim the name of an error that the host answered with', async () => {
    const script = `post({ type: 'call', id: 1, operation: 'getPrivateKey', args: { pkpId: '0x' } });
      const chunk = new Uint8Array(65536);
      for (let text = ''; !text.includes('WalletNotPermittedError');)
        text += new TextDecoder().decode(chunk.subarray(0, await Deno.stdin.read(chunk)));
      post({ type: 'failed', name: 'WalletNotPermittedError', message: 'm', stack: '' }); await wait();`;
    expect((await runHostile(script)).result.error).toMatchObject({ name: 'WalletNotPermittedError' });
  });

  test('is killed at the timeout of the run when a frame never ends', async () => {
    const { result } = await runHostile('write(new Uint8Array([0, 0, 255, 0, 0])); await wait();', 300);
    expect(result.error?.name).toBe('TimeLimitError');
  });

  test('does not block the host when it reads no reply', async () => {
    const script = `for (let id = 1; id < 10; id++) post({ type: 'call', id, operation: 'Encrypt', args: {} });
      post({ type: 'done' }); for (;;);`;
    expect((await runHostile(script)).result).toMatchObject({ response: '', hasError: false });
  });
});

test('fails the run when it exits by itself', async () => {
  expect((await runHostile('Deno.exit(0)')).result.error?.name).toBe('ProcessError');
});

test('measures the processor time of a run without the start of its process', async () => {
  let cpuMs = 50;
  const stop = new AbortController();
  const running = runJob(
    {
      send: async () => {},
      onMessage() {},
      onViolation() {},
      kill() {},
      limitMemory() {},
      weigh() {},
      exited: new Promise<never>(() => {}),
      anonymousBytes: () => 0,
      cpuMs: () => cpuMs,
    },
    {
      params: '{}',
      callKey,
      callChain,
      limits: defaultLimits,
      signal: stop.signal,
      loaded: { memoryLimitBytes: 1, base: { memoryBytes: 0, cpuMs: 50 } },
      load: () => Promise.reject(new ActionError('ImportError', 'no CDN')),
      names: createActionNames().forRun(1n),
      fetchOptions: defaultFetchOptions,
      maxFrameBytes: 1_024,
      onHostError: (error) => expect.unreachable(String(error)),
    },
  );
  cpuMs += 101;
  stop.abort();
  expect((await running).usage?.cpuMs).toBe(101);
});

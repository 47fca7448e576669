import { buildSyscallFilter } from '@latchkey/fork-server/syscall-filter';
import { descendants, eventually, isRunning, stateOf } from '@latchkey/fork-server/testing';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { beforeAll, describe, expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';
import { serve } from '../testing.ts';

let requests = 0;
const server = await serve((_request, response) => {
  requests += 1;
  response.end('ok');
});
disposeAfterAll(server);
const run = await startRuntime({ fetch: { allowedAddresses: [`127.0.0.1:${server.port}`] } });
const broken = (name: string) => ({ response: null, hasError: true, error: { name } });

describe('wall time', () => {
  test.each([
    ['a loop', 'for (;;);'],
    ['a loop of promises', 'for (;;) await null;'],
    ['a timer that never stops', 'await new Promise(() => setInterval(() => {}, 1))'],
    ['a regular expression', '/^(a+)+$/.test("a".repeat(50) + "b")'],
    ['a loop in a finally', 'try { for (;;); } finally { for (;;); }'],
  ])('ends %s and keeps the logs', async (_name, body) => {
    const result = await run(`const main = async () => { console.log('before'); ${body} }`, {
      // A busy machine takes a while to start the code.
      limits: { timeoutMs: 4_000 },
    });
    expect(result).toMatchObject({ ...broken('TimeLimitError'), logs: 'before\n' });
    expect(result.durationMs).toBeGreaterThanOrEqual(3_995);
    expect(result.durationMs).toBeLessThan(8_000);
  });
});

test.skipIf(buildSyscallFilter() === undefined)(
  'the kernel ends a run a second after its time limit when the runner is stalled',
  async () => {
    const begun = Promise.withResolvers<string>();
    const running = run("const main = () => { console.log('begun'); for (;;); }", {
      limits: { timeoutMs: 1_000 },
      onLog: begun.resolve,
    });
    await begun.promise;
    // Processes that start or end are busy too, for a moment.
    let busy: number[] = [];
    await eventually(() => {
      busy = descendants(process.pid).filter((pid) => stateOf(pid) === 'R');
      return busy.length === 1;
    });
    // Blocks this process, the runner. The kernel counts processor time, which a busy machine gives slowly.
    const turn = new Int32Array(new SharedArrayBuffer(4));
    for (let i = 0; i < 300 && busy.some(isRunning); i++) Atomics.wait(turn, 0, 0, 100);
    expect(busy.filter(isRunning)).toEqual([]);
    expect(await running).toMatchObject(broken('TimeLimitError'));
  },
);

describe('memory', () => {
  let hostBytes = 0;
  beforeAll(() => {
    hostBytes = process.memoryUsage().rss;
  });

  test.each([
    ['arrays', 'for (;;) kept.push(new Array(1e5).fill(1.5))'],
    ['strings', 'for (;;) kept.push("x".repeat(1e5) + kept.length + Math.random())'],
    ['objects that are caught', 'for (;;) try { for (;;) kept.push({ a: [1] }) } catch {}'],
    ['buffers', 'for (;;) kept.push(new Uint8Array(1e6).fill(1))'],
    ['one buffer', 'new Uint8Array(1e9).fill(1)'],
    [
      'WebAssembly',
      'const m = new WebAssembly.Memory({ initial: 1 }); for (;;) { m.grow(64); new Uint8Array(m.buffer).fill(1) }',
    ],
    [
      'timers',
      'const f = () => { for (let i = 0; i < 1e4; i++) setTimeout(f, 1e6 - i); setTimeout(f, 0) }; f(); await new Promise(() => {})',
    ],
    [
      'a deep value',
      'let deep = []; for (let i = 0; i < 5e6; i++) deep = [deep, i, i]; return JSON.stringify(deep)',
    ],
    ['clones', 'let a = [1]; for (;;) { a = [a, structuredClone(a)]; kept.push(a) }'],
  ])('bomb of %s', async (_name, body) => {
    const result = await run(`const kept = []; const main = async () => { ${body} }`, {
      limits: { timeoutMs: 40_000 },
    });
    expect(result).toMatchObject({ response: null, hasError: true });
    // Refused memory can also appear as an error of the language, for example for one large buffer.
    expect(result.error?.name).toMatch(/^(MemoryLimitError|RangeError|DataCloneError)$/);
  });

  test('of 120 MB outside the heap is found by the watcher', async () => {
    const code = `const main = async () => { const bytes = new Uint8Array(120e6).fill(1);
      await new Promise((resolve) => setTimeout(resolve, 5000)); return bytes.length }`;
    expect(await run(code)).toMatchObject(broken('MemoryLimitError'));
  });

  test('of 40 MB is within the limit', async () => {
    const code = 'const main = () => new Uint8Array(40e6).fill(1).length';
    expect((await run(code)).response).toBe(40_000_000);
  });

  test('does not grow the memory of the host', () => {
    expect(process.memoryUsage().rss - hostBytes).toBeLessThan(200 * 1024 * 1024);
  });
});

describe('code', () => {
  test('runs 10 MiB', async () => {
    const code = `const text = "${'x'.repeat(10 * 1024 * 1024)}"; const main = () => text.length`;
    expect((await run(code)).response).toBe(10 * 1024 * 1024);
  });
});

describe('response', () => {
  test.each([
    ['text', '"x".repeat(102400)', '"x".repeat(102401)'],
    ['multi-byte text', '"ü".repeat(51200)', '"ü".repeat(51201)'],
    ['text with JSON escapes', '"\\u0000".repeat(102400)', '"\\u0000".repeat(102401)'],
    ['a value', '["x".repeat(102396)]', '["x".repeat(102397)]'],
  ])('of %s', async (_name, fits, tooLarge) => {
    expect((await run(`const main = () => ${fits}`)).hasError).toBe(false);
    expect(await run(`const main = () => ${tooLarge}`)).toMatchObject(broken('ResponseLimitError'));
    const caught = `function main() { try { Svc.Actions.setResponse({ response: ${tooLarge} }) } catch {} return 1 }`;
    expect(await run(caught)).toMatchObject(broken('ResponseLimitError'));
  });

  test('deep nesting', async () => {
    const nested = (levels: number) =>
      `const main = () => { let a = []; for (let i = 1; i < ${levels}; i++) a = [a]; return a }`;
    expect((await run(nested(500))).hasError).toBe(false);
    expect(await run(nested(502))).toMatchObject(broken('ResponseError'));
    expect(await run('const main = () => "[".repeat(5e4) + "]".repeat(5e4)')).toMatchObject(
      broken('ResponseError'),
    );
  });
});

describe('console', () => {
  test('keeps the first bytes of a flood', async () => {
    const result = await run('const main = () => { for (;;) console.log("flood") }');
    expect(result).toMatchObject(broken('ConsoleLimitError'));
    expect(result.logs).toBe('flood\n'.repeat(20_000).slice(0, 102_400));
  });

  test.each(['x', 'ü', '\\u0000'])('ends a run with one line that is too long, of %j', async (char) => {
    const result = await run(`const main = () => { console.log("${char}".repeat(5e6)); for (;;); }`);
    expect(result).toMatchObject(broken('ConsoleLimitError'));
    expect(Buffer.byteLength(result.logs)).toBeGreaterThan(102_390);
    expect(Buffer.byteLength(result.logs)).toBeLessThanOrEqual(102_400);
  });

  test('keeps output of exactly the limit', async () => {
    const result = await run('const main = () => { console.log("x".repeat(102399)) }');
    expect(result).toMatchObject({ hasError: false, logs: `${'x'.repeat(102_399)}\n` });
  });
});

describe('key operations', () => {
  const wallets = (count: number) => `const main = async () => {
    for (let i = 0; i < ${count}; i++) {
      const pkpId = '0x' + String(i).padStart(40, '0');
      await Svc.Actions.Encrypt({ pkpId, message: '' }).catch(() => {});
    }
    return 'done' }`;
  test('allows 10 wallets; the next one ends the run, caught or not, also when each call fails', async () => {
    expect((await run(wallets(10))).response).toBe('done');
    expect(await run(wallets(11))).toMatchObject(broken('KeyLimitError'));
  });

  test('allows 10 functions of one wallet, however it is written, and of key types and CIDs', async () => {
    const code = (more: string) => `const main = async ({ pkpId }) => {
      const { getPrivateKey, signMessage, sign, getPublicKey, getActionPublicKey, Encrypt } = Svc.Actions;
      const ignore = () => {};
      for (const of of [pkpId, pkpId.toLowerCase()]) {
        await getPrivateKey({ pkpId: of }).catch(ignore);
        for (const message of ['a', 'b', 'c']) await signMessage({ pkpId: of, message }).catch(ignore);
        for (const keyType of ['ed25519', 'bip340', 'taproot']) {
          await sign({ pkpId: of, keyType, message: '0x' }).catch(ignore);
          await getPublicKey({ pkpId: of, keyType }).catch(ignore);
        }
        await getActionPublicKey({ ipfsId: 'a' }).catch(ignore);
        await getActionPublicKey({ ipfsId: 'b' }).catch(ignore);
      }
      ${more}
      return 'done' }`;
    expect(await run(code(''))).toMatchObject({ response: 'done' });
    expect(await run(code('await Encrypt({ pkpId, message: "" }).catch(ignore);'))).toMatchObject(
      broken('KeyLimitError'),
    );
  });

  test('allows 100 calls; the next one ends the run, caught or not, also when each call fails', async () => {
    const calls = (count: number) => `const main = async ({ pkpId }) => {
      for (let i = 0; i < ${count}; i++) await Svc.Actions.signMessage({ pkpId, message: String(i) });
      return 'done' }`;
    expect((await run(calls(100))).response).toBe('done');
    expect(await run(calls(101))).toMatchObject(broken('KeyLimitError'));
    const code = 'const main = async () => { for (;;) await Svc.Actions.getPrivateKey({}).catch(() => {}) }';
    expect(await run(code)).toMatchObject(broken('KeyLimitError'));
  });
});

describe('fetch', () => {
  const fetches = (count: number, at: string) => `const main = async () => {
    const all = await Promise.all(Array.from({ length: ${count} }, () => fetch(${JSON.stringify(at)}).catch(() => 0)));
    return all.length }`;
  test('allows 50; the next one ends the run, caught or not', async () => {
    requests = 0;
    expect((await run(fetches(50, server.url))).response).toBe(50);
    expect(requests).toBe(50);
    requests = 0;
    expect(await run(fetches(51, server.url))).toMatchObject(broken('FetchLimitError'));
    expect(requests).toBeLessThanOrEqual(50);
  });

  test('count when they are refused', async () => {
    const code = 'const main = async () => { for (;;) await fetch("http://10.0.0.1/").catch(() => {}) }';
    expect(await run(code)).toMatchObject(broken('FetchLimitError'));
  });
});

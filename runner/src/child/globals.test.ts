import { readFile, readlink } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { runInNewContext } from 'node:vm';
import { denoBinary } from '@latchkey/fork-server';
import { descendants } from '@latchkey/fork-server/testing';
import { describe, expect, test, vi } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';

const run = await startRuntime();
const respond = async (expression: string) => {
  const result = await run(`const main = async (params) => (${expression})`);
  return result.hasError ? `threw ${result.error?.name}: ${result.error?.message}` : result.response;
};

/** The globals of the documented environment; all others belong to the language. */
const ENVIRONMENT = `
  AbortController AbortSignal Blob Buffer ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy Crypto CryptoKey
  CustomEvent DOMException DecompressionStream ErrorEvent Event EventTarget File FormData Headers Performance
  PerformanceEntry PerformanceMark PerformanceMeasure PromiseRejectionEvent QuotaExceededError
  ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest
  ReadableStreamDefaultController ReadableStreamDefaultReader Request Response SubtleCrypto Svc SvcActions TextDecoder
  TextDecoderStream TextEncoder TextEncoderStream TransformStream TransformStreamDefaultController URL URLPattern
  URLSearchParams WebAssembly WritableStream WritableStreamDefaultController WritableStreamDefaultWriter atob btoa
  clearInterval clearTimeout console crypto ethers fetch global performance queueMicrotask reportError self setInterval
  setTimeout structuredClone`
  .trim()
  .split(/\s+/);

test("the global scope has the documented names, the language's own, and the names that Deno needs", async () => {
  const names = (await respond(`(() => {
    const names = new Set();
    for (let at = globalThis; at; at = Object.getPrototypeOf(at)) {
      for (const key of Reflect.ownKeys(at)) names.add(String(key));
    }
    return [...names];
  })()`)) as string[];
  const language = new Set([
    ...(runInNewContext(
      'Object.getOwnPropertyNames(globalThis).concat(Object.getOwnPropertyNames(Object.prototype))',
    ) as string[]),
    ...['Temporal', 'Float16Array', 'SuppressedError', 'DisposableStack', 'AsyncDisposableStack'],
  ]);
  const others = names.filter((name) => ENVIRONMENT.includes(name) || !language.has(name));
  expect(others.sort()).toEqual([...ENVIRONMENT, 'dispatchEvent'].sort());
});

describe('out of reach:', () => {
  test.each([
    ...['Deno', 'process', 'Worker', 'require', 'module', 'window', 'navigator', 'location'],
    ...[
      'WebSocket',
      'EventSource',
      'XMLHttpRequest',
      'caches',
      'localStorage',
      'sessionStorage',
      'indexedDB',
      'Atomics',
    ],
    ...['SharedArrayBuffer', 'BroadcastChannel', 'MessageChannel', 'prompt', 'alert', 'close', '__bootstrap'],
  ])('%s', async (name) => {
    const ask = JSON.stringify(`return typeof ${name}`);
    const everywhere = `[typeof ${name}, typeof globalThis.${name}, (0, eval)("typeof ${name}"), Function(${ask})(),
      (() => {}).constructor.constructor(${ask})(), await fetch.constructor(${ask})(),
      setTimeout.constructor(${ask})(), crypto.subtle.digest.constructor.constructor(${ask})()]`;
    expect(await respond(everywhere)).toEqual(Array(8).fill('undefined'));
  });

  test.each([
    'import fs from "node:fs"; const main = () => fs.readdirSync("/")',
    'import "https://esm.sh/is-odd@3.0.1"; const main = () => 1',
    'import "./runtime.js"; const main = () => 1',
    'import "data:text/javascript,1"; const main = () => 1',
    'export * from "node:os"; const main = () => 1',
  ])('rejects a static import: %s', async (code) => {
    expect(await run(code)).toMatchObject({ response: null, hasError: true, error: { name: 'ImportError' } });
  });

  test.each([
    'import("node:fs")',
    'import("npm:ethers")',
    'import("jsr:@std/fs")',
    'import("./runtime.js")',
    'import("data:text/javascript,import \'node:fs\'")',
    "import(\"data:text/javascript,import 'file:///etc/passwd' with { type: 'text' }\")",
    'import(URL.createObjectURL(new Blob(["import \'node:fs\'"], { type: "text/javascript" })))',
    'import("file:///etc/passwd", { with: { type: "text" } })',
    'eval("import(\'node:process\')")',
    '(0, eval)("import(\'node:process\')")',
    'new Function("return import(\'node:process\')")()',
    '(async () => {}).constructor("return import(\'node:process\')")()',
    '(function* () {}).constructor("yield import(\'node:process\')")().next().value',
    'fetch.constructor("return import(\'node:process\')")()',
    'setTimeout.constructor.constructor("return import(\'node:process\')")()',
    'ethers.Wallet.constructor("return import(\'node:process\')")()',
    'Promise.resolve("import(\'node:process\')").then(eval)',
    'new Promise((resolve) => setTimeout(() => resolve(import("node:process")), 1))',
  ])('rejects a dynamic import: %s', async (expression) => {
    expect(await respond(expression)).toMatch(/^threw /);
  });

  test('import() of a module of Node, by any of its names', async () => {
    const binary = (await readFile(denoBinary())).toString('latin1');
    const names = new Set([...builtinModules, ...(binary.match(/node:[a-z_0-9]+(?:\/[a-z_0-9]+)?/g) ?? [])]);
    expect(names.size).toBeGreaterThan(72);
    const all = JSON.stringify([...names].flatMap((name) => [name, `node:${name.replace('node:', '')}`]));
    const imported = await respond(`(async () => {
      const imported = [];
      for (const name of ${all}) await import(name).then(() => imported.push(name), () => {});
      return imported;
    })()`);
    expect(imported).toEqual([]);
  });

  test('import() of the text of an action runs it like eval', async () => {
    const text = 'export default [typeof Deno, typeof process, typeof Worker, typeof import.meta.main]';
    expect(
      await respond(`(await import(${JSON.stringify(`data:text/javascript,${text}`)})).default`),
    ).toEqual(['undefined', 'undefined', 'undefined', 'boolean']);
  });

  test('timers do not run text', async () => {
    expect(await respond('setTimeout("globalThis.x = 1", 1)')).toMatch(/^threw TypeError/);
  });

  test('import.meta is empty', async () => {
    expect(await respond('Reflect.ownKeys(import.meta)')).toEqual([]);
  });

  test("no path from the environment's objects leads to Deno", async () => {
    const { response, error } = await run(WALK);
    expect(error).toBeUndefined();
    const { count, found } = response as { count: number; found: string[] };
    expect(found).toEqual([]);
    expect(count).toBeGreaterThan(2_000);
  });

  test('callers and call sites lead only to functions of the action', async () => {
    const code = `const found = [];
      function main() {
        Error.prepareStackTrace = (_, sites) => {
          found.push(...sites.flatMap((site) => [site.getThis(), site.getFunction()]));
          return sites.map(String).join();
        };
        const stack = new Error().stack;
        return [stack, found.filter((value) => value != null && value !== globalThis && value !== main).length,
          main.caller === null, arguments.callee.caller === null];
      }`;
    expect((await run(code)).response).toEqual(['main (action.js:7:23)', 0, true, true]);
  });
});

test('a run sees no change that another run made to the globals', async () => {
  const poison = `function main() {
    globalThis.leaked = 1; Object.prototype.leaked = 1; Array.prototype.map = () => 'leaked'; ethers.leaked = 1;
    JSON.stringify = () => '"leaked"'; Promise.prototype.then = () => {}; globalThis.fetch = () => 'leaked';
    return 'done';
  }`;
  const look = `const main = () => [typeof leaked, {}.leaked ?? null, [1].map((x) => x)[0], ethers.leaked ?? null,
    JSON.stringify(1), fetch.toString().includes('leaked')]`;
  for (let round = 0; round < 3; round++) {
    await run(poison, { limits: { timeoutMs: 2_000 } });
    expect((await run(look)).response).toEqual(['undefined', null, 1, null, '1', false]);
  }
  expect(({} as Record<string, unknown>).leaked).toBeUndefined();
});

test('concurrent runs do not see each other', async () => {
  const code = `let mine; const main = async ({ n }) => { mine = n; globalThis.n = n;
    await new Promise((resolve) => setTimeout(resolve, 20)); return [mine, globalThis.n] }`;
  const results = await Promise.all(Array.from({ length: 8 }, (_, n) => run(code, { jsParams: { n } })));
  expect(results.map(({ response }) => response)).toEqual(Array.from({ length: 8 }, (_, n) => [n, n]));
});

test('a __proto__ among the parameters or in the response stays a plain property', async () => {
  const jsParams = JSON.parse('{"__proto__":{"polluted":1}}');
  const { response } = await run('const main = (params) => params', { jsParams });
  expect(JSON.stringify(response)).toBe('{"__proto__":{"polluted":1}}');
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('the process has no environment and cannot gain rights', async () => {
  // Read from outside: the action's own view does not show what an escaped process could reach.
  const read = async () => {
    const found: { names: (string | undefined)[]; status: string }[] = [];
    for (const pid of descendants(process.pid)) {
      // Excludes the shell that a starting process is.
      const program = await readlink(`/proc/${pid}/exe`).catch(() => '');
      if (!program.endsWith('/deno')) continue;
      const file = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
      const [environ, status] = await Promise.all([file('environ'), file('status')]);
      const names = environ
        .split('\0')
        .filter(Boolean)
        .map((entry) => entry.split('=')[0])
        .sort();
      // A process that is ending has none.
      if (names.length > 0 && status !== '') found.push({ names, status });
    }
    return found;
  };
  // The process of the run before may have ended, and the next one may still start.
  const found = await vi.waitFor(
    async () => {
      const processes = await read();
      expect(processes).not.toEqual([]);
      return processes;
    },
    { timeout: 30_000 },
  );
  for (const { names, status } of found) {
    expect(names).toEqual(['DENO_DIR', 'DENO_NO_UPDATE_CHECK', 'NO_COLOR', 'PWD', 'TZ']);
    expect(status).toMatch(/NoNewPrivs:\s+1/);
  }
});

/**
 * Follows every property, accessor and prototype from each global and from an object of each of its kinds, and reports
 * names that belong to Deno or Node.
 */
const WALK = `async function main() {
  const FORBIDDEN = /^op_|^(ops|core|Deno|process|require|primordials|__bootstrap|loadExtScript|internals?|env|cwd|exit|execPath|stdin|stdout|spawn|Command|Worker|openSync|readFileSync|readTextFile|writeSync|destructureError|evalContext)$/;
  let event;
  const target = new EventTarget();
  target.addEventListener('x', (given) => { event = given; });
  target.dispatchEvent(new Event('x'));
  const form = new FormData();
  form.set('file', new Blob(['x']));
  const code = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
  const objects = {
    event, target, form, file: form.get('file'), stream: new Blob(['x']).stream(), url: new URL('https://a.example/?b=c'),
    request: new Request('https://a.example', { method: 'POST', body: 'x' }), response: new Response('x'),
    body: new Response('x').body, reader: new Response('x').body.getReader(), headers: new Headers({ a: 'b' }),
    entries: new Headers({ a: 'b' }).entries(), writer: new WritableStream().getWriter(), pipe: new TransformStream(),
    zip: new CompressionStream('gzip'), unzip: new DecompressionStream('gzip'), decoder: new TextDecoder(),
    decoderStream: new TextDecoderStream(), encoderStream: new TextEncoderStream(), pattern: new URLPattern({ pathname: '/a' }),
    controller: new AbortController(), timeout: AbortSignal.timeout(1000), any: AbortSignal.any([AbortSignal.timeout(1000)]),
    timer: setTimeout(() => {}, 0), error: new DOMException('x'), refused: await fetch('http://127.0.0.1/').catch((e) => e),
    promise: fetch('http://127.0.0.1/').catch(() => {}), call: await Svc.Actions.getPrivateKey({}).catch((e) => e),
    strategies: [new CountQueuingStrategy({ highWaterMark: 1 }), new ByteLengthQueuingStrategy({ highWaterMark: 1 })],
    byob: new ReadableStream({ type: 'bytes' }).getReader({ mode: 'byob' }), custom: new CustomEvent('x'),
    thrown: new ErrorEvent('error'), rejected: new PromiseRejectionEvent('x', { promise: Promise.resolve() }),
    key: await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']), mark: performance.mark('x'),
    wasm: new WebAssembly.Instance(new WebAssembly.Module(code)), prepare: Error.prepareStackTrace,
  };
  const seen = new Set();
  const found = [];
  const walk = (value, path, depth) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
    if (depth > 12) return;
    seen.add(value);
    for (const key of Reflect.ownKeys(value)) {
      if (FORBIDDEN.test(String(key))) found.push(path + '.' + String(key));
      const { get, set } = Reflect.getOwnPropertyDescriptor(value, key) ?? {};
      walk(get, path + '.get ' + String(key), depth + 1);
      walk(set, path + '.set ' + String(key), depth + 1);
      let next;
      try { next = value[key]; } catch { continue; }
      if (next instanceof Promise) next.catch(() => {});
      walk(next, path + '.' + String(key), depth + 1);
    }
    walk(Object.getPrototypeOf(value), path + '.__proto__', depth + 1);
  };
  for (const [name, value] of Object.entries(objects)) walk(value, name, 0);
  for (const key of Reflect.ownKeys(globalThis)) walk(globalThis[key], String(key), 0);
  return { count: seen.size, found };
}`;

/** Work that has not ended when `main` settles. */
import { setTimeout as delay } from 'node:timers/promises';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { describe, expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';
import { serve } from '../testing.ts';

const server = await serve(async (request, response) => {
  await delay(Number(request.url?.slice(1)) || 0);
  response.end('from the server');
});
disposeAfterAll(server);
const run = await startRuntime({ fetch: { allowedAddresses: [`127.0.0.1:${server.port}`] } });

const get = (afterMs: number) => `fetch('${server.url}/${afterMs}').then((response) => response.text())`;

test('an IIFE inside of main that fetches and sets the response returns its value', async () => {
  const code = `const main = () => {
    (async () => { const response = await ${get(100)}; Svc.Actions.setResponse({ response }); })();
  }`;
  const { response, logs, error } = await run(code);
  expect(error).toBeUndefined();
  expect(response).toBe('from the server');
  expect(logs).toBe(
    `warning: main returned before its work ended: the run waits for: fetch of ${new URL(server.url).host}. Await the work in main, and clear timers\n`,
  );
});

test.each([
  ['a timer', `setTimeout(() => set('late'), 50)`, '1 timer'],
  ['a timer without a delay', `setTimeout(() => set('late'))`, undefined],
  ['timers, one after the other', `setTimeout(() => setTimeout(() => set('late'), 20), 20)`, '1 timer'],
  [
    'a key function',
    `Svc.Actions.signMessage({ pkpId, message: 'a' }).then(() => set('late'))`,
    'signMessage',
  ],
  ['microtasks', `(async () => { for (let i = 0; i < 100; i++) await null; set('late') })()`, undefined],
  ['cryptography', `crypto.subtle.digest('SHA-256', new Uint8Array(1e6)).then(() => set('late'))`, undefined],
])('waits for %s', async (_what, work, named) => {
  const code = `const main = ({ pkpId }) => { const set = (response) => Svc.Actions.setResponse({ response }); ${work} }`;
  const { response, logs, error } = await run(code);
  expect(error).toBeUndefined();
  expect(response).toBe('late');
  if (named === undefined) expect(logs).toBe('');
  else expect(logs).toContain(`the run waits for: ${named}. `);
});

test('a value that main returns stays the response, and the work is done', async () => {
  const code = `const main = () => { ${get(50)}.then(console.log); setTimeout(() => Svc.Actions.setResponse({ response: 'late' }), 80); return 'value' }`;
  const { response, logs } = await run(code);
  expect(response).toBe('value');
  expect(logs).toMatch(/^warning: .*fetch of [\w.:]+, 1 timer\. .*\nfrom the server\n$/);
});

test.each([
  `setTimeout(() => { throw new RangeError('late') }, 20)`,
  `Promise.reject(new RangeError('late'))`,
  `setTimeout(() => reportError(new RangeError('late')), 20)`,
])('the error of %s fails the run, and is in the logs of a run that returned a value', async (work) => {
  expect((await run(`const main = () => { ${work} }`)).error).toMatchObject({
    name: 'RangeError',
    message: 'late',
  });
  const { response, logs } = await run(`const main = () => { ${work}; return 1 }`);
  expect(response).toBe(1);
  expect(logs).toMatch(/^error after main returned: RangeError: late\n {4}at .*action\.js:1:/m);
});

test('does not wait for intervals, and says so', async () => {
  const code = `const main = () => { setInterval(() => {}, 10); return 1 }`;
  const { response, logs, durationMs } = await run(code);
  expect(response).toBe(1);
  expect(logs).toContain('the run does not wait for 1 interval');
  expect(durationMs).toBeLessThan(2_000);
  const later = `const main = () => { setTimeout(() => setInterval(() => {}, 10), 10); return 1 }`;
  expect((await run(later)).response).toBe(1);
});

test('nothing is said when nothing is pending', async () => {
  const code = `const main = async () => {
    const timer = setTimeout(() => {}, 60_000); clearTimeout(timer);
    const every = setInterval(() => {}, 1); clearInterval(every);
    await ${get(0)};
    return 1 }`;
  expect(await run(code)).toMatchObject({ response: 1, logs: '' });
});

test('a warning has no path and no query, which can have a key', async () => {
  const { logs } = await run(`const main = () => { fetch('${server.url}/10?key=SECRET'); return 1 }`);
  expect(logs).toContain(`fetch of ${new URL(server.url).host}`);
  expect(logs).not.toContain('SECRET');
});

test.each([
  ['setResponse with too large a value', `Svc.Actions.setResponse({ response: 'x'.repeat(1e6) })`],
  ['setResponse', `Svc.Actions.setResponse({ response: 2 })`],
  [
    'an error that cannot be shown',
    `Promise.reject({ get message() { throw 1 }, [Symbol.for('Deno.customInspect')]() { throw 1 } })`,
  ],
])('later work cannot change the value that main returned: %s', async (_, work) => {
  const code = `const main = () => { setTimeout(() => { ${work} }, 10); return 1 }`;
  expect(await run(code)).toMatchObject({ response: 1, hasError: false });
});

describe('hostile work', () => {
  test('ends at the time limit, and the warning stays', async () => {
    const code = `const main = () => { const again = () => setTimeout(again, 1); again(); return 1 }`;
    const { error, logs } = await run(code, { limits: { timeoutMs: 300 } });
    expect(error?.name).toBe('TimeLimitError');
    expect(logs).toContain('the run waits for: 1 timer');
  });

  test('has a short warning, however much there is', async () => {
    const code = `const main = () => {
      for (let i = 0; i < 40; i++) fetch('${server.url}/10?' + 'x'.repeat(5_000)).catch(() => {});
      for (let i = 0; i < 1e4; i++) setTimeout(() => {}, 1);
      return 1 }`;
    const { logs } = await run(code);
    expect(logs).toContain('35 more requests, 10000 timers');
    expect(logs.length).toBeLessThan(1_001);
  });

  test('has its warning cut when the output is full', async () => {
    const code = `const main = () => { console.log('x'.repeat(102_390)); setTimeout(() => {}, 1); return 1 }`;
    const { response, logs } = await run(code);
    expect(response).toBe(1);
    expect(logs).toHaveLength(102_400);
  });
});

test.each([
  'globalThis.dispatchEvent = () => {}',
  'Object.defineProperty(globalThis, "dispatchEvent", { get: () => () => true })',
  'Object.defineProperty(globalThis, "dispatchEvent", { value: () => {}, configurable: false, writable: false })',
  'Reflect.defineProperty = () => false',
])('a run ends after %s', async (code) => {
  const main = `const main = () => { ${code}; return 1 }`;
  expect(await run(main, { limits: { timeoutMs: 5_000 } })).toMatchObject({ response: 1, hasError: false });
});

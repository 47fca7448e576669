import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { eventually } from '@latchkey/fork-server/testing';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { beforeEach, describe, expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';
import { serve } from '../testing.ts';

const TIMEOUT_MS = 1_500;
const LARGE = Buffer.alloc(2 * 1024 * 1024, 'x');
/** Responses of `/stream` whose connection is open. */
const open = new Set<ServerResponse>();
type Upload = { headers: IncomingHttpHeaders; body: string; isOpen: boolean };
let uploads: Upload[] = [];
/** Open connections of `/kept`. */
const kept = new Set<Socket>();
let streams = 0;
let written = 0;

const server = await serve((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
  const say = (text: string) => {
    for (const stream of open) stream.write(text);
    response.end();
  };
  switch (pathname) {
    case '/stream':
      streams += 1;
      open.add(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      response.once('close', () => open.delete(response));
      return;
    case '/kept': {
      kept.add(request.socket);
      request.socket.once('close', () => kept.delete(request.socket));
      // Neither side closes the idle connection by itself.
      response.once('close', () => setImmediate(() => request.socket.setTimeout(0)));
      return response.setHeader('keep-alive', 'timeout=600').end('kept');
    }
    case '/say':
      return say('data: event\n\n');
    case '/small':
      return response.end('ok');
    case '/end':
      for (const stream of open) stream.end('end');
      return response.end();
    case '/reset':
      for (const stream of open) stream.socket?.resetAndDestroy();
      return response.end();
    case '/open':
      return response.end(String(open.size));
    case '/written':
      return response.end(String(written));
    case '/echo':
      return request.pipe(response);
    case '/upload': {
      uploads.push({ headers: request.headers, body: '', isOpen: true });
      const upload = uploads.at(-1) as Upload;
      request.on('data', (chunk) => {
        upload.body += chunk;
      });
      request.once('close', () => {
        upload.isOpen = false;
      });
      return request.once('end', () => response.end(upload.body));
    }
    case '/uploaded':
      return response.end(uploads.at(-1)?.body);
    case '/uploads':
      return response.end(String(uploads.filter(({ isOpen }) => isOpen).length));
    case '/large':
      return response.end(LARGE);
    case '/refuse':
      return response.writeHead(413).end('too large');
    case '/redirect':
      request.resume();
      return response.writeHead(Number(searchParams.get('status')), { location: '/upload' }).end();
    case '/fast': {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536))) return;
        }
      };
      response.on('drain', more);
      return more();
    }
    default:
      return response.end(Buffer.alloc(300_000, 'x'));
  }
});
disposeAfterAll(server);
beforeEach(() => {
  open.clear();
  uploads = [];
  streams = 0;
});

const runCode = await startRuntime({
  fetch: {
    allowedAddresses: [`127.0.0.1:${server.port}`],
    timeoutMs: TIMEOUT_MS,
    maxResponseBodyBytes: 60_000_000,
    maxRequestBodyBytes: 200_000,
  },
});
const run = (code: string, options: Parameters<typeof runCode>[1] = {}) =>
  runCode(code, { limits: { timeoutMs: 20_000 }, ...options });
/** Runs statements that can use `server`, and `opened`, the response to `/stream`. */
const withStream = (statements: string, init = '') =>
  run(`const main = async () => {
    const server = '${server.url}';
    const say = (path) => fetch(server + path).then((response) => response.text());
    const read = async (reader) => new TextDecoder().decode((await reader.read()).value);
    const opened = await fetch(server + '/stream'${init && `, ${init}`});
    ${statements}
  }`);

test.each([
  ['text', '(await response.text()).length'],
  ['bytes', '(await response.bytes()).length'],
  [
    'chunks',
    'await (async () => { let size = 0; for await (const chunk of response.body) size += chunk.length; return size })()',
  ],
])('25 bodies of 2 MiB that are read as %s and dropped fit into 64 MB', async (_kind, size) => {
  const { response, error, usage } = await run(
    `const main = async () => {
      let read = 0;
      for (let i = 0; i < 25; i++) { const response = await fetch('${server.url}/large'); read += ${size} }
      return read;
    }`,
    { limits: { timeoutMs: 60_000, maxFetchBytes: 2 ** 30 } },
  );
  expect({ response, error }).toEqual({ response: 25 * LARGE.length });
  expect(usage.memoryPeakBytes).toBeLessThan(48 * 2 ** 20);
});

describe('a body that the server sends bit by bit', () => {
  test('reaches the action bit by bit, after the head', async () => {
    const { response, error } = await withStream(`
      const reader = opened.body.getReader();
      const seen = [opened.status, opened.headers.get('content-type')];
      for (let i = 0; i < 3; i++) {
        await say('/say');
        seen.push(await read(reader));
      }
      await say('/end');
      seen.push(await read(reader), (await reader.read()).done);
      return seen;`);
    expect(error).toBeUndefined();
    const event = 'data: event\n\n';
    expect(response).toEqual([200, 'text/event-stream', event, event, event, 'end', true]);
  });

  test.each([
    ['text()', `const body = opened.text(); await say('/say'); await say('/end'); return body`],
    ['a buffer of the reader', BYOB()],
    [
      'both branches of a clone',
      `const copy = opened.clone(); await say('/say'); await say('/end');
       return await copy.text() === await opened.text() && opened.text().catch((e) => e.name) && 'data: event\\n\\nend'`,
    ],
    [
      'a TransformStream',
      `let text = ''; const done = (async () => {
         for await (const part of opened.body.pipeThrough(new TextDecoderStream())) text += part;
       })(); await say('/say'); await say('/end'); await done; return text`,
    ],
  ])('can be read with %s', async (_name, statements) => {
    const { response, error } = await withStream(statements);
    expect({ response, error }).toEqual({ response: 'data: event\n\nend' });
  });

  function BYOB() {
    return `const reader = opened.body.getReader({ mode: 'byob' });
      let text = '';
      const done = (async () => {
        for (;;) {
          const { value, done } = await reader.read(new Uint8Array(5));
          text += new TextDecoder().decode(value);
          if (done) return;
        }
      })();
      await say('/say'); await say('/end'); await done; return text`;
  }

  test('is not read from the server faster than the action takes it', async () => {
    written = 0;
    const { response, error } = await run(`const main = async () => {
      const written = async () => Number(await (await fetch('${server.url}/written')).text());
      const reader = (await fetch('${server.url}/fast')).body.getReader();
      await reader.read();
      // The buffers between server and action fill up, and then nothing moves.
      let before = -1;
      for (let now = await written(), same = 0; same < 5; same = now === before ? same + 1 : 0) {
        before = now;
        await new Promise((resolve) => setTimeout(resolve, 20));
        now = await written();
      }
      let taken = 0;
      while (taken <= 20_000_000) taken += (await reader.read()).value.length;
      return [before < 20_000_000, await written() > before];
    }`);
    expect(error).toBeUndefined();
    expect(response).toEqual([true, true]);
  });

  test('larger than a chunk arrives whole', async () => {
    const { response } = await run(
      `const main = async () => (await (await fetch('${server.url}/')).text()).length`,
    );
    expect(response).toBe(300_000);
  });
});

describe('the connection closes when', () => {
  const isClosed = `while (await say('/open') !== '0') await new Promise((resolve) => setTimeout(resolve, 5));`;

  test.each([
    [
      'the action cancels the reader',
      '',
      `await opened.body.getReader().cancel(); ${isClosed} return 'closed'`,
    ],
    ['the action cancels the body', '', `await opened.body.cancel(); ${isClosed} return 'closed'`],
    [
      'the action leaves its loop over the body',
      '',
      `await say('/say'); for await (const chunk of opened.body) break; ${isClosed} return 'closed'`,
    ],
    [
      'its signal aborts, with the reason of the signal for the reader',
      '{ signal: (globalThis.controller = new AbortController()).signal }',
      `const reading = opened.text().catch((reason) => reason);
       globalThis.controller.abort('closed'); ${isClosed} return reading`,
    ],
    [
      'its signal aborts before the body is read',
      '{ signal: (globalThis.controller = new AbortController()).signal }',
      `globalThis.controller.abort('closed'); ${isClosed} return opened.text().catch((reason) => reason)`,
    ],
  ])('%s', async (_name, init, statements) => {
    const { response, error } = await withStream(statements, init);
    expect({ response, error }).toEqual({ response: 'closed' });
  });

  test('its signal aborts before a small body is read', async () => {
    const { response, error } = await run(`const main = async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const [read, unread] = await Promise.all([1, 2].map(() => fetch('${server.url}/small', { signal })));
      const text = await read.text();
      controller.abort('closed');
      return [text, await unread.text().catch((reason) => reason)];
    }`);
    expect({ response, error }).toEqual({ response: ['ok', 'closed'] });
  });

  test.each([
    ['returns', "return 'ended'"],
    ['throws', "throw new Error('ended')"],
    ['waits for nothing more', 'await new Promise(() => {})'],
  ])('the action %s and has a body unread', async (_name, statements) => {
    const { usage } = await withStream(statements);
    await eventually(() => open.size === 0);
    expect(streams).toBe(1);
    expect(usage.fetchHosts).toEqual([new URL(server.url).host]);
  });

  test('the run ends, also when it is idle', async () => {
    const code = `const main = async () => (await fetch('${server.url}/kept')).text()`;
    expect(await run(code)).toMatchObject({ response: 'kept' });
    await eventually(() => kept.size === 0);
  });

  test('the run is stopped while the action reads', async () => {
    const stop = new AbortController();
    const running = run(`const main = async () => (await fetch('${server.url}/stream')).text()`, {
      signal: stop.signal,
    });
    await eventually(() => open.size === 1);
    stop.abort();
    await running;
    await eventually(() => open.size === 0);
  });
});

describe('a read rejects with a TypeError when', () => {
  test('the server resets the connection', async () => {
    const { response } = await withStream(`
      await say('/say');
      const reader = opened.body.getReader();
      await reader.read();
      await say('/reset');
      return reader.read().catch((error) => [error instanceof TypeError, error.name, error.message]);`);
    expect(response).toEqual([
      true,
      'TypeError',
      expect.stringMatching(/^fetch failed: (ECONNRESET|UND_ERR)/),
    ]);
  });

  test('no data comes within the timeout', async () => {
    const { error } = await withStream('return opened.text()');
    expect(error).toMatchObject({
      name: 'TypeError',
      message: `fetch failed: no further data of the response in ${TIMEOUT_MS} ms: allow more time with fetch(url, { timeoutMs: ${4 * TIMEOUT_MS} })`,
    });
    expect(error?.stack).toContain('action.js');
  });
});

test('the timeout does not count the time in which the action takes nothing of what came', async () => {
  const { response, error } = await run(`const main = async () => {
    const reader = (await fetch('${server.url}/fast')).body.getReader();
    await new Promise((resolve) => setTimeout(resolve, ${TIMEOUT_MS + 300}));
    let taken = 0;
    while (taken <= 20_000_000) taken += (await reader.read()).value.length;
    return taken > 20_000_000;
  }`);
  expect({ response, error }).toEqual({ response: true });
});

test('a run whose unread body is all that is left fails with NeverSettledError', async () => {
  expect((await withStream('await new Promise(() => {})')).error?.name).toBe('NeverSettledError');
});

describe('a request body that is a stream', () => {
  /** Runs statements that can use `post`, which posts a body. */
  const posting = (statements: string) =>
    run(`const main = async () => {
      const server = '${server.url}';
      const say = (path) => fetch(server + path).then((response) => response.text());
      const post = (body, path = '/upload', init) =>
        fetch(server + path, { method: 'POST', body, duplex: 'half', ...init });
      const encode = (text) => new TextEncoder().encode(text);
      const outcome = (fetched) => fetched.then((response) => response.text(), (error) => String(error));
      ${statements}
    }`);

  test('is sent as the action produces it, chunked', async () => {
    const { response, error } = await posting(`
      const { readable, writable } = new TransformStream();
      const writer = writable.getWriter();
      const posted = post(readable);
      const uploaded = async (text) => { while (await say('/uploaded') !== text); };
      await writer.write(encode('one,'));
      await uploaded('one,');
      await writer.write(encode('two'));
      await uploaded('one,two');
      await writer.close();
      return (await posted).text();`);
    expect({ response, error }).toEqual({ response: 'one,two' });
    expect(uploads[0]?.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
    expect(uploads[0]?.headers).not.toHaveProperty('content-length');
  });

  test.each([
    ['of a Request', `fetch(new Request(server + '/upload', { method: 'POST', duplex: 'half', body }))`],
    ['larger than a chunk', 'post(body)'],
  ])('%s arrives whole', async (_which, expression) => {
    const { response, error } = await posting(`
      const body = new Blob(['x'.repeat(150000)]).stream();
      return (await (await ${expression}).text()).length;`);
    expect({ response, error }).toEqual({ response: 150_000 });
  });

  test('can be the body of a response', async () => {
    const { response, error } = await posting(
      `return (await (await post((await fetch(server + '/echo', { method: 'POST', body: 'abc' })).body)).text())`,
    );
    expect({ response, error }).toEqual({ response: 'abc' });
  });

  test.each([
    ['text', `'abc'`, 3],
    ['bytes', `encode('abc')`, 3],
    ['a Blob', `new Blob(['abc'])`, 3],
    ['a URLSearchParams', `new URLSearchParams({ a: 'b' })`, 3],
  ])('of another kind has its length: %s', async (_kind, body, bytes) => {
    await posting(`await post(${body})`);
    expect(uploads[0]?.headers).toMatchObject({ 'content-length': String(bytes) });
    expect(uploads[0]?.headers).not.toHaveProperty('transfer-encoding');
  });

  test('that fails rejects the fetch with its error, and closes the connection', async () => {
    const { response, error } = await posting(`
      let count = 0;
      const failed = await outcome(post(new ReadableStream({
        async pull(controller) {
          count += 1;
          if (count === 1) return controller.enqueue(encode('a'));
          while (await say('/uploaded') !== 'a');
          controller.error(new RangeError('mine'));
        } })));
      while (await say('/uploads') !== '0');
      return failed;`);
    expect({ response, error }).toEqual({ response: 'RangeError: mine' });
  });

  test.each([
    [
      'above the limit',
      `new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(50000)) })`,
      'TypeError: fetch failed: the request body is larger than 200000 bytes',
    ],
    [
      'of text instead of bytes',
      `new ReadableStream({ pull: (controller) => controller.enqueue('text') })`,
      'TypeError: fetch failed: a chunk of the request body is not a Uint8Array',
    ],
    [
      'that ends too late',
      'new ReadableStream()',
      `TypeError: fetch failed: no response in ${TIMEOUT_MS} ms: allow more time with fetch(url, { timeoutMs: ${4 * TIMEOUT_MS} })`,
    ],
  ])('%s rejects the fetch', async (_which, body, message) => {
    const { response } = await posting(`return outcome(post(${body}))`);
    expect(response).toBe(message);
    await eventually(() => uploads.every(({ isOpen }) => !isOpen));
  });

  test.each([
    ['the server responds without it', '/refuse', '{}'],
    ['the fetch is aborted before', '/upload', '{ signal: AbortSignal.abort() }'],
    ['the fetch is aborted meanwhile', '/stream', '{ signal: AbortSignal.timeout(20) }'],
  ])('is cancelled when %s', async (_when, path, init) => {
    const { response, error } = await posting(`return new Promise((resolve) => {
      const body = new ReadableStream({
        pull: (controller) => new Promise((done) => setTimeout(() => done(controller.enqueue(encode('a'))), 1)),
        cancel: () => resolve('cancelled'),
      });
      void outcome(post(body, '${path}', ${init}));
    });`);
    expect({ response, error }).toEqual({ response: 'cancelled' });
  });

  test.each([301, 302, 307, 308])('cannot follow a redirect with status %i', async (status) => {
    const { response } = await posting(
      `return outcome(post(new Blob(['abc']).stream(), '/redirect?status=${status}'))`,
    );
    expect(response).toBe(
      'TypeError: fetch failed: a redirect repeats the request, and its body is a stream: send text or bytes',
    );
    expect(uploads).toEqual([]);
  });

  test('is dropped by a redirect with status 303', async () => {
    const { response, error } = await posting(
      `return outcome(post(new Blob(['abc']).stream(), '/redirect?status=303'))`,
    );
    expect({ response, error }).toEqual({ response: '' });
  });
});

import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { describe, expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';
import { serve } from '../testing.ts';

const seen: { contentType: string | undefined; body: Buffer }[] = [];
const server = await serve(async (request, response) => {
  seen.push({ contentType: request.headers['content-type'], body: Buffer.concat(await request.toArray()) });
  response.setHeader('Content-Type', 'text/plain').end('answer');
});
disposeAfterAll(server);
const run = await startRuntime({ fetch: { allowedAddresses: [`127.0.0.1:${server.port}`] } });
const respond = async (expression: string) => {
  const result = await run(`const main = async () => (${expression})`);
  expect(result.error).toBeUndefined();
  return result.response;
};

describe('the web environment', () => {
  test.each<[string, unknown]>([
    ["new TextDecoder().decode(new TextEncoder().encode('ü'))", 'ü'],
    ["atob(btoa('abc'))", 'abc'],
    ["new URL('/b?c=1', 'https://a.example').searchParams.get('c')", 1],
    ["String(new URLSearchParams({ a: 'b c' }))", 'a=b+c'],
    ['structuredClone({ a: new Date(0) }).a.getTime()', 0],
    ['new AbortController().signal.aborted', false],
    ['crypto.randomUUID().length', 36],
    ['crypto.getRandomValues(new Uint8Array(4)).length', 4],
    ["crypto.subtle.digest('SHA-256', new Uint8Array()).then((hash) => new Uint8Array(hash)[0])", 0xe3],
    ['new Promise((resolve) => setTimeout(resolve, 1, "t"))', 't'],
    [
      'new Promise((resolve) => { const id = setInterval(() => { clearInterval(id); resolve("i") }, 1) })',
      'i',
    ],
    ['new Promise((resolve) => queueMicrotask(() => resolve("m")))', 'm'],
    ['(() => { const id = setTimeout(() => { throw 1 }, 1); clearTimeout(id) })()', ''],
    ['[self, global, globalThis].every((scope) => scope === globalThis && scope.self === scope)', true],
    ['typeof performance.now() === "number" && performance.now() <= performance.now()', true],
    ['new URLPattern({ pathname: "/a/:id" }).exec("https://a.example/a/7").pathname.groups.id', 7],
    ['new Headers([["A", "1"], ["a", "2"]]).get("a")', '1, 2'],
    ['new Request("https://a.example/b", { method: "POST", body: "{}" }).json()', {}],
    [
      '(async () => [Response.json({ a: 1 }).headers.get("content-type"), await Response.json(1).json()])()',
      ['application/json', 1],
    ],
    [
      '(async () => [Response.error().type, Response.redirect("https://a.example/").status])()',
      ['error', 302],
    ],
    ['new Response(new URLSearchParams({ a: "b" })).formData().then((form) => form.get("a"))', 'b'],
    [
      '(() => { const form = new FormData(); form.append("a", "1"); form.append("a", "2"); return form.getAll("a") })()',
      ['1', '2'],
    ],
    [
      `(() => { const form = new FormData(); form.set('f', new Blob(['abc']), 'n.txt');
      return new Response(form).formData().then(async (read) => [read.get('f').name, await read.get('f').text()]) })()`,
      ['n.txt', 'abc'],
    ],
    ['new Blob(["a", new Uint8Array([98]), new Blob(["c"])], { type: "text/plain" }).slice(1).text()', 'bc'],
    ['new Blob(["ab"]).stream().getReader().read().then(({ value }) => [...value])', [97, 98]],
    [
      'new Promise((resolve) => { AbortSignal.timeout(1).onabort = ({ target }) => resolve(target.reason.name) })',
      'TimeoutError',
    ],
    [
      '(() => { const a = new AbortController(), any = AbortSignal.any([a.signal]); a.abort("x"); return [any.aborted, any.reason] })()',
      [true, 'x'],
    ],
    [
      '(() => { try { AbortSignal.abort().throwIfAborted() } catch (e) { return [e instanceof DOMException, e.name, e.code] } })()',
      [true, 'AbortError', 20],
    ],
    [
      `(() => { const target = new EventTarget(), seen = []; target.addEventListener('x', (e) => seen.push(e.type), { once: true });
      target.dispatchEvent(new Event('x')); target.dispatchEvent(new Event('x')); return seen })()`,
      ['x'],
    ],
    [
      `new Response(ReadableStream.from(['a', 'b']).pipeThrough(new TransformStream({
      transform: (chunk, to) => to.enqueue(chunk.toUpperCase()) })).pipeThrough(new TextEncoderStream())).text()`,
      'AB',
    ],
    [
      `(async () => { const seen = []; await ReadableStream.from([1, 2]).pipeTo(new WritableStream({ write: (c) => { seen.push(c) } }));
      return seen })()`,
      [1, 2],
    ],
    [
      `(async () => { let text = ''; for await (const part of new Blob(['zü']).stream().pipeThrough(new TextDecoderStream())) text += part;
      return text })()`,
      'zü',
    ],
    ...['gzip', 'deflate', 'deflate-raw'].map((format): [string, unknown] => [
      `new Response(new Blob(['x'.repeat(1000)]).stream().pipeThrough(new CompressionStream('${format}'))
        .pipeThrough(new DecompressionStream('${format}'))).text().then((text) => text.length)`,
      1000,
    ]),
    [
      `(async () => { const key = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
      const data = new Uint8Array(3), algorithm = { name: 'ECDSA', hash: 'SHA-256' };
      return crypto.subtle.verify(algorithm, key.publicKey, await crypto.subtle.sign(algorithm, key.privateKey, data), data) })()`,
      true,
    ],
    ['structuredClone(new Map([[1, new Error("x")]])).get(1).message', 'x'],
    ['WebAssembly.validate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))', true],
  ])('%s', async (expression, expected) => {
    expect(await respond(expression)).toEqual(expected);
  });

  test('console keeps the order of its methods', async () => {
    const { logs } = await run(`function main() {
      console.log('%s is %d', 'a', 1); console.error(new Map([[1, 2]])); console.info(); console.table([]) }`);
    expect(logs).toMatch(/^a is 1\nMap\(1\) \{ 1 => 2 \}\n\n/);
  });
});

describe('a form as the body', () => {
  const FORM = `const form = new FormData(); form.append('a"\\n', 'x\\ny\\r\\nz\\r'); form.append('f', new Blob(['abc']), 'n"\\n.txt');
    form.append('t', new File(['d'], 't', { type: 'text/x' }));`;
  const expected = (boundary: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="a%22%0D%0A"\r\n\r\nx\r\ny\r\nz\r\n\r\n` +
    `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="n%22%0A.txt"\r\nContent-Type: application/octet-stream\r\n\r\nabc\r\n` +
    `--${boundary}\r\nContent-Disposition: form-data; name="t"; filename="t"\r\nContent-Type: text/x\r\n\r\nd\r\n` +
    `--${boundary}--\r\n`;

  test.each([
    ['a Response', 'new Response(form)'],
    ['a subclass of Response', 'new (class extends Response {})(form)'],
    ['a Request', 'new Request("https://a.example", { method: "POST", body: form })'],
    [
      'a Request with inherited options',
      'new Request("https://a.example", Object.create({ method: "POST", body: form }))',
    ],
    ['a copy of a Request', 'new Request(new Request("https://a.example", { method: "POST", body: form }))'],
  ])('of %s has the text of the standard, and a boundary of its own', async (_kind, body) => {
    const [type, text] = (await respond(
      `(async () => { ${FORM} const body = ${body}; return [body.headers.get('content-type'), await body.text()] })()`,
    )) as [string, string];
    const [, boundary = ''] = /^multipart\/form-data; boundary=(----[\da-f-]{36})$/.exec(type) ?? [];
    expect(text).toBe(expected(boundary));
  });

  test('leaves the classes and their other arguments as they are', async () => {
    expect(
      await respond(`[new Response().constructor === Response, Response.name, Request.length, Response.json({}) instanceof Response,
        new Request('https://a.example').constructor === Request, new Response(null).body, new Response('x', { status: 201 }).status]`),
    ).toEqual([true, 'Response', 1, true, true, null, 201]);
  });
});

describe('fetch', () => {
  /** The body that the server received. */
  const sent = async (body: string) => {
    await respond(
      `fetch('${server.url}', { method: 'POST', body: ${body} }).then((response) => response.text())`,
    );
    const { contentType, body: bytes } = seen.at(-1) as (typeof seen)[number];
    return new Response(new Uint8Array(bytes), { headers: { 'Content-Type': contentType ?? '' } });
  };

  test('sends a form with a file', async () => {
    const form = await (
      await sent(
        `(() => { const form = new FormData(); form.set('a', 'ü'); form.set('f', new Blob(['abc']), 'n.txt'); return form })()`,
      )
    ).formData();
    expect(form.get('a')).toBe('ü');
    expect(form.get('f')).toMatchObject({ name: 'n.txt', size: 3 });
  });

  test.each([
    ['text', "'abc'", 'text/plain;charset=UTF-8'],
    ['parameters', 'new URLSearchParams({ abc: "" })', 'application/x-www-form-urlencoded;charset=UTF-8'],
    ['a Blob', "new Blob(['abc'], { type: 'text/x' })", 'text/x'],
    ['bytes', "new TextEncoder().encode('abc')", ''],
    ['a stream', "ReadableStream.from(['a', 'bc']).pipeThrough(new TextEncoderStream())", ''],
  ])('sends %s', async (_kind, body, contentType) => {
    const request = await sent(body);
    expect(request.headers.get('content-type')).toBe(contentType);
    expect((await request.text()).replace('=', '')).toBe('abc');
  });

  test("takes a Request, and returns a Response of the environment's own class", async () => {
    const code = `(async () => {
      const response = await fetch(new Request('${server.url}', { method: 'PUT', headers: new Headers({ a: 'b' }) }));
      const isOwn = response instanceof Response && response.headers instanceof Headers && response.body instanceof ReadableStream;
      return [isOwn, response.clone().body !== response.body, await response.blob().then((blob) => [blob instanceof Blob, blob.size])];
    })()`;
    expect(await respond(code)).toEqual([true, true, [true, 6]]);
  });

  test('can be timed out and aborted by a signal', async () => {
    const code = `fetch('${server.url}', { signal: AbortSignal.abort() }).catch((error) => [error.name, error instanceof DOMException])`;
    expect(await respond(code)).toEqual(['AbortError', true]);
  });
});

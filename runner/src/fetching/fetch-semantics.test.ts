import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { beforeEach, describe, expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';
import { serve } from '../testing.ts';

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
let seen: Seen[] = [];
const TEXT = 'the content';
const echo = async () =>
  serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, body });
    const { pathname, searchParams } = new URL(url, 'http://x');
    const status = Number(searchParams.get('status') ?? 200);
    if (pathname === '/never') return;
    if (pathname === '/redirect')
      return response.writeHead(status, { location: searchParams.get('to') ?? '/' }).end('moved');
    if (pathname === '/form')
      return response.setHeader('content-type', 'application/x-www-form-urlencoded').end('a=1');
    if (pathname === '/json') return response.setHeader('content-type', 'application/json').end('{"a":1}');
    return response.writeHead(status, { 'content-type': 'text/plain' }).end(TEXT);
  });

const [server, other] = [disposeAfterAll(await echo()), disposeAfterAll(await echo())];
beforeEach(() => {
  seen = [];
});

const run = await startRuntime({
  fetch: { allowedAddresses: [`127.0.0.1:${server.port}`, `127.0.0.1:${other.port}`] },
});
/** Returns the value of an expression, or the text of its error. It can use `server` and `other`. */
const value = async (expression: string) => {
  const { response, error } = await run(
    `const main = async () => {
      const server = '${server.url}', other = '${other.url}';
      const outcome = async () => (${expression});
      return outcome().catch((error) => error instanceof Error ? String(error) : error);
    }`,
    { limits: { timeoutMs: 20_000 } },
  );
  expect(error).toBeUndefined();
  return response;
};

describe('redirect', () => {
  test.each([
    ['301 of a POST becomes a GET', 301, 'POST', 'GET', ''],
    ['302 of a POST becomes a GET', 302, 'POST', 'GET', ''],
    ['303 of a POST becomes a GET', 303, 'POST', 'GET', ''],
    ['303 of a PUT becomes a GET', 303, 'PUT', 'GET', ''],
    ['301 of a PUT stays', 301, 'PUT', 'PUT', 'body'],
    ['302 of a PUT stays', 302, 'PUT', 'PUT', 'body'],
    ['307 of a POST stays', 307, 'POST', 'POST', 'body'],
    ['308 of a POST stays', 308, 'POST', 'POST', 'body'],
  ])('follow: status %s', async (_name, status, method, then, body) => {
    const result = await value(
      `fetch(server + '/redirect?status=${status}&to=/end', { method: '${method}', body: 'body' })
        .then((response) => [response.url === server + '/end', response.redirected, response.status])`,
    );
    expect(result).toEqual([true, true, 200]);
    expect(seen.at(-1)).toMatchObject({ method: then, url: '/end', body });
    expect('content-type' in (seen.at(-1) as Seen).headers).toBe(body !== '');
  });

  test('follow: a HEAD stays a HEAD', async () => {
    await value(`fetch(server + '/redirect?status=303', { method: 'HEAD' }).then(({ status }) => status)`);
    expect(seen.at(-1)?.method).toBe('HEAD');
  });

  test('error: rejects', async () => {
    const result = await value(`fetch(server + '/redirect?status=302', { redirect: 'error' })`);
    expect(result).toBe('TypeError: fetch failed: unexpected redirect');
    expect(seen).toHaveLength(1);
  });

  test('manual: returns the redirect', async () => {
    const result = await value(`fetch(server + '/redirect?status=302&to=/end', { redirect: 'manual' })
      .then(async (response) => [response.status, response.headers.get('location'), response.redirected,
        response.ok, await response.text()])`);
    expect(result).toEqual([302, '/end', false, false, 'moved']);
  });

  test('a redirect without a location is a response, and one to another scheme rejects', async () => {
    expect(await value(`fetch(server + '/?status=302').then(({ status }) => status)`)).toBe(302);
    expect(await value(`fetch(server + '/redirect?status=302&to=data:,x')`)).toMatch(
      /^TypeError: fetch failed/,
    );
    expect(
      await value(`fetch(server + '/redirect?status=302&to=' + encodeURIComponent('http://['))`),
    ).toMatch(/^TypeError: fetch failed/);
  });

  test('authorization and cookie stay at their origin', async () => {
    const headers = `headers: { authorization: 'a', cookie: 'b', 'x-other': 'c' }`;
    await value(
      `fetch(server + '/redirect?status=307&to=/end', { ${headers} }).then(({ status }) => status)`,
    );
    expect(seen.at(-1)?.headers).toMatchObject({ authorization: 'a', cookie: 'b', 'x-other': 'c' });
    await value(
      `fetch(server + '/redirect?status=307&to=' + other, { ${headers} }).then(({ status }) => status)`,
    );
    expect(seen.at(-1)?.headers).toMatchObject({ 'x-other': 'c' });
    expect(seen.at(-1)?.headers).not.toHaveProperty('authorization');
    expect(seen.at(-1)?.headers).not.toHaveProperty('cookie');
  });
});

describe('signal', () => {
  test.each([
    ['before the fetch', `fetch(server, { signal: AbortSignal.abort('reason') })`, 'reason'],
    ['of a Request', `fetch(new Request(server, { signal: AbortSignal.abort('reason') }))`, 'reason'],
    [
      'without a reason',
      `fetch(server, { signal: AbortSignal.abort() }).catch(({ name }) => name)`,
      'AbortError',
    ],
    [
      'before the head',
      `fetch(server + '/never', { signal: AbortSignal.timeout(50) }).catch(({ name }) => name)`,
      'TimeoutError',
    ],
    [
      'after the whole response',
      `(async () => { const c = new AbortController(), r = await fetch(server, { signal: c.signal });
        const text = await r.text(); c.abort('late'); return text })()`,
      TEXT,
    ],
  ])('that aborts %s', async (_when, expression, expected) => {
    expect(await value(expression)).toBe(expected);
  });
});

test.each(['credentials', 'mode', 'cache', 'referrer', 'referrerPolicy', 'keepalive', 'priority'])(
  '%s has no effect',
  async (name) => {
    const values: Record<string, string> = {
      credentials: "'include'",
      mode: "'no-cors'",
      cache: "'no-store'",
      referrer: "'https://a.example/'",
      referrerPolicy: "'no-referrer'",
      keepalive: 'true',
      priority: "'high'",
    };
    const plain = `fetch(server).then((response) => response.text())`;
    expect(await value(plain)).toBe(TEXT);
    expect(await value(plain.replace('server', `server, { ${name}: ${values[name]} }`))).toBe(TEXT);
    expect(seen[1]?.headers).toEqual(seen[0]?.headers);
  },
);

describe('integrity', () => {
  const hash = (kind: string, text = TEXT) => `${kind}-${createHash(kind).update(text).digest('base64')}`;
  test.each([
    ['one hash', hash('sha256')],
    ['one of two hashes', `${hash('sha512', 'x')} ${hash('sha512')}`],
    ['the strongest hash', `${hash('sha256', 'x')} ${hash('sha384')}`],
    ['options', `${hash('sha384')}?a`],
    ['unknown hashes only', 'md5-abc nonsense'],
  ])('accepts %s', async (_which, integrity) => {
    const result = await value(`fetch(server, { integrity: '${integrity}' })
      .then(async (response) => [response.url === server + '/', response.status, await response.text()])`);
    expect(result).toEqual([true, 200, TEXT]);
  });

  test.each([
    ['another hash', hash('sha256', 'x')],
    ['a weaker hash only', `${hash('sha256')} ${hash('sha384', 'x')}`],
    ['a part of the hash', hash('sha512').slice(0, -10)],
  ])('rejects %s', async (_which, integrity) => {
    const message = 'TypeError: fetch failed: the response does not have the hash in integrity';
    expect(await value(`fetch(server, { integrity: '${integrity}' })`)).toBe(message);
    expect(await value(`fetch(new Request(server, { integrity: '${integrity}' }))`)).toBe(message);
  });
});

describe('a response', () => {
  test.each<[string, string, unknown]>([
    ['text()', `r.text()`, TEXT],
    ['arrayBuffer()', `r.arrayBuffer().then((b) => b.byteLength)`, TEXT.length],
    ['bytes()', `r.bytes().then((b) => b instanceof Uint8Array && b.length)`, TEXT.length],
    ['blob()', `r.blob().then(async (b) => [b.type, await b.text()])`, ['text/plain', TEXT]],
    ['json()', `(await fetch(server + '/json')).json()`, { a: 1 }],
    ['formData()', `(await fetch(server + '/form')).formData().then((form) => form.get('a'))`, 1],
    ['type', `r.type`, 'basic'],
    ['ok', `[r.ok, (await fetch(server + '/?status=404')).ok]`, [true, false]],
    ['statusText', `r.statusText`, 'OK'],
    ['an unusual status', `(await fetch(server + '/?status=999')).status`, 999],
    ['bodyUsed', `[r.bodyUsed, await r.text(), r.bodyUsed]`, [false, TEXT, true]],
    ['instanceof', `[r instanceof Response, r.body instanceof ReadableStream]`, [true, true]],
    [
      'clone()',
      `(() => { const c = r.clone(); return Promise.all([c.url === server + '/', c.redirected, c.type, c.text(), r.text()]) })()`,
      [true, false, 'basic', TEXT, TEXT],
    ],
    ['clone() of a redirect', `(await fetch(server + '/redirect?status=302')).clone().redirected`, true],
    ['a body used twice', `r.text().then(() => r.text()).catch(({ name }) => name)`, 'TypeError'],
    ['clone() after use', `r.text().then(() => r.clone()).catch(({ name }) => name)`, 'TypeError'],
  ])('has %s', async (_name, expression, expected) => {
    expect(
      await value(`await (async () => { const r = await fetch(server); return (${expression}) })()`),
    ).toEqual(expected);
  });

  test.each([
    ['a HEAD request', `fetch(server, { method: 'HEAD' })`, 200],
    ['status 204', `fetch(server + '/?status=204')`, 204],
    ['status 205', `fetch(server + '/?status=205')`, 205],
    ['status 304', `fetch(server + '/?status=304')`, 304],
  ])('has no body for %s', async (_name, expression, status) => {
    const result = await value(`${expression}.then(async (r) => [r.status, r.body, await r.text()])`);
    expect(result).toEqual([status, null, '']);
  });
});

describe('a request', () => {
  test('can be a Request, whose parts the options replace', async () => {
    const request = `new Request(server + '/a', { method: 'PUT', headers: { 'x-a': '1' }, body: 'one' })`;
    await value(`fetch(${request}).then(({ status }) => status)`);
    await value(
      `fetch(${request}, { method: 'PATCH', headers: { 'x-b': '2' }, body: 'two' }).then(({ status }) => status)`,
    );
    expect(seen).toMatchObject([
      { method: 'PUT', url: '/a', body: 'one', headers: { 'x-a': '1' } },
      { method: 'PATCH', url: '/a', body: 'two', headers: { 'x-b': '2' } },
    ]);
    expect(seen[1]?.headers).not.toHaveProperty('x-a');
  });

  test.each([
    ['a URL', `fetch(new URL(server + '/a?b=1#c')).then((r) => r.url === server + '/a?b=1')`, true],
    ['an object with a text', `fetch({ toString: () => server }).then((r) => r.status)`, 200],
    [
      'a relative URL',
      `fetch('/a')`,
      'TypeError: fetch failed: "/a" is not an absolute URL: use an http or https URL',
    ],
    [
      'no URL',
      `fetch()`,
      'TypeError: fetch failed: "undefined" is not an absolute URL: use an http or https URL',
    ],
    ['a data: URL', `fetch('data:text/plain,x')`, 'TypeError: fetch failed: use an http or https URL'],
    [
      'a blob: URL',
      `fetch(URL.createObjectURL ? URL.createObjectURL(new Blob(['x'])) : 'blob:null/x')`,
      'TypeError: fetch failed: use an http or https URL',
    ],
    [
      'a used Request',
      `(async () => { const q = new Request(server, { method: 'POST', body: 'x' });
      await fetch(q); return fetch(q).catch(({ name }) => name) })()`,
      'TypeError',
    ],
    ['a GET with a body', `fetch(server, { body: 'x' }).catch(({ name }) => name)`, 'TypeError'],
    ['an unknown redirect mode', `fetch(server, { redirect: 'x' }).catch(({ name }) => name)`, 'TypeError'],
    [
      'a malformed header',
      `fetch(server, { headers: { 'a b': 'c' } }).catch(({ name }) => name)`,
      'TypeError',
    ],
  ])('of %s', async (_what, expression, expected) => {
    expect(await value(expression)).toBe(expected);
  });

  test('does not depend on globals that the action declares', async () => {
    const { response, error } =
      await run(`class URL {} class ReadableStream {} const Request = 1, Response = 2;
      const main = async () => (await fetch('${server.url}')).text();`);
    expect({ response, error }).toEqual({ response: TEXT });
  });

  test.each([
    ['a Request', 'new Request(server, OPTIONS)'],
    ['an object with getters of its class', 'new (class { GETTERS })()'],
  ])('takes its options from %s', async (_which, options) => {
    const init = (members: Record<string, string>) => {
      const all = Object.entries(members);
      const literal = `{ ${all.map(([name, text]) => `${name}: ${text}`)} }`;
      const getters = all.map(([name, text]) => `get ${name}() { return ${text} }`).join(' ');
      return options.replace('OPTIONS', literal).replace('GETTERS', getters);
    };
    const post = init({ method: "'POST'", headers: "{ 'x-a': '1' }", body: "'one'" });
    expect(await value(`fetch(server + '/a', ${post}).then(({ status }) => status)`)).toBe(200);
    expect(seen).toMatchObject([{ method: 'POST', url: '/a', body: 'one', headers: { 'x-a': '1' } }]);
    const aborted = init({ signal: "AbortSignal.abort('reason')" });
    expect(await value(`fetch(server, ${aborted})`)).toBe('reason');
    const manual = init({ redirect: "'manual'" });
    const redirect = `fetch(server + '/redirect?status=302', ${manual})`;
    expect(await value(`${redirect}.then(({ status }) => status)`)).toBe(302);
  });

  test('with more than 200 headers rejects with a TypeError', async () => {
    const headers = (count: number) =>
      `{ headers: Array.from({ length: ${count} }, (_, i) => ['x-' + i, '1']) }`;
    expect(await value(`fetch(server, ${headers(200)}).then(({ status }) => status)`)).toBe(200);
    const message = 'TypeError: fetch failed: the request has more than 200 headers';
    expect(await value(`fetch(server, ${headers(201)})`)).toBe(message);
  });

  test('with FormData has its type and length', async () => {
    await value(`(() => { const form = new FormData(); form.set('a', 'b'); form.set('f', new Blob(['c']), 'n.txt');
      return fetch(server, { method: 'POST', body: form }).then(({ status }) => status) })()`);
    expect(seen[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(seen[0]?.headers['content-length']).toBe(String(Buffer.byteLength(seen[0]?.body ?? '')));
    expect(seen[0]?.body).toContain('filename="n.txt"');
  });
});

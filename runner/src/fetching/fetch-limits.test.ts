import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { describe, expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';
import { serve } from '../testing.ts';

const MAX_BODY = 1_000_000;
const zeros = Buffer.alloc(100_000_000);
const bombs: Record<string, Buffer> = {
  gzip: gzipSync(zeros),
  'x-gzip': gzipSync(zeros),
  deflate: deflateSync(zeros),
  'deflate, raw': deflateRawSync(zeros),
  br: brotliCompressSync(zeros),
  zstd: zstdCompressSync(zeros),
};

const server = await serve(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
  const coding = searchParams.get('coding') ?? '';
  const head = { 'content-encoding': coding.replace(', raw', '') };
  await new Promise((resolve) => request.resume().once('close', resolve));
  if (pathname === '/bomb') return response.writeHead(200, head).end(bombs[coding]);
  if (pathname === '/twice') return response.writeHead(200, head).end(gzipSync(bombs.gzip as Buffer));
  if (pathname === '/packed') return response.writeHead(200, head).end(gzipSync(Buffer.alloc(800_000)));
  if (pathname === '/framed') {
    for (let part = 0; part < 20_000; part++) response.write('x');
    return response.end();
  }
  return response.end(Buffer.alloc(Number(searchParams.get('bytes'))));
});
disposeAfterAll(server);
const run = await startRuntime({
  fetch: {
    allowedAddresses: [`127.0.0.1:${server.port}`],
    maxResponseBodyBytes: MAX_BODY,
    maxRequestBodyBytes: MAX_BODY,
  },
});

describe('a compressed body', () => {
  test.each(Object.keys(bombs))('stops at the limit of its decompressed bytes: %s', async (coding) => {
    const { response, error } = await run(`const main = async () => {
      let taken = 0;
      try {
        const url = '${server.url}/bomb?coding=${encodeURIComponent(coding)}';
        for await (const chunk of (await fetch(url)).body) taken += chunk.length;
      } catch (error) { return [error.message, taken <= ${MAX_BODY}] }
    }`);
    expect(error).toBeUndefined();
    expect(response).toEqual([`fetch failed: the response is larger than ${MAX_BODY} bytes`, true]);
  });

  test.each(['gzip, gzip', 'br,gzip', 'identity, deflate, zstd'])(
    'that is compressed more than once is refused: %s',
    async (coding) => {
      const url = `${server.url}/twice?coding=${encodeURIComponent(coding)}`;
      const { error } = await run(`const main = async () => (await fetch('${url}')).text()`);
      expect(error).toMatchObject({
        name: 'TypeError',
        message: 'fetch failed: the response is compressed more than once',
      });
    },
  );
});

describe('the bytes of all fetches of a run', () => {
  const limits = { maxFetchBytes: 2_000_000 };
  const limitError = {
    name: 'FetchLimitError',
    message: 'the fetches of the action used more than 2000000 bytes',
  };

  test('below the limit do not end it', async () => {
    const code = `const main = async () => { for (let i = 0; i < 2; i++) await (await fetch('${server.url}/?bytes=900000')).text(); return 1 }`;
    expect(await run(code, { limits })).toMatchObject({ response: 1, hasError: false });
  });

  test.each([
    ['of responses', "fetch(server + '/?bytes=900000')"],
    ['of requests', "fetch(server, { method: 'POST', body: 'x'.repeat(900000) })"],
    [
      'of streamed requests',
      "fetch(server, { method: 'POST', duplex: 'half', body: new Blob(['x'.repeat(900000)]).stream() })",
    ],
    ['of decompressed bodies', "fetch(server + '/packed?coding=gzip')"],
    ['of framing', "fetch(server + '/framed')"],
  ])('above the limit end it: %s', async (_which, expression) => {
    const code = `const main = async () => {
      const server = '${server.url}';
      for (let i = 0; i < 20; i++) try { await (await ${expression}).arrayBuffer() } catch {}
      return 1;
    }`;
    const result = await run(code, { limits });
    expect(result).toMatchObject({ response: null, error: limitError });
  });
});

/** Requests with wrong framing, and the maximum number of replies to each. */
import fc from 'fast-check';

export type Framed = { name: string; bytes: Buffer; maxReplies: number };

type Template = Omit<Framed, 'bytes'> & { bytes: () => Buffer };
type Parts = { method: string; path: string; credentials: Record<string, string>; body: string };

const CRLF = '\r\n';

/** A request with these header lines instead of its own framing, followed by `rest`. */
const text = (
  { method, path, credentials }: Parts,
  lines: readonly string[],
  rest: string,
  version = 'HTTP/1.1',
): Buffer =>
  Buffer.from(
    [
      `${method} ${path} ${version}`,
      'Host: 127.0.0.1',
      'Content-Type: application/json',
      ...Object.entries(credentials).map(([name, value]) => `${name}: ${value}`),
      ...lines,
      '',
      rest,
    ].join(CRLF),
    'latin1',
  );

const hidden = `GET /hidden HTTP/1.1${CRLF}Host: 127.0.0.1${CRLF}${CRLF}`;

/** Each is one request from its sender's view, however a proxy or the service reads it. */
function templates(parts: Parts, n: number): Template[] {
  const { body } = parts;
  const one = (name: string, bytes: Template['bytes']): Template => ({ name, bytes, maxReplies: 1 });
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const chunked = 'Transfer-Encoding: chunked';
  const chunk = `${Buffer.byteLength(body).toString(16)}${CRLF}${body}${CRLF}0${CRLF}${CRLF}`;
  return [
    one('length and chunks', () => text(parts, [length, chunked], chunk + hidden)),
    one('two lengths', () => text(parts, [length, `Content-Length: ${n}`], body + hidden)),
    one('a list of lengths', () => text(parts, [`Content-Length: ${n}, ${n + 1}`], body)),
    one('a negative length', () => text(parts, [`Content-Length: -${n + 1}`], body)),
    one('a length with a sign', () => text(parts, [`Content-Length: +${n}`], body)),
    one('a length in hex', () => text(parts, ['Content-Length: 0x10'], body)),
    one('a length over 2^64', () => text(parts, ['Content-Length: 99999999999999999999'], body)),
    one('a truncated body', () => text(parts, [`Content-Length: ${body.length + 1 + n}`], body)),
    one('bad chunk size', () => text(parts, [chunked], `zz${CRLF}${body}${CRLF}0${CRLF}${CRLF}`)),
    one('chunk size over 2^64', () => text(parts, [chunked], `fffffffffffffffff${CRLF}${body}`)),
    one('a chunk longer than its size', () =>
      text(parts, [chunked], `1${CRLF}${body}xx${CRLF}0${CRLF}${CRLF}`),
    ),
    one('chunks without an end', () => text(parts, [chunked], `1${CRLF}{${CRLF}`)),
    one('chunk extensions', () =>
      text(parts, [chunked], `1;${'x'.repeat(n * 100)}${CRLF}{${CRLF}0${CRLF}${CRLF}`),
    ),
    one('trailers', () =>
      text(
        parts,
        [chunked, 'Trailer: X-Api-Key'],
        `0${CRLF}X-Api-Key: x${CRLF}Content-Length: 5${CRLF}${CRLF}`,
      ),
    ),
    one('unknown transfer coding', () => text(parts, ['Transfer-Encoding: xchunked'], body)),
    one('chunked not last', () => text(parts, ['Transfer-Encoding: chunked, identity'], chunk)),
    one('space before the colon', () => text(parts, ['Transfer-Encoding : chunked'], chunk)),
    one('folded header', () => text(parts, ['X-A: b', '\tTransfer-Encoding: chunked', length], body)),
    one('control characters in a header', () => text(parts, [`X-A: \u0001\u0000${n}`, length], body)),
    one('no header name', () => text(parts, [': x', length], body)),
    one('headers of 40 KiB', () => text(parts, [`X-A: ${'x'.repeat(40_000)}`, length], body)),
    one('3,000 headers', () =>
      text(parts, [...Array.from({ length: 3_000 }, (_, i) => `X-${i}: 1`), length], body),
    ),
    one('bare line feeds', () => Buffer.from(`${parts.method} ${parts.path} HTTP/1.1\nHost: x\n\n`)),
    one('two hosts', () => text(parts, ['Host: other', length], body)),
    one('HTTP/1.0', () => text(parts, [length], body, 'HTTP/1.0')),
    one('HTTP/0.9', () => Buffer.from(`${parts.method} ${parts.path}${CRLF}${CRLF}`)),
    one('HTTP/2 preface', () => Buffer.from(`PRI * HTTP/2.0${CRLF}${CRLF}SM${CRLF}${CRLF}`)),
    one('HTTP/9.9', () => text(parts, [length], body, 'HTTP/9.9')),
    one('TLS hello', () => Buffer.from('16030100a5010000a10303', 'hex')),
    one('path of 40 KiB', () =>
      text({ ...parts, path: `${parts.path}?a=${'x'.repeat(40_000)}` }, [length], body),
    ),
    one('lower-case method', () => text({ ...parts, method: parts.method.toLowerCase() }, [length], body)),
    one('upgrade', () => text(parts, ['Connection: upgrade', 'Upgrade: websocket', length], body)),
    one('connect', () => Buffer.from(`CONNECT 10.0.0.1:80 HTTP/1.1${CRLF}Host: 10.0.0.1:80${CRLF}${CRLF}`)),
    one('expect', () => text(parts, ['Expect: 100-continue', length], body)),
    one('expect something else', () => text(parts, ['Expect: 200-ok', length], body)),
    one('two keys', () => text(parts, ['X-Api-Key: a', 'X-Api-Key: b', length], body)),
    {
      name: 'pipelined',
      bytes: () => Buffer.concat(Array.from({ length: n + 1 }, () => text(parts, [length], body))),
      maxReplies: n + 1,
    },
    {
      name: 'garbage after a request',
      bytes: () => Buffer.concat([text(parts, [length], body), Buffer.from('\u0000garbage')]),
      maxReplies: 2,
    },
  ];
}

/** `body` must be one that the endpoint refuses: it can be read more than once. */
export function hostileFrames(parts: Parts): fc.Arbitrary<Framed> {
  return fc.tuple(fc.nat(10_000), fc.integer({ min: 0, max: 20 })).map(([index, n]) => {
    const all = templates(parts, n);
    const template = all[index % all.length] as Template;
    return { ...template, bytes: template.bytes() };
  });
}

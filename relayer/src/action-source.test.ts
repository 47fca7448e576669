import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cidOf } from '@latchkey/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createActionSource } from './action-source.ts';

const code = 'function main() { return "ß" }';
/** CIDv1 of a raw block. */
const rawCid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e';

let server: Server;
let gatewayUrl: string;
/** Contents of the gateway, by path. */
const files = new Map<string, Uint8Array | string>();
beforeAll(async () => {
  server = createServer((req, res) => {
    const file = files.get(req.url ?? '');
    res.statusCode = file === undefined ? 404 : 200;
    res.end(file);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  gatewayUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => void server.close());

const ACCOUNT = 1n;
const permit = async () => {};
const sourceWith = (url: string | undefined = gatewayUrl, maxBytes = 1_000) => {
  const kept = new Map<string, Uint8Array>();
  const damaged: string[] = [];
  const codes = { get: async (cid: string) => kept.get(cid) };
  const stored = new Map<string, Uint8Array>();
  const storedCodes = {
    find: async (account: bigint, cid: string) => {
      const code = account === ACCOUNT ? stored.get(cid) : undefined;
      return code && { code };
    },
  };
  const onDamaged = (cid: string) => void damaged.push(cid);
  const options = { gatewayUrl: url, maxBytes, onDamaged };
  const find = createActionSource(codes, storedCodes, options);
  const source = (cid: string, beforeDownload = permit, account = ACCOUNT) =>
    find(cid, account, beforeDownload);
  return { kept, stored, damaged, source };
};

test('returns stored code without asking the gateway', async () => {
  const { kept, source } = sourceWith('http://127.0.0.1:9');
  const cid = await cidOf(code);
  kept.set(cid, Buffer.from(code));
  expect(await source(cid)).toBe(code);
});

test('asks the gateway for code whose stored bytes are damaged', async () => {
  const cid = await cidOf(code);
  const { kept, damaged, source } = sourceWith();
  kept.set(cid, Buffer.from(`${code} `));
  files.delete(`/ipfs/${cid}`);
  expect(await source(cid)).toBeUndefined();
  files.set(`/ipfs/${cid}`, code);
  expect(await source(cid)).toBe(code);
  expect(damaged).toEqual([cid, cid]);
});

test('returns what the account stored, which no other account gets', async () => {
  const { stored, damaged, source } = sourceWith('http://127.0.0.1:9');
  const cid = await cidOf(code);
  stored.set(cid, Buffer.from(code));
  expect(await source(cid)).toBe(code);
  expect(await source(cid, permit, 2n)).toBeUndefined();
  stored.set(cid, Buffer.from(`${code} `));
  expect(await source(cid)).toBeUndefined();
  expect(damaged).toEqual([cid]);
});

test('asks before a download only, and downloads nothing when refused', async () => {
  const cid = await cidOf(code);
  files.set(`/ipfs/${cid}`, code);
  const { kept, source } = sourceWith();
  const refuse = () => Promise.reject(new Error('refused'));
  await expect(source(cid, refuse)).rejects.toThrow('refused');
  kept.set(cid, Buffer.from(code));
  expect(await source(cid, refuse)).toBe(code);
});

test('returns only stored code when no gateway is configured', async () => {
  const { source } = sourceWith();
  const options = { gatewayUrl: undefined, maxBytes: 10, onDamaged() {} };
  const empty = async () => undefined;
  const withoutGateway = createActionSource({ get: empty }, { find: empty }, options);
  expect(await withoutGateway(await cidOf('unknown'), ACCOUNT, permit)).toBeUndefined();
  expect(await source(await cidOf('unknown'))).toBeUndefined();
});

describe('returns code from the gateway', () => {
  test('CIDv0 of a file and CIDv1 of a raw block', async () => {
    for (const [cid, text] of [
      [await cidOf(code), code],
      [rawCid, 'hello world'],
    ] as const) {
      const { source } = sourceWith();
      files.set(`/ipfs/${cid}`, text);
      expect(await source(cid)).toBe(text);
    }
  });

  test.each([
    ['other bytes', async () => [await cidOf(code), `${code} `] as const],
    ['other bytes of a raw block', async () => [rawCid, 'hello'] as const],
    [
      'more bytes than the limit for code',
      async () => [await cidOf('x'.repeat(1_001)), 'x'.repeat(1_001)] as const,
    ],
    [
      'bytes that are not UTF-8',
      async () => [await cidOf(new Uint8Array([0xff])), new Uint8Array([0xff])] as const,
    ],
  ])('returns undefined for %s', async (_what, make) => {
    const [cid, served] = await make();
    files.set(`/ipfs/${cid}`, served);
    const { source } = sourceWith();
    expect(await source(cid)).toBeUndefined();
  });

  test('returns undefined when the gateway is down', async () => {
    expect(await sourceWith('http://127.0.0.1:9').source(await cidOf(code))).toBeUndefined();
  });
});

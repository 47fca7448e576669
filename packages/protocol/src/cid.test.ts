import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { base16, base16upper } from 'multiformats/bases/base16';
import { base32, base32upper } from 'multiformats/bases/base32';
import { base36, base36upper } from 'multiformats/bases/base36';
import { base58btc } from 'multiformats/bases/base58';
import { base64, base64url } from 'multiformats/bases/base64';
import { CID } from 'multiformats/cid';
import * as Digest from 'multiformats/hashes/digest';
import { identity } from 'multiformats/hashes/identity';
import { sha256, sha512 } from 'multiformats/hashes/sha2';
import { describe, expect, test } from 'vitest';
import { cidHash, cidOf, isCidOf, MAX_CID_LENGTH, parseCid } from './cid.ts';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'));
const files: { contents: string[]; repeats: number[]; cids: string[] } = read('cids');
const hashes: { cids: string[]; cidHashes: string[] } = read('hashes');
const v0 = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';

describe('cidOf', () => {
  test('equals the vectors', async () => {
    const contents = files.contents.map((text, index) => text.repeat(files.repeats[index] ?? 1));
    expect(await Promise.all(contents.map((content) => cidOf(content)))).toEqual(files.cids);
  });

  test('encodes text as UTF-8 and parses back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 100 }), async (code) => {
        const cid = await cidOf(code);
        expect(cid).toBe(await cidOf(new TextEncoder().encode(code)));
        expect(parseCid(cid).toString()).toBe(cid);
      }),
      { numRuns: 30 },
    );
  });
});

test('cidOf yields to other work between slices of large code', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  await cidOf('a'.repeat(20 * 262_144));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

describe('parseCid', () => {
  const bases = [base16, base16upper, base32, base32upper, base36, base36upper, base58btc, base64url];
  const digest = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Digest.create(0x12, bytes));

  test('accepts version 0, and version 1 in each base', () => {
    fc.assert(
      fc.property(digest, fc.constantFrom(0x70, 0x55, 0x71), (multihash, codec) => {
        expect(parseCid(CID.createV0(multihash).toString()).version).toBe(0);
        const cid = CID.createV1(codec, multihash);
        for (const base of bases) expect(parseCid(cid.toString(base)).equals(cid)).toBe(true);
      }),
    );
  });

  test.each([
    ['nothing', ''],
    ['version 0, too short', v0.slice(0, -1)],
    ['version 0, too long', `${v0}a`],
    ['a character outside base58', v0.replace('f4', 'f0')],
    ['a leading space', ` ${v0}`],
    ['a trailing line feed', `${v0}\n`],
    ['version 0 with a multibase prefix', `z${v0}`],
    ['a path', `/ipfs/${v0}`],
    ['a text over the length limit', `b${'a'.repeat(MAX_CID_LENGTH)}`],
    ['another base', CID.parse(v0).toV1().toString(base64)],
    ['a truncated version 1', CID.parse(v0).toV1().toString().slice(0, -4)],
  ])('refuses %s', (_, text) => {
    expect(() => parseCid(text)).toThrow(RangeError);
  });

  test('throws only RangeError for any text', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .tuple(fc.constantFrom('Q', 'Qm', ...bases.map(({ prefix }) => prefix)), fc.base64String())
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        try {
          expect(parseCid(text).bytes.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('isCidOf', () => {
  const bytes = new TextEncoder().encode('const main = () => 1');
  const other = new TextEncoder().encode('const main = () => 2');
  const file = async (of: Uint8Array) => CID.parse(await cidOf(of));
  const block = async (of: Uint8Array) => CID.createV1(0x55, await sha256.digest(of));

  test.each([
    ['version 0 of the file', async () => (await file(bytes)).toString()],
    ['version 1 of the file', async () => (await file(bytes)).toV1().toString()],
    ['version 1 of the file in another base', async () => (await file(bytes)).toV1().toString(base36)],
    ['version 1 of one raw block', async () => (await block(bytes)).toString()],
  ])('is true for %s', async (_, text) => {
    expect(await isCidOf(await text(), bytes)).toBe(true);
    expect(await isCidOf(await text(), other)).toBe(false);
  });

  test.each([
    ['another codec', async () => CID.createV1(0x71, (await file(bytes)).multihash).toString()],
    [
      'the raw codec with the hash of the file',
      async () => CID.createV1(0x55, (await file(bytes)).multihash).toString(),
    ],
    ['another hash', async () => CID.createV1(0x55, await sha512.digest(bytes)).toString()],
    ['its own content', async () => CID.createV1(0x55, identity.digest(bytes)).toString()],
    ['a malformed CID', async () => 'code'],
  ])('is false for %s', async (_, text) => {
    expect(await isCidOf(await text(), bytes)).toBe(false);
  });

  test('is true for a file of several blocks, and false when one byte differs', async () => {
    const large = new Uint8Array(600_000);
    const cid = await cidOf(large);
    expect(await isCidOf(cid, large)).toBe(true);
    large[599_999] = 1;
    expect(await isCidOf(cid, large)).toBe(false);
  });
});

test('cidHash equals the vectors', () => {
  expect(hashes.cids.map(cidHash)).toEqual(hashes.cidHashes.map(BigInt));
});

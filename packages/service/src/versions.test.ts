import { expect, test } from 'vitest';
import { agree, describeMismatch, PROTOCOL_HEADER, protocolHeader, spoken } from './versions.ts';

const at = (latest: number) => ({ name: 'latchkey-test', latest });

test('speaks its own version and the one before', () => {
  expect(spoken(at(1))).toEqual(['latchkey-test.1']);
  expect(spoken(at(3))).toEqual(['latchkey-test.3', 'latchkey-test.2']);
});

test('a request that a version cannot understand does not offer it', () => {
  expect(protocolHeader(at(2))[PROTOCOL_HEADER]).toBe('latchkey-test.2, latchkey-test.1');
  expect(protocolHeader(at(2), 2)[PROTOCOL_HEADER]).toBe('latchkey-test.2');
  expect(protocolHeader(at(3), 2)[PROTOCOL_HEADER]).toBe('latchkey-test.3, latchkey-test.2');
  expect(agree(at(1), protocolHeader(at(2), 2)[PROTOCOL_HEADER] as string)).toBeUndefined();
});

test.each([
  [1, 1, 'latchkey-test.1'],
  [1, 2, 'latchkey-test.1'],
  [2, 1, 'latchkey-test.1'],
  [2, 3, 'latchkey-test.2'],
  [3, 3, 'latchkey-test.3'],
  [1, 3, undefined],
  [3, 1, undefined],
])('version %i and a peer of version %i agree on %s', (own, peer, agreed) => {
  expect(agree(at(own), spoken(at(peer)).join(', '))).toBe(agreed);
  expect(agree(at(own), spoken(at(peer)).join(','))).toBe(agreed);
});

test.each(['', 'latchkey-test', 'latchkey-test.10', 'latchkey-other.1', ',,'])(
  '%j is malformed',
  (offered) => {
    expect(agree(at(1), offered)).toBeUndefined();
  },
);

test('a header of spaces costs no more than its length', () => {
  const startedAt = process.cpuUsage();
  expect(agree(at(1), `a${' '.repeat(30_000)}b`)).toBeUndefined();
  expect(process.cpuUsage(startedAt).user).toBeLessThan(100_000);
});

test('a refusal names the versions of both sides', () => {
  expect(describeMismatch(at(3), 'latchkey-test.1', ['a peer', 'this part'])).toBe(
    'a peer speaks latchkey-test.1, this part latchkey-test.3, latchkey-test.2: update the older one',
  );
});

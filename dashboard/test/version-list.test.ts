/** Versions of an action, and what a new one changes, without a browser. */
import { cidHash } from '@latchkey/protocol';
import type { Address } from 'viem';
import { expect, test } from 'vitest';
import type { ListedGroup, ListedUsageKey } from '../src/names.ts';
import { findVersionChanges } from '../src/pages/actions/version-changes.ts';
import { versionsOf } from '../src/pages/actions/version-list.ts';

const cids = [
  'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD',
  'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o',
  'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
] as const;
const [first, second, third] = cids.map(cidHash) as [bigint, bigint, bigint];
const stored = (cid: string, replaces?: bigint) => ({ cid, bytes: 1, replaces, storedAt: new Date() });
const hashesOf = (...of: Parameters<typeof versionsOf>) => versionsOf(...of).map(({ hash }) => hash);

test('the versions of an action are all that it replaced or was replaced by, newest first', () => {
  const codes = [stored(cids[2], second), stored(cids[1], first), stored(cids[0])];
  for (const hash of [first, second, third]) expect(hashesOf(codes, hash)).toEqual([third, second, first]);
  const unrelated = stored('QmYCTciJdFNMNUPCHSNS6dKMmUAqkGQ9tQQeGgbELhQQcn', 9n);
  expect(hashesOf([unrelated, ...codes], second)).toEqual([third, second, first]);
});

test('versions whose code is not stored are the last, and versions that replace each other end', () => {
  expect(versionsOf([stored(cids[1], first)], second)).toEqual([
    { hash: second, code: expect.objectContaining({ cid: cids[1] }) },
    { hash: first, code: undefined },
  ]);
  expect(versionsOf([], first)).toEqual([{ hash: first, code: undefined }]);
  expect(hashesOf([stored(cids[0], second), stored(cids[1], first)], first)).toEqual([first, second]);
});

const wallet = (n: number): Address => `0x${String(n).padStart(40, '0')}`;
const group = (groupId: bigint, cidHashes: bigint[], ...pkpIds: Address[]) =>
  ({ groupId, name: `group ${groupId}`, cidHashes, pkpIds }) as unknown as ListedGroup;
const key = (name: string, ...executeInGroups: bigint[]) =>
  ({ name, executeInGroups, expiration: 0n }) as unknown as ListedUsageKey;

const groups = [group(1n, [first], wallet(1)), group(2n, [0n], wallet(2)), group(3n, [third], wallet(3))];
const keys = [key('one', 1n), key('every', 2n), key('both', 1n, 2n), key('other', 3n), key('all', 0n)];
const changesOf = (replaced: 'registered' | 'permitted' | 'removed', after = second) => {
  const found = findVersionChanges({ groups, keys }, { before: first, after, replaced });
  const shown = ({ keys, wallets }: typeof found.gained) => [keys.map(({ name }) => name), wallets];
  return {
    groups: found.groups.map(({ groupId }) => groupId),
    gained: shown(found.gained),
    lost: shown(found.lost),
  };
};

test('a new version gains what its groups have, and the one before loses what no other group has', () => {
  const swap = { groups: [1n], gained: [['one'], [wallet(1)]], lost: [['one'], [wallet(1)]] };
  expect(changesOf('registered')).toEqual(swap);
  expect(changesOf('removed')).toEqual(swap);
  expect(changesOf('permitted')).toEqual({ ...swap, lost: [[], []] });
});

test('a version that another group permits gains only what is new', () => {
  expect(changesOf('registered', third)).toMatchObject({ gained: [['one'], [wallet(1)]] });
  const both = findVersionChanges(
    { groups: [group(1n, [first, second], wallet(1))], keys },
    { before: first, after: second, replaced: 'registered' },
  );
  expect(both.gained).toEqual({ keys: [], wallets: [] });
});

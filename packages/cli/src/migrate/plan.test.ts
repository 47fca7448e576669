import { zeroAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import type { ForeignAccount, ForeignKey } from './foreign-account.ts';
import { nextMembers, planImport, writesLeft } from './plan.ts';

const wallet = (digit: string) => `0x${digit.repeat(40)}` as const;
const labels = { name: 'n', description: '' };
const account: ForeignAccount = {
  chainId: 1,
  block: 1n,
  admin: zeroAddress,
  wallets: [{ ...labels, address: wallet('1') }],
  actions: [{ hash: 5n, name: 'Sign', description: '' }],
  groups: [],
  keys: [],
};
const key: ForeignKey = {
  ...labels,
  hash: 9n,
  expiration: 0n,
  canCreateGroups: false,
  canDeleteGroups: false,
  canCreatePkps: false,
  manageIpfsIdsInGroups: [],
  addPkpToGroups: [],
  removePkpFromGroups: [],
  executeInGroups: [],
};
const group = {
  ...labels,
  id: 1n,
  cidHashes: [0n, 5n, 6n],
  wallets: [zeroAddress, wallet('1'), wallet('2')],
};
const NOW = 1_000n;

test('a group keeps its wildcards, and has only actions with code and wallets of the account', () => {
  const files = new Map([[5n, { file: 'a.js', cid: 'Qm5' }]]);
  const plan = planImport({ ...account, groups: [group] }, files, NOW);
  expect(plan.groups).toEqual([
    { ...labels, id: 1n, cids: [0n, 'Qm5'], wallets: [zeroAddress, wallet('1')] },
  ]);
  expect(plan.actions).toEqual([{ hash: 5n, name: 'Sign', description: '', cid: 'Qm5', file: 'a.js' }]);
  expect(plan.left).toEqual([
    expect.stringMatching(/^The action 0x0{63}6 “”: no file of --actions has its code\.$/),
    expect.stringContaining(`The wallet ${wallet('2')} of the group 1`),
  ]);
});

describe('a usage key', () => {
  const planned = (fields: Partial<ForeignKey>) =>
    planImport({ ...account, groups: [group], keys: [{ ...key, ...fields }] }, new Map(), NOW);

  test('that has expired is left out', () => {
    expect(planned({ expiration: NOW }).keys).toEqual([]);
    expect(planned({ expiration: NOW }).left.at(-1)).toContain('it has expired');
    expect(planned({ expiration: NOW + 1n }).keys).toHaveLength(1);
  });

  test('that ends after all times of the contract has no end', () => {
    expect(planned({ expiration: 1n << 200n }).keys[0]?.expiration).toBe(0n);
  });

  test('loses groups that do not exist, and never gets every group for them', () => {
    const { keys, left } = planned({ executeInGroups: [99n], addPkpToGroups: [0n, 1n] });
    expect(keys).toEqual([{ ...key, executeInGroups: [], addPkpToGroups: [0n, 1n] }]);
    expect(left.at(-1)).toContain('some groups of executeInGroups');
  });
});

test('a group of many members takes several writes, and a complete one none', () => {
  const cids = Array.from({ length: 25 }, (_, index) => `Qm${index}`);
  const step = { ...labels, id: 1n, cids, wallets: [wallet('1')] };
  expect(writesLeft(step, undefined)).toBe(3);
  const first = nextMembers(step, undefined);
  expect([first.cids.length, first.wallets]).toEqual([10, [wallet('1')]]);
  const made = { members: [...first.cids.map(String), ...first.wallets] };
  expect(writesLeft(step, made)).toBe(2);
  expect(nextMembers(step, made)).toEqual({ cids: cids.slice(10, 20), wallets: [] });
  expect(writesLeft(step, { members: [...cids, wallet('1')] })).toBe(0);
  expect(writesLeft({ ...step, cids: [], wallets: [] }, undefined)).toBe(1);
});

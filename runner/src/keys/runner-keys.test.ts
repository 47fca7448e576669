import type { KeyPurpose } from '@latchkey/key-protocol';
import { pino } from 'pino';
import type { Address } from 'viem';
import { expect, test } from 'vitest';
import { openRunnerKeys } from './runner-keys.ts';
import { type Behaviour, group, nodesThat } from './testing.ts';

const openKeys = openRunnerKeys({
  group: group.parameters.groupPublicKey,
  seed: '01'.repeat(32),
  log: pino({ level: 'silent' }),
});
const runnerKeys = openKeys(() => {});
/** Nodes with every wallet at the path of its name. */
const permitting: Behaviour = (_, purpose) => {
  if (!('path' in purpose) && purpose.kind !== 'wallet') return { evaluation: purpose };
  if (purpose.kind === 'wallet-address') return { evaluation: { ...purpose, path: BigInt(purpose.path) } };
  const path = purpose.kind === 'mint-wallet' ? BigInt(purpose.path) : pathOf(purpose);
  return { evaluation: { kind: 'wallet', path } };
};
const askRelayer = () => Promise.reject(new Error('the relayer has no keys'));
const wallets: Address[] = [];
for (const path of [0, 1, 2]) {
  const minted = await runnerKeys.mint(nodesThat(permitting).ask, {
    kind: 'mint-wallet',
    path: `0x${path}`,
  });
  wallets.push(JSON.parse(minted).address);
}
function pathOf(purpose: KeyPurpose): bigint {
  return BigInt(
    wallets.findIndex((wallet) => 'wallet' in purpose && wallet.toLowerCase() === purpose.wallet),
  );
}
const [a, b] = wallets as [Address, Address];

/** Returns the wallets that a run asks the nodes for, when its code asks for these. */
async function asks(
  codeAsksFor: Address[],
  {
    params = '{}',
    cid = 'QmCid',
    usageKeyHash = '0x1f',
    isAhead = false,
    hasChanged = false,
    keys = runnerKeys,
  } = {},
) {
  const { ask, asked } = nodesThat(permitting);
  const run = keys.openRun({ askNodes: ask, askRelayer }, { usageKeyHash, cid }, isAhead);
  run.begin(params, hasChanged);
  // A key that is asked for ahead is asked for before this answer comes.
  await run.callKey('getActionPrivateKey', {});
  const ofWallets = () => asked.filter(({ kind }) => kind === 'wallet');
  const ahead = ofWallets().length;
  for (const pkpId of codeAsksFor) await run.callKey('getPrivateKey', { pkpId });
  run.end();
  return { ahead, asked: ofWallets().map((purpose) => wallets[Number(pathOf(purpose))]) };
}

test('the wallet of the parameter pkpId is asked for ahead', async () => {
  const params = JSON.stringify({ text: 'x', pkpId: a.toLowerCase() });
  expect(await asks([a], { params, cid: 'QmParams' })).toEqual({ ahead: 1, asked: [a] });
  expect(await asks([b], { params, cid: 'QmParams' })).toEqual({ ahead: 1, asked: [a, b] });
});

test('the wallet of the last run of a usage key and an action is asked for ahead, until it is the wrong one', async () => {
  expect(await asks([a])).toEqual({ ahead: 0, asked: [a] });
  expect(await asks([a, b])).toEqual({ ahead: 1, asked: [a, b] });
  expect(await asks([a], { cid: 'QmOther' })).toEqual({ ahead: 0, asked: [a] });
  expect(await asks([a], { usageKeyHash: '0x2f' })).toEqual({ ahead: 0, asked: [a] });
  expect(await asks([b])).toEqual({ ahead: 1, asked: [a, b] });
  expect(await asks([b])).toEqual({ ahead: 0, asked: [b] });
  expect(await asks([])).toEqual({ ahead: 1, asked: [b] });
  expect(await asks([b])).toEqual({ ahead: 0, asked: [b] });
});

test('a run through another connection asks for no wallet of the last run', async () => {
  const cid = 'QmConnection';
  await asks([a], { cid });
  expect(await asks([b], { cid, isAhead: true, keys: openKeys(() => {}) })).toEqual({ ahead: 0, asked: [b] });
  expect(await asks([a], { cid, isAhead: true })).toEqual({ ahead: 1, asked: [a] });
});

test('a run that was permitted before asks for the wallet of the last run before it begins', async () => {
  const cid = 'QmEarly';
  await asks([a], { cid });
  expect(await asks([a], { cid, isAhead: true })).toEqual({ ahead: 1, asked: [a] });
  expect(await asks([a], { cid, isAhead: true, hasChanged: true })).toEqual({ ahead: 2, asked: [a, a] });
  const params = JSON.stringify({ pkpId: b });
  expect(await asks([b], { cid, params, isAhead: true })).toEqual({ ahead: 2, asked: [a, b] });
});

test('a run that does not begin leaves the wallet of the last run', async () => {
  const cid = 'QmRefused';
  await asks([a], { cid });
  const { ask, asked } = nodesThat(permitting);
  runnerKeys.openRun({ askNodes: ask, askRelayer }, { usageKeyHash: '0x1f', cid }, true).end();
  await expect.poll(() => asked).toHaveLength(1);
  expect(await asks([a], { cid })).toEqual({ ahead: 1, asked: [a] });
});

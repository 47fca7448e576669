import type { EvaluationPurpose } from '@latchkey/key-protocol';
import { pino } from 'pino';
import type { Address } from 'viem';
import { afterAll, expect, test, vi } from 'vitest';
import { openRunnerKeys } from './runner-keys.ts';
import { type Behaviour, group, nodesThat } from './testing.ts';

// A key that is asked for ahead waits for the test, however slow the machine is. Before the processes start: a fake `clearTimeout` does
// not clear a real timer.
vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
const openKeys = await openRunnerKeys({
  group: group.parameters.groupPublicKey,
  signing: { ed25519: '', secp256k1: '' },
  seed: '01'.repeat(32),
  log: pino({ level: 'silent' }),
});
afterAll(async () => {
  vi.useRealTimers();
  await openKeys.close();
});
const runnerKeys = openKeys(() => {});
/** Nodes with every wallet at the path of its name. */
const permitting: Behaviour = (_, purpose) => {
  if (!('path' in purpose) && purpose.kind !== 'wallet') return { evaluation: purpose };
  if (purpose.kind === 'wallet-address') return { evaluation: { ...purpose, path: BigInt(purpose.path) } };
  const path = purpose.kind === 'mint-wallet' ? BigInt(purpose.path) : pathOf(purpose);
  return { evaluation: { kind: 'wallet', path } };
};
const certificateOf = () => Promise.reject(new Error('no certificate'));
const secretOf = () => Promise.reject(new Error('no secret'));
const wallets: Address[] = [];
for (const path of [0, 1, 2]) {
  const minted = await runnerKeys.mint(nodesThat(permitting).askSigned, {
    kind: 'mint-wallet',
    path: `0x${path}`,
  });
  wallets.push(JSON.parse(minted).address);
}
function pathOf(purpose: EvaluationPurpose): bigint {
  return BigInt(
    wallets.findIndex((wallet) => 'wallet' in purpose && wallet.toLowerCase() === purpose.wallet),
  );
}
const [a, b] = wallets as [Address, Address];

/** Returns the wallets that a run asks the nodes for: `ahead` of them ahead, then those that its code asks for. */
async function asks(
  codeAsksFor: Address[],
  { params = '{}', cid = 'QmCid', usageKeyHash = '0x1f', ahead = 0, keys = runnerKeys } = {},
) {
  const { askSigned, asked } = nodesThat(permitting);
  const run = keys.openRun({ askNodes: askSigned, certificateOf, secretOf }, { usageKeyHash, cid }, params);
  // A key that is asked for ahead is asked for before this answer comes.
  await run.callKey('getActionPublicKey', { ipfsId: cid });
  const ofWallets = () => asked.filter(({ kind }) => kind === 'wallet');
  await expect.poll(ofWallets).toHaveLength(ahead);
  for (const pkpId of codeAsksFor) await run.callKey('signMessage', { pkpId, message: 'm' });
  run.end();
  return ofWallets().map((purpose) => wallets[Number(pathOf(purpose))]);
}

test('the wallet of the parameter pkpId is asked for ahead', async () => {
  const params = JSON.stringify({ text: 'x', pkpId: a.toLowerCase() });
  expect(await asks([a], { params, cid: 'QmParams', ahead: 1 })).toEqual([a]);
  expect(await asks([b], { params, cid: 'QmParams', ahead: 1 })).toEqual([a, b]);
});

test('the wallet of the last run of a usage key and an action is asked for ahead, until it is the wrong one', async () => {
  expect(await asks([a], { ahead: 0 })).toEqual([a]);
  expect(await asks([a, b], { ahead: 1 })).toEqual([a, b]);
  expect(await asks([a], { cid: 'QmOther', ahead: 0 })).toEqual([a]);
  expect(await asks([a], { usageKeyHash: '0x2f', ahead: 0 })).toEqual([a]);
  expect(await asks([b], { ahead: 1 })).toEqual([a, b]);
  expect(await asks([b], { ahead: 0 })).toEqual([b]);
  expect(await asks([], { ahead: 1 })).toEqual([b]);
  expect(await asks([b], { ahead: 0 })).toEqual([b]);
});

test('a run through another connection asks for no wallet of the last run', async () => {
  const cid = 'QmConnection';
  await asks([a], { cid });
  expect(await asks([b], { cid, keys: openKeys(() => {}) })).toEqual([b]);
  expect(await asks([a], { cid, ahead: 1 })).toEqual([a]);
});

test('a key that is asked for ahead is asked for again after a second', async () => {
  const cid = 'QmLate';
  await asks([a], { cid });
  const { askSigned, asked, done } = nodesThat(permitting);
  const run = runnerKeys.openRun(
    { askNodes: askSigned, certificateOf, secretOf },
    { usageKeyHash: '0x1f', cid },
    '{}',
  );
  await expect.poll(() => done).toEqual([false]);
  vi.advanceTimersByTime(1_000);
  await run.callKey('signMessage', { pkpId: a, message: 'm' });
  run.end();
  expect(asked).toHaveLength(2);
});

test('a run that exports a key asks for it ahead the next time, and one that signs asks to sign', async () => {
  const cid = 'QmExport';
  const { askSigned, asked } = nodesThat(permitting);
  const recipient = '09'.padEnd(64, '0');
  for (const operation of ['getPrivateKey', 'getPrivateKey', 'signMessage', 'signMessage'] as const) {
    const run = runnerKeys.openRun(
      { askNodes: askSigned, certificateOf, secretOf },
      { usageKeyHash: '0x1f', cid },
      JSON.stringify({ pkpId: a }),
    );
    await run.callKey(operation, { pkpId: a, message: 'm', recipient });
    run.end();
  }
  const uses = asked.map((purpose) => 'use' in purpose && purpose.use);
  expect(uses.filter((use) => use === 'export').length).toBeGreaterThanOrEqual(2);
  expect(uses.at(-1)).toBe('inside');
});

test('the process of a run ends with the run, and a call that is in flight rejects', async () => {
  const { askSigned, asked } = nodesThat(() => undefined, undefined, new Promise(() => {}));
  const run = runnerKeys.openRun(
    { askNodes: askSigned, certificateOf, secretOf },
    { usageKeyHash: '0x1f', cid: 'QmEnd' },
    '{}',
  );
  const signing = run.callKey('signMessage', { pkpId: a, message: 'm' });
  await expect.poll(() => asked).toHaveLength(1);
  run.end();
  await expect(signing).rejects.toThrow('the key process was ended');
  await expect(run.callKey('signMessage', { pkpId: a, message: 'm' })).rejects.toThrow('the run has ended');
});

import type { KeyPurpose } from '@latchkey/key-protocol';
import { pino } from 'pino';
import { getAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, test } from 'vitest';
import { createReleases } from './releases.ts';
import { createRunKeys, mint } from './run-keys.ts';
import { type Behaviour, group, identity, nodesThat } from './testing.ts';

const PATH = 77n;
const CID = 'QmCid';
const releases = createReleases({
  identity,
  group: group.parameters.groupPublicKey,
  log: pino({ level: 'silent' }),
});
/** Nodes that permit everything, with all wallets at one path. */
const permitting: Behaviour = (_, purpose) => {
  if (purpose.kind === 'wallet') return { evaluation: { kind: 'wallet', path: PATH } };
  if (purpose.kind === 'action') return { evaluation: { kind: 'action', cid: purpose.ofCid } };
  const kind = purpose.kind === 'mint-wallet' ? 'wallet' : 'usage-key';
  return { evaluation: { kind, path: BigInt(purpose.path) } };
};
const mintAt = (kind: 'mint-wallet' | 'mint-usage-key', path: bigint) =>
  mint(releases, nodesThat(permitting).ask, { kind, path: `0x${path.toString(16)}` });
const pkpId = getAddress(await mintAt('mint-wallet', PATH));

function runKeys(behave = permitting, end?: { isRefused: boolean; message: string }) {
  const nodes = nodesThat(behave, end);
  return { ...nodes, keys: createRunKeys({ releases, ask: nodes.ask, usageKeyHash: '0x1f', cid: CID }) };
}

test('gives the key of the wallet that was minted, and asks for the run and the wallet', async () => {
  const { keys, asked } = runKeys();
  expect(privateKeyToAddress(await keys.getPrivateKey({ pkpId }))).toBe(pkpId);
  const purpose: KeyPurpose = { kind: 'wallet', usageKeyHash: '0x1f', cid: CID, wallet: pkpId.toLowerCase() };
  expect(asked).toEqual([purpose]);
});

test('gives the key of the wallet when a node lies', async () => {
  for (const liar of [1, 2, 3]) {
    const share = group.shares.find(({ identifier }) => identifier !== liar);
    if (!share) throw new Error('no share');
    const { keys } = runKeys((identifier, purpose) => {
      const answer = permitting(identifier, purpose);
      return answer && identifier === liar ? { ...answer, share: { ...share, identifier: liar } } : answer;
    });
    expect(privateKeyToAddress(await keys.getPrivateKey({ pkpId }))).toBe(pkpId);
  }
});

test('asks again at every use', async () => {
  const { keys, asked } = runKeys();
  await keys.getPrivateKey({ pkpId });
  await keys.Encrypt({ pkpId, message: 'm' });
  await keys.getActionPrivateKey();
  expect(asked.map(({ kind }) => kind)).toEqual(['wallet', 'wallet', 'action']);
});

test('encrypts and decrypts', async () => {
  const { keys } = runKeys();
  const ciphertext = await keys.Encrypt({ pkpId, message: 'größer' });
  expect(ciphertext).not.toContain('größer');
  expect(await keys.Decrypt({ pkpId, ciphertext })).toBe('größer');
  const other = runKeys((_, purpose) =>
    purpose.kind === 'wallet' ? { evaluation: { kind: 'wallet', path: PATH + 1n } } : undefined,
  );
  const otherWallet = await mintAt('mint-wallet', PATH + 1n);
  await expect(other.keys.Decrypt({ pkpId: otherWallet, ciphertext })).rejects.toThrow('another wallet');
});

test('refuses a wallet whose path gives another address', async () => {
  const other = `0x${'12'.repeat(20)}` as const;
  await expect(runKeys().keys.getPrivateKey({ pkpId: other })).rejects.toMatchObject({
    name: 'WalletMismatchError',
  });
});

test('gives the key of the own action, and public values of any', async () => {
  const { keys, asked } = runKeys();
  const own = await keys.getActionPrivateKey();
  expect(await keys.getActionWalletAddress({ ipfsId: CID })).toBe(privateKeyToAddress(own));
  expect(await keys.getActionPublicKey({ ipfsId: CID })).toMatch(/^0x0[23][0-9a-f]{64}$/);
  expect(await keys.getActionWalletAddress({ ipfsId: 'QmOther' })).not.toBe(privateKeyToAddress(own));
  expect(asked.at(-1)).toEqual({ kind: 'action', usageKeyHash: '0x1f', cid: CID, ofCid: 'QmOther' });
});

test('gives wallets, usage keys and actions different keys', async () => {
  const secrets = await Promise.all([
    mintAt('mint-usage-key', PATH),
    runKeys().keys.getPrivateKey({ pkpId }),
    runKeys().keys.getActionPrivateKey(),
  ]);
  expect(new Set(secrets).size).toBe(3);
  expect(secrets[0]).toMatch(/^0x[0-9a-f]{64}$/);
});

test('throws the refusal of the nodes under the name that the action knows', async () => {
  const refused = { isRefused: true, message: 'the usage key may not' };
  const { keys } = runKeys(() => undefined, refused);
  await expect(keys.getPrivateKey({ pkpId })).rejects.toMatchObject({
    name: 'WalletNotPermittedError',
    message: `the wallet ${pkpId} in the action ${CID}: ${refused.message}`,
  });
  await expect(keys.getActionPrivateKey()).rejects.toMatchObject({ name: 'PermissionError' });
  const down = runKeys(() => undefined, { isRefused: false, message: 'too few key nodes answer' });
  await expect(down.keys.getPrivateKey({ pkpId })).rejects.toMatchObject({ name: 'KeyNotReleasedError' });
});

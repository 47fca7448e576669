import { type EvaluationPurpose, NOT_EXPORTABLE } from '@latchkey/key-protocol';
import { markPath } from '@latchkey/protocol';
import { verifyGroupSignature } from '@latchkey/threshold/group-signature';
import { type Address, type Hex, hashMessage, recoverMessageAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { createReleases } from './releases.ts';
import { createRunKeys, mintUsageKey, mintWallet } from './run-keys.ts';
import { type Behaviour, group, nodesThat, ofGroup } from './testing.ts';

const PATH = 77n;
const CID = 'QmCid';
const releases = createReleases({ ...ofGroup, onWrongAnswer() {} });
/** Nodes that permit everything, with all wallets at one path. */
const permitting: Behaviour = (_, purpose) => {
  if (purpose.kind === 'wallet') return { evaluation: { kind: 'wallet', path: PATH } };
  if (purpose.kind === 'action') return { evaluation: { kind: 'action', cid: purpose.cid } };
  if (purpose.kind === 'action-public-key')
    return { evaluation: { kind: purpose.kind, cid: purpose.cid, publicKey: purpose.publicKey } };
  if (purpose.kind === 'wallet-address') return { evaluation: { ...purpose, path: BigInt(purpose.path) } };
  const kind = purpose.kind === 'mint-wallet' ? 'wallet' : 'usage-key';
  return { evaluation: { kind, path: BigInt(purpose.path) } };
};
const mintAt = (path: bigint, { ask } = nodesThat(permitting)) =>
  mintWallet(releases, ask, `0x${path.toString(16)}`);
const { address: pkpId } = await mintAt(PATH);

const OTHER = `0x02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}` as const;
const publicKeyOf = async () => OTHER;

function runKeys(
  behave = permitting,
  {
    end,
    expected,
    until,
  }: { end?: { isRefused: boolean; message: string }; expected?: Address; until?: Promise<void> } = {},
) {
  const nodes = nodesThat(behave, end, until);
  const keys = createRunKeys({ releases, ask: nodes.ask, usageKeyHash: '0x1f', cid: CID, publicKeyOf });
  if (expected) keys.askAhead(expected, 'export');
  return { ...nodes, keys };
}

test('gives the key of the wallet that was minted, and asks for the run and the wallet', async () => {
  const { keys, asked } = runKeys();
  expect(privateKeyToAddress(await keys.getPrivateKey({ pkpId }))).toBe(pkpId);
  const purpose: EvaluationPurpose = {
    kind: 'wallet',
    usageKeyHash: '0x1f',
    cid: CID,
    wallet: pkpId.toLowerCase(),
    use: 'export',
  };
  expect(asked).toEqual([purpose]);
});

test('gives the key of the wallet when a node lies', async () => {
  for (const liar of [1, 2, 3]) {
    const share = group.shares.find(({ identifier }) => identifier !== liar);
    if (!share) throw new Error('no share');
    const { keys } = runKeys((identifier, ...asked) => {
      const answer = permitting(identifier, ...asked);
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

describe('a key that is asked for ahead', () => {
  test('is the key of the call for this wallet', async () => {
    const { keys, asked, done } = runKeys(permitting, { expected: pkpId });
    await keys.getActionPrivateKey();
    expect(privateKeyToAddress(await keys.getPrivateKey({ pkpId }))).toBe(pkpId);
    expect(asked.map(({ kind }) => kind)).toEqual(['wallet', 'action']);
    expect(done).toEqual([false, false]);
  });

  test('is not the key of another wallet', async () => {
    const behave: Behaviour = (_, purpose) => {
      const path = purpose.kind === 'wallet' && purpose.wallet === pkpId.toLowerCase() ? PATH : PATH + 1n;
      return { evaluation: { kind: 'wallet', path } };
    };
    const { address: other } = await mintAt(PATH + 1n);
    const { keys } = runKeys(behave, { expected: pkpId });
    expect(privateKeyToAddress(await keys.getPrivateKey({ pkpId: other }))).toBe(other);
  });

  test('is asked for again when it did not come, and only then reports an outage', async () => {
    let isDown = true;
    const { keys, done } = runKeys((...asked) => (isDown ? undefined : permitting(...asked)), {
      expected: pkpId,
    });
    await expect.poll(() => done).toEqual([false]);
    isDown = false;
    expect(privateKeyToAddress(await keys.getPrivateKey({ pkpId }))).toBe(pkpId);
    isDown = true;
    await expect(keys.getPrivateKey({ pkpId })).rejects.toThrow('too few key nodes answer');
    expect(done).toEqual([false, false, true]);
  });

  test('is not asked for again when it does not come while the action waits, which is an outage', async () => {
    const down = Promise.withResolvers<void>();
    const { asked, done, keys } = runKeys(() => undefined, { expected: pkpId, until: down.promise });
    await expect.poll(() => asked).toHaveLength(1);
    const used = keys.getPrivateKey({ pkpId });
    down.resolve();
    await expect(used).rejects.toThrow('too few key nodes answer');
    expect(asked).toHaveLength(1);
    expect(done).toEqual([true]);
  });
});

describe('a wallet that is not exportable', () => {
  const path = markPath(PATH, false);
  const nodes =
    (refuses: boolean): Behaviour =>
    (_, purpose) =>
      refuses && 'use' in purpose && purpose.use === 'export'
        ? undefined
        : { evaluation: { kind: 'wallet', path } };

  test.each([true, false])('gives no private key, whether nodes refuse (%s) or not', async (refuses) => {
    const { address: pkpId } = await mintAt(path);
    const end = { isRefused: true, message: NOT_EXPORTABLE };
    const { keys, asked } = runKeys(nodes(refuses), { end });
    await expect(keys.getPrivateKey({ pkpId })).rejects.toMatchObject({
      name: 'WalletNotExportableError',
      message: expect.stringContaining('call signMessage'),
    });
    const [signature] = await keys.signHashes({ pkpId, hashes: [hashMessage('a')] });
    expect(await recoverMessageAddress({ message: 'a', signature: signature as Hex })).toBe(pkpId);
    const ciphertext = await keys.Encrypt({ pkpId, message: 'm' });
    expect(await keys.Decrypt({ pkpId, ciphertext })).toBe('m');
    const uses = asked.map((purpose) => 'use' in purpose && purpose.use);
    expect(uses).toEqual(['export', 'inside', 'inside', 'inside']);
  });

  test('gives none that was asked for ahead', async () => {
    const { address: pkpId } = await mintAt(path);
    const { keys } = runKeys(nodes(false), { expected: pkpId });
    await expect(keys.getPrivateKey({ pkpId })).rejects.toMatchObject({ name: 'WalletNotExportableError' });
  });
});

test('encrypts and decrypts', async () => {
  const { keys } = runKeys();
  const ciphertext = await keys.Encrypt({ pkpId, message: 'größer' });
  expect(ciphertext).not.toContain('größer');
  expect(await keys.Decrypt({ pkpId, ciphertext })).toBe('größer');
  const other = runKeys((_, purpose) =>
    purpose.kind === 'wallet' ? { evaluation: { kind: 'wallet', path: PATH + 1n } } : undefined,
  );
  const { address: otherWallet } = await mintAt(PATH + 1n);
  await expect(other.keys.Decrypt({ pkpId: otherWallet, ciphertext })).rejects.toThrow('another wallet');
});

test('refuses a wallet whose path gives another address', async () => {
  const other = `0x${'12'.repeat(20)}` as const;
  await expect(runKeys().keys.getPrivateKey({ pkpId: other })).rejects.toMatchObject({
    name: 'WalletMismatchError',
  });
});

test('asks the nodes for the key of the own action only, and gives public values of others', async () => {
  const { keys, asked } = runKeys();
  const own = await keys.getActionPrivateKey();
  expect(await keys.getActionWalletAddress({ ipfsId: CID })).toBe(privateKeyToAddress(own));
  expect(await keys.getActionPublicKey({ ipfsId: CID })).toMatch(/^0x0[23][0-9a-f]{64}$/);
  expect(await keys.getActionPublicKey({ ipfsId: 'QmOther' })).toBe(OTHER);
  // The address of the private key 1.
  const address = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
  expect(await keys.getActionWalletAddress({ ipfsId: 'QmOther' })).toBe(address);
  expect(asked).toEqual(Array(3).fill({ kind: 'action', usageKeyHash: '0x1f', cid: CID }));
});

test('has the nodes sign the address that it derived for the path, and no other', async () => {
  const nodes = nodesThat(permitting);
  const { address, certificate } = await mintAt(PATH, nodes);
  const digits = address.slice(2).toLowerCase();
  expect(nodes.asked).toEqual([
    { kind: 'mint-wallet', path: '0x4d' },
    { kind: 'wallet-address', path: '0x4d', address: digits },
  ]);
  const verify = (path: bigint, of = digits) =>
    verifyGroupSignature(
      group.parameters.groupPublicKey,
      { kind: 'wallet-address', path, address: of },
      certificate,
    );
  verify(PATH);
  expect(() => verify(PATH + 1n)).toThrow('does not hold');
  expect(() => verify(PATH, '12'.repeat(20))).toThrow('does not hold');
});

test('gives wallets, usage keys and actions different keys', async () => {
  const secrets = await Promise.all([
    mintUsageKey(releases, nodesThat(permitting).ask, `0x${PATH.toString(16)}`),
    runKeys().keys.getPrivateKey({ pkpId }),
    runKeys().keys.getActionPrivateKey(),
  ]);
  expect(new Set(secrets).size).toBe(3);
  expect(secrets[0]).toMatch(/^0x[0-9a-f]{64}$/);
});

test('throws the refusal of the nodes under the name that the action knows', async () => {
  const refused = { isRefused: true, message: 'the usage key may not' };
  const { keys } = runKeys(() => undefined, { end: refused });
  await expect(keys.getPrivateKey({ pkpId })).rejects.toMatchObject({
    name: 'WalletNotPermittedError',
    message: `the wallet ${pkpId} in the action ${CID}: ${refused.message}`,
  });
  await expect(keys.getActionPrivateKey()).rejects.toMatchObject({ name: 'PermissionError' });
  const down = runKeys(() => undefined, { end: { isRefused: false, message: 'too few key nodes answer' } });
  await expect(down.keys.getPrivateKey({ pkpId })).rejects.toMatchObject({ name: 'KeyNotReleasedError' });
});

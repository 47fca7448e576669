import { markPath } from '@latchkey/protocol';
import { ed25519 } from '@noble/curves/ed25519.js';
import { schnorr } from '@noble/curves/secp256k1.js';
import { type Address, hashMessage, hexToBytes, keccak256, recoverMessageAddress, stringToBytes } from 'viem';
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { KeyProvider } from './key-provider.ts';
import { keyProviderFrom } from './local-key-provider.ts';
import { createRunKeys, type KeyAuthority } from './release.ts';

const CID = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';
const CID_HASH = BigInt(keccak256(stringToBytes(CID)));
const USAGE_KEY_HASH = 77n;
const PATH = 5n << 96n;

const local = keyProviderFrom(new Uint8Array(32).fill(7));
const privateKey = await local.derive(PATH);
const wallet = privateKeyToAddress(privateKey);

/** All calls to the contract and all derivations, in order. */
let calls: string[];
beforeEach(() => {
  calls = [];
});

const recorded = <T>(call: string, value: T): T => {
  calls.push(call);
  return value;
};
const keyProvider: KeyProvider = {
  ...local,
  sign: (keyType, path, message) => recorded(`derive ${keyType} ${path}`, local.sign(keyType, path, message)),
  derive: (path) => recorded(`derive ${path}`, local.derive(path)),
  deriveEncryption: (path) => recorded(`deriveEncryption ${path}`, local.deriveEncryption(path)),
  deriveAction: (cid) => recorded(`deriveAction ${cid}`, local.deriveAction(cid)),
};

const keysWith = (answers: { may?: boolean | Error; mayRun?: boolean; path?: bigint } = {}) => {
  const { may = true, mayRun = true, path = PATH } = answers;
  const authority: KeyAuthority = {
    async canExecuteAction(key, cid) {
      calls.push(`may run ${key} ${cid}`);
      return mayRun;
    },
    async canUseWalletInAction(key, cid, address) {
      calls.push(`may ${key} ${cid} ${address}`);
      if (may instanceof Error) throw may;
      return may;
    },
    async getWalletDerivation(key, address) {
      calls.push(`path ${key} ${address}`);
      return path;
    },
  };
  return createRunKeys({ keyProvider, authority, usageKeyHash: USAGE_KEY_HASH, cid: CID });
};
const uses = (keys: ReturnType<typeof keysWith>, pkpId: Address = wallet) => [
  () => keys.getPrivateKey({ pkpId }),
  () => keys.signHash({ pkpId, hash: hashMessage('m') }),
  () => keys.Encrypt({ pkpId, message: 'm' }),
  () => keys.Decrypt({ pkpId, ciphertext: '00'.repeat(28) }),
  () => keys.sign({ pkpId, keyType: 'ed25519', message: '0x' }),
  () => keys.getPublicKey({ pkpId, keyType: 'taproot' }),
];
const derivations = () => calls.filter((call) => call.startsWith('derive'));

describe('wallet functions', () => {
  test('ask the contract for this key, CID and wallet before deriving anything', async () => {
    expect(await keysWith().getPrivateKey({ pkpId: wallet })).toBe(privateKey);
    expect(calls).toEqual([
      `may ${USAGE_KEY_HASH} ${CID_HASH} ${wallet}`,
      `path ${USAGE_KEY_HASH} ${wallet}`,
      `derive ${PATH}`,
    ]);
  });

  test('give no private key of a wallet that is not exportable, and use it', async () => {
    const path = markPath(PATH, false);
    const pkpId = privateKeyToAddress(await local.derive(path));
    const keys = keysWith({ path });
    await expect(keys.getPrivateKey({ pkpId })).rejects.toMatchObject({
      name: 'WalletNotExportableError',
      message: expect.stringContaining('call signMessage'),
    });
    const signature = await keys.signHash({ pkpId, hash: hashMessage('m') });
    expect(await recoverMessageAddress({ message: 'm', signature })).toBe(pkpId);
    const ciphertext = await keys.Encrypt({ pkpId, message: 'm' });
    expect(await keys.Decrypt({ pkpId, ciphertext })).toBe('m');
  });

  test('ask the contract again at every use', async () => {
    const keys = keysWith();
    for (const use of uses(keys).slice(0, 2)) await use();
    expect(calls.filter((call) => call.startsWith('may'))).toHaveLength(2);
  });

  test('derive nothing when the contract denies permission', async () => {
    for (const use of uses(keysWith({ may: false }))) {
      await expect(use()).rejects.toMatchObject({ name: 'WalletNotPermittedError' });
    }
    expect(derivations()).toEqual([]);
  });

  test('derive nothing when the contract cannot be asked', async () => {
    for (const use of uses(keysWith({ may: new Error('chain down') }))) {
      await expect(use()).rejects.toThrow('chain down');
    }
    expect(derivations()).toEqual([]);
  });

  test('derive nothing for a wallet without a path', async () => {
    for (const use of uses(keysWith({ path: 0n }))) {
      await expect(use()).rejects.toMatchObject({ name: 'WalletNotPermittedError' });
    }
    expect(derivations()).toEqual([]);
  });

  test('release nothing of a wallet that another account registered with its own path, after a run of the first', async () => {
    await keysWith().getPrivateKey({ pkpId: wallet });
    for (const use of uses(keysWith({ path: PATH + 1n })))
      await expect(use()).rejects.toMatchObject({ name: 'WalletMismatchError' });
    for (const use of uses(keysWith({ path: 0n })))
      await expect(use()).rejects.toMatchObject({ name: 'WalletNotPermittedError' });
  });

  test('release nothing when the derived key belongs to another wallet', async () => {
    for (const use of uses(keysWith({ path: PATH + 1n }))) {
      await expect(use()).rejects.toMatchObject({ name: 'WalletMismatchError' });
    }
    expect(calls.some((call) => call.startsWith('deriveEncryption'))).toBe(false);
  });
});

describe('Encrypt and Decrypt', () => {
  test.each(['', 'hello', 'grüße 🔑', 'x'.repeat(50_000)])('round-trip', async (message) => {
    const keys = keysWith();
    const ciphertext = await keys.Encrypt({ pkpId: wallet, message });
    expect(ciphertext).toMatch(/^[0-9a-f]+$/);
    expect(ciphertext.length).toBe(2 * (12 + Buffer.byteLength(message) + 16));
    expect(await keys.Decrypt({ pkpId: wallet, ciphertext })).toBe(message);
    expect(await keys.Decrypt({ pkpId: wallet, ciphertext: `0x${ciphertext.toUpperCase()}` })).toBe(message);
  });

  test('return different ciphertexts for one message', async () => {
    const [a, b] = [1, 2].map(() => keysWith().Encrypt({ pkpId: wallet, message: 'm' }));
    expect(await a).not.toBe(await b);
  });

  test('reject text that Encrypt did not return', async () => {
    const keys = keysWith();
    const good = await keys.Encrypt({ pkpId: wallet, message: 'message' });
    const bad = [
      '',
      '0x',
      'zz',
      good.slice(1),
      good.slice(2),
      `${good}00`,
      good.replace(/^../, 'ff'),
      '00'.repeat(28),
    ];
    for (const ciphertext of bad.filter((text) => text !== good)) {
      await expect(keys.Decrypt({ pkpId: wallet, ciphertext })).rejects.toMatchObject({
        name: 'DecryptError',
      });
    }
  });

  test('cannot decrypt with another wallet', async () => {
    const otherPath = PATH + 1n;
    const other = privateKeyToAddress(await local.derive(otherPath));
    const ciphertext = await keysWith().Encrypt({ pkpId: wallet, message: 'm' });
    const keys = keysWith({ path: otherPath });
    await expect(keys.Decrypt({ pkpId: other, ciphertext })).rejects.toMatchObject({ name: 'DecryptError' });
  });
});

describe('action functions', () => {
  test('return the private key of the running CID', async () => {
    expect(await keysWith().getActionPrivateKey()).toBe(await local.deriveAction(CID));
    expect(calls).toEqual([`may run ${USAGE_KEY_HASH} ${CID_HASH}`, `deriveAction ${CID}`]);
  });

  test('derive nothing for a run that is no longer permitted', async () => {
    const keys = keysWith({ mayRun: false });
    for (const use of [
      () => keys.getActionPrivateKey(),
      () => keys.getActionPublicKey({ ipfsId: 'QmOther' }),
      () => keys.getActionWalletAddress({ ipfsId: 'QmOther' }),
    ])
      await expect(use()).rejects.toMatchObject({ name: 'PermissionError' });
    expect(derivations()).toEqual([]);
  });

  test('return the public key and address of the private key of any CID', async () => {
    const keys = keysWith({ may: false });
    const account = privateKeyToAccount(await local.deriveAction('QmOther'));
    expect(await keys.getActionWalletAddress({ ipfsId: 'QmOther' })).toBe(account.address);
    const publicKey = await keys.getActionPublicKey({ ipfsId: 'QmOther' });
    expect(publicKey).toMatch(/^0x0[23][0-9a-f]{64}$/);
    expect(publicKey.slice(4)).toBe(account.publicKey.slice(4, 68));
  });
});

test('sign returns a signature by the key of getPublicKey', async () => {
  const message = '0xab';
  const keys = keysWith();
  for (const keyType of ['bip340', 'taproot'] as const) {
    const publicKey = await keys.getPublicKey({ pkpId: wallet, keyType });
    const signature = await keys.sign({ pkpId: wallet, keyType, message });
    expect(schnorr.verify(hexToBytes(signature), hexToBytes(message), hexToBytes(publicKey))).toBe(true);
  }
  const publicKey = await keys.getPublicKey({ pkpId: wallet, keyType: 'ed25519' });
  const signature = await keys.sign({ pkpId: wallet, keyType: 'ed25519', message });
  expect(ed25519.verify(hexToBytes(signature), hexToBytes(message), hexToBytes(publicKey))).toBe(true);
});

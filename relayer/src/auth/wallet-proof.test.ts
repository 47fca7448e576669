import { type PrimaryType, primaryTypes, typedDataDigest } from '@latchkey/protocol';
import { read, stack } from '@latchkey/testing/stack';
import {
  delegatedEoa,
  deployMock,
  envelopeOf,
  multisig,
  proofOf,
  seconds,
  signerOf,
} from '@latchkey/testing/wallet-proof';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concat, type Hex, hexToBigInt, numberToHex, pad, slice, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { ChainUnavailableError } from '../chain/errors.ts';
import { createWalletVerifier, type WalletProof, WalletProofError } from './wallet-proof.ts';

const key = `0x${'11'.repeat(32)}` as const;
const { address } = privateKeyToAccount(key);
const sign = signerOf(key);
const verify = createWalletVerifier(stack.chainId, { read: read as never });

async function refused(
  proof: WalletProof,
  step: WalletProofError['step'],
  primaryType: PrimaryType = 'CreateWallet',
) {
  const thrown: unknown = await verify(proof, primaryType).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(WalletProofError);
  expect((thrown as WalletProofError).step).toBe(step);
}

describe('ECDSA', () => {
  const order = secp256k1.Point.Fn.ORDER;
  const parts = (signature: Hex) => ({
    r: slice(signature, 0, 32),
    s: hexToBigInt(slice(signature, 32, 64)),
    v: Number(slice(signature, 64)),
  });
  const changed = async (change: (signature: Hex) => Hex): Promise<WalletProof> => {
    const proof = await proofOf({ primaryType: 'CreateWallet', address }, sign);
    return { ...proof, signature: change(proof.signature) };
  };

  test.each<[string, (signature: Hex) => Hex]>([
    ['v of 27 and 28', (signature) => signature],
    [
      'v of 0 and 1',
      (signature) => concat([slice(signature, 0, 64), toHex(parts(signature).v - 27, { size: 1 })]),
    ],
    [
      'compact',
      (signature) => {
        const { r, s, v } = parts(signature);
        return concat([r, numberToHex((BigInt(v - 27) << 255n) | s, { size: 32 })]);
      },
    ],
    ['uppercase hex', (signature) => `0x${signature.slice(2).toUpperCase()}`],
  ])('accepts %s', async (_what, change) => {
    // Both parities.
    for (let i = 0; i < 6; i++) expect(await verify(await changed(change), 'CreateWallet')).toBe(address);
  });

  test.each<[string, (signature: Hex) => Hex]>([
    [
      'a high s',
      (signature) => {
        const { r, s, v } = parts(signature);
        return concat([r, numberToHex(order - s, { size: 32 }), toHex(55 - v, { size: 1 })]);
      },
    ],
    [
      'the other v',
      (signature) => concat([slice(signature, 0, 64), toHex(55 - parts(signature).v, { size: 1 })]),
    ],
    ['v of 2', (signature) => concat([slice(signature, 0, 64), '0x02'])],
    ['v of 29', (signature) => concat([slice(signature, 0, 64), '0x1d'])],
    ['v of 35', (signature) => concat([slice(signature, 0, 64), '0x23'])],
    ['64 bytes without parity', (signature) => slice(signature, 0, 63)],
    ['66 bytes', (signature) => concat([signature, '0x00'])],
    ['no bytes', () => '0x'],
    ['zeros', () => pad('0x', { size: 65 })],
    [
      'r above the curve order',
      (signature) => concat([numberToHex(order, { size: 32 }), slice(signature, 32)]),
    ],
    ['an odd number of digits', (signature) => signature.slice(0, -1) as Hex],
    ['no 0x prefix', (signature) => signature.slice(2) as Hex],
    ['characters that are not hex', (signature) => `${signature.slice(0, -2)}zz` as Hex],
    ['4,097 bytes', () => `0x${'00'.repeat(4_097)}`],
  ])('refuses %s', async (_what, change) => {
    await refused(await changed(change), 'signature');
  });

  test('refuses the signature of another wallet', async () => {
    const proof = await proofOf({ primaryType: 'CreateWallet', address }, signerOf(`0x${'12'.repeat(32)}`));
    await refused(proof, 'signature');
  });
});

test('accepts the envelope as text and as an object', async () => {
  const { typed_data, signature } = await proofOf({ primaryType: 'CreateWallet', address }, sign);
  expect(await verify({ typed_data: JSON.stringify(typed_data, null, 1), signature }, 'CreateWallet')).toBe(
    address,
  );
});

test('accepts a proof for its own primary type only', async () => {
  for (const signed of primaryTypes) {
    const proof = await proofOf({ primaryType: signed, address }, sign);
    for (const wanted of primaryTypes) {
      if (wanted === signed) expect(await verify(proof, wanted)).toBe(address);
      else {
        await refused(proof, 'primaryType', wanted);
        // Renaming the type does not help: the name is part of the signed data.
        const renamed = { ...proof, typed_data: envelopeOf({ primaryType: wanted, address }) };
        await refused(renamed, 'signature', wanted);
      }
    }
  }
});

test('accepts issuedAt within ±300 seconds of the clock', async () => {
  let nowMs = 1_900_000_000_000;
  const timed = createWalletVerifier(stack.chainId, { read: read as never }, () => nowMs);
  const issuedAt = 1_900_000_000n;
  const proof = await proofOf({ primaryType: 'BillingAuth', address, issuedAt }, sign);
  for (const offset of [-300_000, 0, 300_999]) {
    nowMs = 1_900_000_000_000 + offset;
    expect(await timed(proof, 'BillingAuth')).toBe(address);
  }
  for (const offset of [-301_000, -300_001, 301_000]) {
    nowMs = 1_900_000_000_000 + offset;
    await expect(timed(proof, 'BillingAuth')).rejects.toMatchObject({ step: 'time' });
  }
});

test('reports the first failed step: size, JSON, schema, primary type, domain, time, signature', async () => {
  const wrong = {
    ...envelopeOf({ primaryType: 'BillingAuth', address, chainId: 1n, issuedAt: 1n }),
    extra: 'x'.repeat(5_000),
  };
  const signature = '0x';
  await refused({ typed_data: wrong, signature }, 'size');
  await refused({ typed_data: `${JSON.stringify({ ...wrong, extra: '' })}}`, signature }, 'json');
  await refused({ typed_data: { ...wrong, extra: '' }, signature }, 'schema');
  const { extra: _, ...typed_data } = wrong;
  await refused({ typed_data, signature }, 'primaryType');
  await refused({ typed_data, signature }, 'domain', 'BillingAuth');
  await refused(
    { typed_data: envelopeOf({ primaryType: 'BillingAuth', address, issuedAt: 1n }), signature },
    'time',
    'BillingAuth',
  );
  await refused(
    { typed_data: envelopeOf({ primaryType: 'BillingAuth', address }), signature },
    'signature',
    'BillingAuth',
  );
});

describe('ERC-1271', () => {
  test('accepts a multisig with as many owners as it requires', async () => {
    const { address: wallet, signDigest } = await multisig();
    const claim = { primaryType: 'CreateWallet', address: wallet } as const;
    expect(await verify(await proofOf(claim, signDigest), 'CreateWallet')).toBe(wallet);
    await refused(
      await proofOf(claim, async (digest) => slice(await signDigest(digest), 0, 65)),
      'signature',
    );
    const another = await multisig();
    await refused(await proofOf({ ...claim, address: another.address }, signDigest), 'signature');
  });

  test('accepts the signature of an EOA that delegates to a contract', async () => {
    const wallet = await delegatedEoa();
    const claim = { primaryType: 'CreateWallet', address: wallet.address } as const;
    expect(await verify(await proofOf(claim, wallet.signDigest), 'CreateWallet')).toBe(wallet.address);
    await refused(await proofOf(claim, sign), 'signature');
  });

  const magic = '1626ba7e';
  test.each<[string, string, unknown[]]>([
    ['burns all gas', 'GasBurningWallet', []],
    ['needs more gas than the limit', 'SlowWallet', [1_000_001n]],
    ['returns 10 MB', 'HugeAnswerWallet', [10_000_000n, false]],
    ['reverts with 10 MB', 'HugeAnswerWallet', [10_000_000n, true]],
    ['returns 31 bytes', 'AnsweringWallet', [`0x${magic}${'00'.repeat(27)}`, false]],
    ['returns another value', 'AnsweringWallet', [`0xffffffff${'00'.repeat(28)}`, false]],
    ['returns nothing', 'AnsweringWallet', ['0x', false]],
    ['reverts with the correct value', 'AnsweringWallet', [`0x${magic}${'00'.repeat(28)}`, true]],
    ['writes', 'WritingWallet', []],
  ])('refuses a wallet that %s', async (_what, name, args) => {
    const wallet = await deployMock('Erc1271Wallets', name, args);
    const started = performance.now();
    await refused(await proofOf({ primaryType: 'CreateWallet', address: wallet }, sign), 'signature');
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('rejects with ChainUnavailableError when the node is slow or down', async () => {
    const never = createWalletVerifier(stack.chainId, { read: () => new Promise(() => {}) as never });
    const away = createWalletVerifier(stack.chainId, {
      read: () => Promise.reject(new ChainUnavailableError('away')) as never,
    });
    const proof = await proofOf({ primaryType: 'CreateWallet', address: `0x${'22'.repeat(20)}` }, sign);
    for (const verifier of [never, away])
      await expect(verifier(proof, 'CreateWallet')).rejects.toBeInstanceOf(ChainUnavailableError);
    // An EOA's own signature is checked without the node.
    const own = await proofOf({ primaryType: 'CreateWallet', address }, sign);
    expect(await never(own, 'CreateWallet')).toBe(address);
  }, 10_000);
});

test('computes the same digest as wallets', async () => {
  const issuedAt = seconds();
  const { typed_data, signature } = await proofOf({ primaryType: 'CreateWallet', address, issuedAt }, sign);
  expect(await privateKeyToAccount(key).signTypedData(typed_data as never)).toBe(signature);
  expect(
    typedDataDigest({ primaryType: 'CreateWallet', address, chainId: BigInt(stack.chainId), issuedAt }),
  ).toMatch(/^0x[0-9a-f]{64}$/);
});

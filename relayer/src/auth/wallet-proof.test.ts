import { ChainUnavailableError } from '@latchkey/chain/errors';
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
import { concat, type Hex, slice } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
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

test.each<[string, (signature: Hex) => Hex]>([
  ['malformed', (signature) => signature.slice(0, -1) as Hex],
  // Forms of signatures: packages/protocol/src/signature.test.ts.
  ['of no signer', (signature) => concat([slice(signature, 0, 64), '0x02'])],
])('refuses a signature that is %s', async (_what, change) => {
  const proof = await proofOf({ primaryType: 'CreateWallet', address }, sign);
  await refused({ ...proof, signature: change(proof.signature) }, 'signature');
});

test('refuses the signature of another wallet', async () => {
  const proof = await proofOf({ primaryType: 'CreateWallet', address }, signerOf(`0x${'12'.repeat(32)}`));
  await refused(proof, 'signature');
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

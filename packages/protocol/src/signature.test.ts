import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concat, type Hex, hexToBigInt, keccak256, numberToHex, pad, slice, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { recoverSigner, signatureBytes } from './signature.ts';

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const order = secp256k1.Point.Fn.ORDER;
const parts = (signature: Hex) => ({
  r: slice(signature, 0, 32),
  s: hexToBigInt(slice(signature, 32, 64)),
  v: Number(slice(signature, 64)),
});

async function signerOf(text: string, change: (signature: Hex) => Hex) {
  const hash = keccak256(toHex(text));
  const bytes = signatureBytes(change(await account.sign({ hash })));
  return bytes && recoverSigner(hash, bytes);
}

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
])('finds the signer of %s', async (_what, change) => {
  // Both parities.
  for (let i = 0; i < 6; i++) expect(await signerOf(`text ${i}`, change)).toBe(account.address);
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
  ['r of zero', (signature) => concat([toHex(0, { size: 32 }), slice(signature, 32)])],
  ['text', () => 'hello' as Hex],
])('does not find the signer of %s', async (_what, change) => {
  for (let i = 0; i < 6; i++) expect(await signerOf(`text ${i}`, change)).not.toBe(account.address);
});

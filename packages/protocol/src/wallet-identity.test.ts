import { readFileSync } from 'node:fs';
import { type Address, encodePacked, keccak256 } from 'viem';
import { expect, test } from 'vitest';
import { walletIdentity } from './wallet-identity.ts';

const vectors = JSON.parse(readFileSync(new URL('../vectors/hashes.json', import.meta.url), 'utf8')) as {
  wallets: Address[];
  walletIdentities: string[];
};

test('identities equal the vectors and abi.encodePacked', () => {
  expect(vectors.wallets.map(walletIdentity)).toEqual(vectors.walletIdentities.map(BigInt));
  for (const wallet of vectors.wallets)
    expect(walletIdentity(wallet)).toBe(BigInt(keccak256(encodePacked(['address'], [wallet]))));
});

test('ignores the case of the address', () => {
  for (const wallet of vectors.wallets)
    expect(walletIdentity(wallet.toLowerCase() as Address)).toBe(walletIdentity(wallet));
});

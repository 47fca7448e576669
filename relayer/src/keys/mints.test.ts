import type { KeyStatement } from '@latchkey/key-protocol';
import { expect, test } from 'vitest';
import type { Mint, Runners } from '../runners/runners.ts';
import type { AskNodes, KeyNodes } from './key-nodes.ts';
import { createMints, readMintedWallet } from './mints.ts';

const certificate = { parameters: '{}', partials: [{ identifier: 1, partial: 'AA==' }] };
const wallet = { address: '0x1111111111111111111111111111111111111111', certificate };

/** A runner that makes this, and the statements that the nodes take from it. */
function start(made: string) {
  const minted: Mint[] = [];
  let isOwn: (statement: KeyStatement) => boolean = () => expect.unreachable();
  const keyNodes = {
    askFor(own: typeof isOwn, minBlock: bigint): AskNodes {
      expect(minBlock).toBe(0n);
      isOwn = own;
      return async () => ({ isRefused: true, message: '' });
    },
  } as unknown as KeyNodes;
  const runners = {
    async mint(mint: Mint) {
      minted.push(mint);
      return made;
    },
  } as unknown as Runners;
  const takes = (kind: string, path?: string) =>
    isOwn({ purpose: { kind, ...(path && { path }) } } as unknown as KeyStatement);
  return { mints: createMints(keyNodes, runners), minted, takes };
}

test('a mint of a wallet may ask for its key and its certificate only', async () => {
  const { mints, minted, takes } = start(JSON.stringify(wallet));
  expect(await mints.wallet(5n)).toEqual(wallet);
  expect(minted).toEqual([{ kind: 'mint-wallet', path: 5n }]);
  const taken = ['mint-wallet', 'wallet-address', 'mint-usage-key'].map((kind) => takes(kind, '5'));
  expect(taken).toEqual([true, true, false]);
  expect([takes('mint-wallet', '6'), takes('wallet-address', '6'), takes('nonces')]).toEqual([
    false,
    false,
    false,
  ]);
});

test('a mint of a usage key may ask for its key only', async () => {
  const { mints, minted, takes } = start('0x05');
  expect(await mints.usageKey(5n)).toBe('0x05');
  expect(minted).toEqual([{ kind: 'mint-usage-key', path: 5n }]);
  const taken = ['mint-usage-key', 'wallet-address', 'mint-wallet'].map((kind) => takes(kind, '5'));
  expect(taken).toEqual([true, false, false]);
  expect(takes('mint-usage-key', '6')).toBe(false);
});

test.each([
  ['no address', { ...wallet, address: undefined }],
  ['a number as its address', { ...wallet, address: 17 }],
  ['a malformed address', { ...wallet, address: '0x11' }],
  ['no certificate', { address: wallet.address }],
  ['a further field', { ...wallet, privateKey: '0x' }],
  [
    'too many partials',
    { ...wallet, certificate: { ...certificate, partials: Array(17).fill(certificate.partials[0]) } },
  ],
])('refuses a wallet with %s', (_what, made) => {
  expect(() => readMintedWallet(JSON.stringify(made))).toThrow();
});

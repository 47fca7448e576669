/** An encrypted keystore of the size that wallets make opens within the default limits of a run. */
import { createCipheriv, scryptSync } from 'node:crypto';
import { bytesToHex, concat, keccak256 } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';
import { privateKey } from '../testing.ts';

const run = await startRuntime();
const password = 'a pässword';

/** Version 3 of Ethereum's keystores. */
function keystoreOf(n: number): string {
  const [salt, iv] = [Buffer.alloc(32, 5), Buffer.alloc(16, 6)];
  const key = scryptSync(password, salt, 32, { N: n, r: 8, p: 1, maxmem: 1_024 ** 3 });
  const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(privateKey.slice(2), 'hex')), cipher.final()]);
  return JSON.stringify({
    version: 3,
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    address: privateKeyToAddress(privateKey).slice(2).toLowerCase(),
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf: 'scrypt',
      kdfparams: { dklen: 32, n, r: 8, p: 1, salt: salt.toString('hex') },
      mac: keccak256(concat([bytesToHex(key.subarray(16, 32)), bytesToHex(ciphertext)])).slice(2),
    },
  });
}

test.each([
  ['128 MiB', 131_072, 'await ethers.Wallet.fromEncryptedJson(json, password)'],
  ['256 MiB', 262_144, 'ethers.Wallet.fromEncryptedJsonSync(json, password)'],
])('of %s', { timeout: 240_000 }, async (_size, n, expression) => {
  const code = `const main = async ({ json, password }) => (${expression}).privateKey`;
  const { error, response } = await run(code, { jsParams: { json: keystoreOf(n), password } });
  expect(error).toBeUndefined();
  expect(response).toBe(privateKey);
});

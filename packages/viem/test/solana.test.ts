import { createPublicKey, verify } from 'node:crypto';
import { buildCode, parsePolicy } from '@latchkey/policy';
import { cidOf } from '@latchkey/protocol';
import { createClient } from '@latchkey/sdk';
import { stack } from '@latchkey/testing/stack';
import { newWalletKey } from '@latchkey/testing/wallet-key';
import {
  appendTransactionMessageInstruction,
  createTransactionMessage,
  getAddressEncoder,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { expect, test } from 'vitest';
import { toSolanaSigner } from '../src/solana.ts';

/** Checks an Ed25519 signature by the key in a Solana address. */
function isSigned(address: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  const x = Buffer.from(getAddressEncoder().encode(address as never)).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, bytes, key, signature);
}

test('signs bytes, messages and transactions of Solana', async () => {
  const { usageKey, walletAddress } = await newWalletKey();
  const signer = await toSolanaSigner({
    client: createClient({ url: stack.url, apiKey: usageKey }),
    walletAddress,
  });
  const bytes = new TextEncoder().encode('hello');
  expect(isSigned(signer.address, bytes, await signer.sign(bytes))).toBe(true);
  const [signed] = await signer.signMessages([{ content: bytes, signatures: {} }]);
  expect(isSigned(signer.address, bytes, signed?.[signer.address] as Uint8Array)).toBe(true);

  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(signer, empty),
    (paid) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: '4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn' as never, lastValidBlockHeight: 100n },
        paid,
      ),
    (timed) =>
      appendTransactionMessageInstruction(
        { programAddress: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as never, data: bytes },
        timed,
      ),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  const signature = transaction.signatures[signer.address] as Uint8Array;
  expect(isSigned(signer.address, transaction.messageBytes as never, signature)).toBe(true);
  expect(getBase64EncodedWireTransaction(transaction)).toMatch(/^A/);
});

test('a policy has no requests of Solana', async () => {
  const code = buildCode(
    parsePolicy({
      version: 1,
      rules: [{ name: 'all', effect: 'allow', kind: 'hash', hashes: 'any' }],
    }),
  );
  const { usageKey, walletAddress } = await newWalletKey([await cidOf(code)]);
  const client = createClient({ url: stack.url, apiKey: usageKey });
  await expect(toSolanaSigner({ client, walletAddress, action: { code } })).rejects.toThrow(
    /RequestError: kind must be one of/,
  );
});

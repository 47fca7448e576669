import { isExportable } from '@latchkey/protocol';
import { call, describeBadBodies, expectError, post, read, stack } from '@latchkey/testing/stack';
import {
  delegatedEoa,
  deployMock,
  envelopeOf,
  eoa,
  multisig,
  proofOf,
  signerOf,
} from '@latchkey/testing/wallet-proof';
import { describe, expect, test } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

const primaryType = 'CreateWallet';
const path = 'create_wallet_with_signature';
type Minted = { wallet_address: `0x${string}`; derivation_path: `0x${string}` };

describe('200', () => {
  test.each([
    ['an EOA', eoa],
    ['a multisig', multisig],
    ['an EOA that delegates', delegatedEoa],
  ])('mints a wallet for %s, at a path of its own and in no account', async (_what, open) => {
    const { address, signDigest } = await open();
    const proof = await proofOf({ primaryType, address }, signDigest);
    const reply = await post(path, proof);
    expect(reply.status).toBe(200);
    const { wallet_address, derivation_path } = reply.body as Minted;
    expect(reply.body).toEqual({
      wallet_address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      derivation_path: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      public_key: expect.stringMatching(/^0x04[0-9a-f]{128}$/),
      certificate: { parameters: expect.any(String), partials: expect.any(Array) },
    });
    expect(derivation_path.slice(0, 42)).toBe(address.toLowerCase());
    expect(await read('getPathOwnerMaster', [BigInt(derivation_path)])).toBe(0n);
    // Only the time window prevents a replay, which mints one more wallet without an account.
    const again = (await post(path, proof)).body as Minted;
    expect(again.wallet_address).not.toBe(wallet_address);
  });

  test('marks the path of a wallet that is not exportable, and only that', async () => {
    const { address, signDigest } = await eoa();
    const proof = await proofOf({ primaryType, address }, signDigest);
    for (const [fields, expected] of [
      [{ exportable: false }, false],
      [{ exportable: true }, true],
      [{}, true],
    ] as const) {
      const { derivation_path } = (await post(path, { ...proof, ...fields })).body as Minted;
      expect(isExportable(BigInt(derivation_path))).toBe(expected);
      expect(derivation_path.slice(0, 42)).toBe(address.toLowerCase());
    }
  });

  test('accepts the typed data as JSON text; returns the same wallet for the same Idempotency-Key', async () => {
    const { address, signDigest } = await eoa();
    const proof = await proofOf({ primaryType, address }, signDigest);
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const body = { ...proof, typed_data: JSON.stringify(proof.typed_data) };
    const replies = await Promise.all([1, 2, 3].map(() => post(path, body, undefined, headers)));
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 200, body: replies[0]?.body as object });
    expectError(await post(path, proof, undefined, headers), 409);
  });
});

describe('400', () => {
  test('returns the same message for every refused proof', async () => {
    const { address, signDigest } = await eoa();
    const good = await proofOf({ primaryType, address }, signDigest);
    const messages = new Set<string>();
    for (const proof of [
      await proofOf({ primaryType: 'AddUsageApiKey', address }, signDigest),
      await proofOf({ primaryType, address, chainId: 1n }, signDigest),
      await proofOf({ primaryType, address, issuedAt: 1n }, signDigest),
      await proofOf({ primaryType, address }, signerOf(`0x${'12'.repeat(32)}`)),
      { ...good, typed_data: { ...(good.typed_data as object), padding: 'x'.repeat(5_000) } },
      { ...good, typed_data: '{' },
      { ...good, typed_data: {} },
      { ...good, signature: '0x' },
      { ...good, signature: 'no hex' },
      { ...good, signature: `0x${'00'.repeat(4_097)}` },
    ]) {
      const reply = await post(path, proof);
      expectError(reply, 400);
      messages.add((reply.body as { message: string }).message);
    }
    expect(messages.size).toBe(1);
  });

  test('many concurrent hostile contract wallets cost little time', async () => {
    const wallets = await Promise.all([
      deployMock('Erc1271Wallets', 'GasBurningWallet'),
      deployMock('Erc1271Wallets', 'HugeAnswerWallet', [10_000_000n, false]),
      deployMock('Erc1271Wallets', 'RecursiveWallet'),
      deployMock('Erc1271Wallets', 'SlowWallet', [1_000_001n]),
    ]);
    const started = performance.now();
    const replies = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const address = wallets[i % wallets.length] as `0x${string}`;
        return post(path, await proofOf({ primaryType, address }, signerOf(`0x${'13'.repeat(32)}`)));
      }),
    );
    for (const reply of replies) expectError(reply, 400);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect((await fetch(`${stack.url}/health`)).status).toBe(200);
  });
});

const typed_data = envelopeOf({ primaryType, address: `0x${'22'.repeat(20)}` });
describeBadBodies(path, 422, () => undefined, [
  {},
  { typed_data },
  { signature: '0x' },
  { typed_data: 1, signature: '0x' },
  { typed_data: [typed_data], signature: '0x' },
  { typed_data, signature: 1 },
  { typed_data, signature: '0x', decoy: 1 },
]);

test('returns 413 above 64 KiB', async () => {
  expectError(await post(path, { typed_data: 'x'.repeat(70_000), signature: '0x' }), 413);
});

test('returns 429 per client address and per wallet', async () => {
  await using relayer = await ownRelayer({ SIGNED_MINTS_PER_MINUTE: '2', TRUST_PROXY: '1' });
  const { address, signDigest } = await eoa();
  const send = async (ip: string, body: unknown) =>
    call('POST', path, { body, headers: { 'X-Forwarded-For': ip } }, relayer.url);
  const proof = await proofOf({ primaryType, address }, signDigest);
  // Failed requests count per address, never against the wallet.
  for (let i = 0; i < 2; i++) expectError(await send('192.0.2.1', { ...proof, signature: '0x' }), 400);
  const refused = await send('192.0.2.1', proof);
  expectError(refused, 429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await send('192.0.2.2', proof)).status).toBe(200);
  expect((await send('192.0.2.3', proof)).status).toBe(200);
  expectError(await send('192.0.2.4', proof), 429);
});

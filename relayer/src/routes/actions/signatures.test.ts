/** Signatures of wallets by keys that are whole nowhere, verified as their ecosystems do. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { addGroup, addUsageKey, createWallet, hex, newAccount, post } from '@latchkey/testing/stack';
import { schnorr } from '@noble/curves/secp256k1.js';
import { beforeAll, describe, expect, test } from 'vitest';

const code = `async function main({ pkpId, keyType, messages }) {
  const publicKey = await Svc.Actions.getPublicKey({ pkpId, keyType });
  const signatures = [];
  for (const message of messages) signatures.push(await Svc.Actions.sign({ pkpId, keyType, message }));
  return { publicKey, signatures };
}`;

let accountKey: string;
let usageKey: string;
let pkpId: string;
beforeAll(async () => {
  const account = await newAccount();
  accountKey = account.key;
  pkpId = await createWallet(accountKey);
  const group = await addGroup(accountKey, { pkp_ids_permitted: [pkpId], cid_hashes_permitted: [hex(0n)] });
  usageKey = await addUsageKey(accountKey, { execute_in_groups: [group] });
});

type KeyType = 'ed25519' | 'bip340' | 'taproot';
const run = (params: object, key = usageKey) =>
  post('svc_action', { code, js_params: { pkpId, ...params } }, key);

async function sign(keyType: KeyType, ...messages: Uint8Array[]) {
  const { status, body } = await run({
    keyType,
    messages: messages.map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  });
  expect(status, JSON.stringify(body)).toBe(200);
  const { response, has_error, logs } = body as {
    response: { publicKey: string; signatures: string[] };
    has_error: boolean;
    logs: string;
  };
  expect(has_error, `${logs} ${JSON.stringify(body)}`).toBe(false);
  const bytes = (text: string) => Buffer.from(text.slice(2), 'hex');
  return { publicKey: bytes(response.publicKey), signatures: response.signatures.map(bytes) };
}

const ed25519Key = (publicKey: Buffer) =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }, format: 'jwk' });
const text = (value: string) => Buffer.from(value);

describe('ed25519', () => {
  test('signs messages of every length that nodes take, also empty and 8 KiB', async () => {
    const messages = [new Uint8Array(), text('a'), new Uint8Array(8_192).fill(7)];
    const { publicKey, signatures } = await sign('ed25519', ...messages);
    for (const [i, message] of messages.entries())
      expect(verify(null, message, ed25519Key(publicKey), signatures[i] as Buffer)).toBe(true);
  });

  test('signs a JWT', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const input = `${part({ alg: 'EdDSA', typ: 'JWT' })}.${part({ sub: 'a', iat: 1_800_000_000 })}`;
    const { publicKey, signatures } = await sign('ed25519', text(input));
    // RFC 8037: the signature is over the ASCII of both parts.
    expect(verify(null, text(input), ed25519Key(publicKey), signatures[0] as Buffer)).toBe(true);
  });
});

describe('bip340', () => {
  test.each(['bip340', 'taproot'] as const)('signs 32 bytes and others: %s', async (keyType) => {
    const messages = [
      createHash('sha256').update('a').digest(),
      new Uint8Array(),
      text('longer than a hash'),
    ];
    const { publicKey, signatures } = await sign(keyType, ...messages);
    for (const [i, message] of messages.entries())
      expect(schnorr.verify(signatures[i] as Buffer, message, publicKey)).toBe(true);
  });

  test('the taproot key is the output key of the bip340 key without scripts', async () => {
    const [{ publicKey: internal }, { publicKey: output }] = [await sign('bip340'), await sign('taproot')];
    const tweak = BigInt(`0x${Buffer.from(schnorr.utils.taggedHash('TapTweak', internal)).toString('hex')}`);
    const { Point } = schnorr;
    const point = schnorr.utils
      .lift_x(BigInt(`0x${internal.toString('hex')}`))
      .add(Point.BASE.multiply(tweak));
    expect(Buffer.from(schnorr.utils.pointToBytes(point))).toEqual(output);
  });
});

test('a wallet has the same keys in every action, and another wallet has others', async () => {
  const { publicKey } = await sign('ed25519');
  expect((await sign('ed25519')).publicKey).toEqual(publicKey);
  const other = await createWallet(accountKey);
  const group = await addGroup(accountKey, { pkp_ids_permitted: [other], cid_hashes_permitted: [hex(0n)] });
  const key = await addUsageKey(accountKey, { execute_in_groups: [group] });
  const { body } = await run({ pkpId: other, keyType: 'ed25519', messages: [] }, key);
  expect((body as { response: { publicKey: string } }).response.publicKey).not.toBe(
    `0x${publicKey.toString('hex')}`,
  );
});

test('refuses a wallet that the usage key may not use', async () => {
  const other = await createWallet(accountKey);
  const { status, body } = await run({ pkpId: other, keyType: 'ed25519', messages: [] });
  expect(status).toBe(200);
  expect(body).toMatchObject({ has_error: true });
  expect(JSON.stringify(body)).toContain('WalletNotPermittedError');
});

test.each([
  [{ keyType: 'rsa', messages: [] }, 'keyType is not'],
  [{ keyType: 'ed25519', messages: ['text'] }, 'message is not hex'],
  [{ keyType: 'ed25519', messages: [`0x${'00'.repeat(8_193)}`] }, 'at most 8192'],
])('refuses %j', async (params, message) => {
  const { body } = await run(params);
  expect(JSON.stringify(body)).toContain(message);
});

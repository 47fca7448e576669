/** A relayer under the control of an attacker answers requests for secrets. */
import { createHash } from 'node:crypto';
import { cidHash, cidOf } from '@latchkey/protocol';
import { expectWritten, hex, post, read } from '@latchkey/testing/stack';
import { bytesToHex, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, onTestFinished, test } from 'vitest';
import { connectHostile, type Hostile } from '../../../test/hostile-relayer.ts';
import { DIGEST, newSecretAccount, type SecretAccount, sealedSecret } from '../../../test/secrets.ts';

const sha256 = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`;

const parameters = await read('nodeConfigurationValue', ['key-nodes']);
const cid = await cidOf(DIGEST);
const victim = await newSecretAccount([cidHash(cid)]);

type Sealed = Awaited<ReturnType<typeof sealedSecret>>;
const answerOf = ({ version, wallet_address: wallet, ciphertext }: Sealed) => ({
  version,
  wallet,
  ciphertext,
});

/** Runs an action for the name `A` with a usage key, and answers its request for the secret. Resolves to the response. */
async function runWith(
  { usageKeyHash }: Pick<SecretAccount, 'usageKeyHash'>,
  answer: object,
  { params = {}, code = DIGEST }: { params?: object; code?: string } = {},
): Promise<unknown> {
  const hostile: Hostile = await connectHostile(parameters);
  onTestFinished(hostile.close);
  hostile.send({ type: 'take', id: 1, account: '0x5' });
  await hostile.next('taken', 1);
  const run = {
    type: 'run',
    id: 1,
    cid: await cidOf(code),
    params: JSON.stringify({ name: 'A', ...params }),
    timeoutMs: 30_000,
    usageKeyHash,
    streamsLogs: false,
    hasSecrets: true,
  };
  hostile.send(run, code);
  const asked = () => hostile.received.find(({ type }) => type === 'secret');
  await expect.poll(asked).toMatchObject({ name: 'A' });
  hostile.send({ type: 'secret', call: asked()?.call, ...answer });
  const { result } = await hostile.next('result', 1);
  expect(JSON.stringify(hostile.received)).not.toContain('canary');
  return (result as { response: unknown }).response;
}

test('the right ciphertext decrypts', async () => {
  const sealed = await sealedSecret(victim, 'A', 'canary value');
  expect(await runWith(victim, answerOf(sealed))).toBe(sha256('canary value'));
});

const REFUSED = /^SecretError: the secret A is not encrypted to its wallet as version \d+/;
test('the ciphertext of another secret, under another version, or changed does not decrypt', async () => {
  const a = await sealedSecret(victim, 'A', 'canary value');
  const b = await sealedSecret(victim, 'B', 'canary of another secret');
  expect(await runWith(victim, answerOf(b))).toMatch(REFUSED);
  expect(await runWith(victim, answerOf({ ...a, version: a.version + 1 }))).toMatch(REFUSED);
  const bytes = Buffer.from(a.ciphertext, 'base64');
  for (const at of [1, 40, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    expect(await runWith(victim, answerOf({ ...a, ciphertext: changed.toString('base64') }))).toMatch(
      REFUSED,
    );
  }
  for (const ciphertext of ['', 'AAAA', bytes.subarray(0, 48).toString('base64')])
    expect(await runWith(victim, answerOf({ ...a, ciphertext }))).toMatch(REFUSED);
});

test('another version than the action named, or an older one than it accepts, is refused', async () => {
  const old = await sealedSecret(victim, 'A', 'canary value');
  const [named, minimum] = [{ version: old.version + 1 }, { minVersion: old.version + 1 }];
  for (const params of [named, minimum])
    expect(await runWith(victim, answerOf(old), { params })).toMatch(
      /^SecretError: the secret A has version/,
    );
  // Without a limit an old version is accepted.
  expect(await runWith(victim, answerOf(old))).toBe(sha256('canary value'));
});

test('the secret of another account does not reach a run of this one', async () => {
  const other = await newSecretAccount([cidHash(cid)]);
  const theirs = await sealedSecret(other, 'A', 'canary of another account');
  expect(await runWith(victim, answerOf(theirs))).toMatch(/^WalletNotPermittedError: /);
  // Nor as a secret of the wallet of this account.
  const moved = { ...theirs, wallet_address: victim.wallet };
  expect(await runWith(victim, answerOf(moved))).toMatch(REFUSED);
});

test('a wallet whose key the relayer has gives nothing', async () => {
  const own = privateKeyToAccount(bytesToHex(new Uint8Array(32).fill(7)));
  const sealed = await sealedSecret({ wallet: own.address, publicKey: own.publicKey }, 'A', 'canary');
  expect(await runWith(victim, answerOf(sealed))).toMatch(/^WalletNotPermittedError: /);
});

test('another action with the usage key gets no secret', async () => {
  const sealed = await sealedSecret(victim, 'A', 'canary value');
  const code = `${DIGEST} // another action`;
  expect(await runWith(victim, answerOf(sealed), { code })).toMatch(/^WalletNotPermittedError: /);
});

test('the same action with a usage key of another account gets no secret', async () => {
  const sealed = await sealedSecret(victim, 'A', 'canary value');
  const attacker = await newSecretAccount([cidHash(cid)]);
  expect(await runWith(attacker, answerOf(sealed))).toMatch(/^WalletNotPermittedError: /);
});

test('a relayer that kept the ciphertext gets nothing after the action left the group', async () => {
  const removed = await newSecretAccount([cidHash(cid)]);
  const sealed = await sealedSecret(removed, 'A', 'canary value');
  expect(await runWith(removed, answerOf(sealed))).toBe(sha256('canary value'));
  const member = { group_id: removed.group, hashed_cid: hex(cidHash(cid)) };
  expectWritten(await post('remove_action_from_group', member, removed.key));
  expect(await runWith(removed, answerOf(sealed))).toMatch(/^WalletNotPermittedError: /);
});

test('a relayer that kept a deleted version can still give it to a permitted run', async () => {
  const sealed = await sealedSecret(victim, 'A', 'canary value');
  expect((await post('set_secret', sealed, victim.key)).status).toBe(200);
  expect((await post('delete_secret', { name: 'A' }, victim.key)).status).toBe(200);
  expect(await runWith(victim, answerOf(sealed))).toBe(sha256('canary value'));
});

test('an address that is not one, or a version of another form, closes the connection', async () => {
  const sealed = await sealedSecret(victim, 'A', 'canary value');
  for (const change of [{ wallet: 'x' }, { version: 0 }, { ciphertext: '€' }]) {
    const answer = { ...answerOf(sealed), ...(change as { wallet?: Hex }) };
    await expect(runWith(victim, answer)).rejects.toThrow('closed the connection');
  }
});

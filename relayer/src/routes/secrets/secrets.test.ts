/** Secrets from the client to the action, in real runs. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { apiKeyHash, cidHash, cidOf, MAX_SECRET_BYTES, walletIdentity } from '@latchkey/protocol';
import { expectError, expectWritten, get, hex, newAccount, post, type Reply } from '@latchkey/testing/stack';
import { accountOf, billingAuth, eoa, proofOf } from '@latchkey/testing/wallet-proof';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  DIGEST,
  digestOf,
  newSecretAccount,
  nextVersion,
  runOf,
  type SecretAccount,
  sealedSecret,
  setSecret,
} from '../../../test/secrets.ts';
import { MAX_SECRET_VERSIONS, MAX_SECRETS } from '../../db/secrets.ts';

const sha256 = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`;

const account = await newSecretAccount();

type Listed = { name: string; version: number; wallet_address: string; last_read_at: string | null };
const listed = async (name: string, key = account.key): Promise<Listed[]> =>
  ((await get('list_secrets', key)).body as Listed[]).filter((secret) => secret.name === name);
type Event = {
  id: number;
  event: string;
  version: number | null;
  caller: string;
  cid: string | null;
  run_id: string | null;
};
const eventsOf = async (name: string, query = '') =>
  (await get(`list_secret_events?name=${name}${query}`, account.key)).body as Event[];

describe('an action', () => {
  test.each([
    ['text', 'sk_live_1 ü €'],
    ['one byte', 'a'],
    ['64 KiB', 'x'.repeat(MAX_SECRET_BYTES)],
  ])('gets a value: %s', async (_, value) => {
    await setSecret(account, 'VALUE', value);
    expect(await digestOf(account, 'VALUE')).toBe(sha256(value));
  });

  test('gets the newest version, and an older one until it is deleted', async () => {
    const first = await setSecret(account, 'ROTATED', 'the first value');
    const second = await setSecret(account, 'ROTATED', 'the second value');
    expect(await digestOf(account, 'ROTATED')).toBe(sha256('the second value'));
    expect(await digestOf(account, 'ROTATED', { version: first })).toBe(sha256('the first value'));
    expect((await listed('ROTATED')).map(({ version }) => version)).toEqual([second, first]);
    expect((await post('delete_secret', { name: 'ROTATED', version: first }, account.key)).status).toBe(200);
    expect(await digestOf(account, 'ROTATED', { version: first })).toMatch(/^SecretError: .* does not have/);
    expect(await digestOf(account, 'ROTATED')).toBe(sha256('the second value'));
    await post('delete_secret', { name: 'ROTATED' }, account.key);
    expect(await digestOf(account, 'ROTATED')).toMatch(/^SecretError: .* does not have/);
  });

  test('does not get a version before `minVersion`', async () => {
    const version = await setSecret(account, 'MINIMUM', 'a value');
    expect(await digestOf(account, 'MINIMUM', { minVersion: version })).toBe(sha256('a value'));
    expect(await digestOf(account, 'MINIMUM', { minVersion: version + 1 })).toBe(
      `SecretError: the secret MINIMUM has version ${version}, not ${version + 1} or later`,
    );
  });

  test.each([
    ['no name', undefined],
    ['a name with other characters', 'a-b'],
    ['a long name', 'a'.repeat(65)],
    ['a number', 1],
  ])('gets a TypeError for %s', async (_, name) => {
    const { body } = await runOf(account.usageKey, { name });
    expect((body as { response: string }).response).toMatch(/^TypeError: name /);
  });

  test('gets no secret of another account', async () => {
    await setSecret(account, 'OWN', 'a value of one account');
    const other = await newSecretAccount();
    expect(await digestOf(other, 'OWN')).toMatch(/^SecretError: the account does not have/);
  });

  test('has the value in neither its response, logs nor error', async () => {
    const value = 'canary-of-this-test';
    await setSecret(account, 'SHOWN', value);
    const code = `async function main({ fails }) {
      const value = await Svc.Actions.getSecret('SHOWN');
      console.log('the value is', value);
      if (fails) throw new Error(value);
      return { value };
    }`;
    for (const fails of [false, true]) {
      const { body } = await runOf(account.usageKey, { fails }, code);
      expect(body).toMatchObject({ has_error: fails, logs: 'the value is [secret]\n' });
      expect(JSON.stringify(body)).not.toContain(value);
    }
  });
});

describe('is refused from the next request on', () => {
  let removed: SecretAccount;
  let hashed_cid: string;
  beforeAll(async () => {
    hashed_cid = hex(cidHash(await cidOf(DIGEST)));
  });
  const fresh = async () => {
    removed = await newSecretAccount([BigInt(hashed_cid)]);
    await setSecret(removed, 'A', 'a value');
    expect(await digestOf(removed, 'A')).toBe(sha256('a value'));
  };
  const { key, group, wallet, usageKey } = {
    key: () => removed.key,
    group: () => removed.group,
    wallet: () => removed.wallet,
    usageKey: () => removed.usageKey,
  };

  test('an action that left the group', async () => {
    await fresh();
    expectWritten(await post('remove_action_from_group', { group_id: group(), hashed_cid }, key()));
    expectError(await runOf(usageKey(), { name: 'A' }), 403);
  });

  test('an action whose group no longer has the wallet', async () => {
    await fresh();
    expectWritten(await post('remove_pkp_from_group', { group_id: group(), pkp_id: wallet() }, key()));
    expect(await digestOf(removed, 'A')).toMatch(/^WalletNotPermittedError: /);
  });

  test('a usage key that was removed', async () => {
    await fresh();
    const usage_api_key = hex(apiKeyHash(usageKey()));
    expectWritten(await post('remove_usage_api_key', { usage_api_key }, key()));
    expectError(await runOf(usageKey(), { name: 'A' }), 401);
  });

  test('the actions of a group that was removed', async () => {
    await fresh();
    expectWritten(await post('remove_group', { group_id: group() }, key()));
    expectError(await runOf(usageKey(), { name: 'A' }), 403);
  });

  test('an action in another group than that of the wallet', async () => {
    await fresh();
    const other = await newSecretAccount();
    expectWritten(
      await post('remove_pkp_from_group', { group_id: other.group, pkp_id: other.wallet }, other.key),
    );
    const added = {
      group_name: 'other',
      group_description: '',
      pkp_ids_permitted: [other.wallet],
      cid_hashes_permitted: [],
    };
    expectWritten(await post('add_group', added, other.key), {});
    await setSecret(other, 'A', 'a value');
    expect(await digestOf(other, 'A')).toMatch(/^WalletNotPermittedError: /);
  });
});

describe('the record', () => {
  test('says who set, read and deleted which version, and when one was read last', async () => {
    const version = await setSecret(account, 'AUDITED', 'a value');
    expect(await listed('AUDITED')).toMatchObject([{ wallet_address: account.wallet, last_read_at: null }]);
    const { headers } = await runOf(account.usageKey, { name: 'AUDITED' });
    await post('delete_secret', { name: 'AUDITED', version }, account.key);
    const [deleted, read, set, ...others] = await eventsOf('AUDITED');
    const owner = hex(account.hash);
    expect(deleted).toMatchObject({ event: 'delete', version, caller: owner, cid: null, run_id: null });
    expect(read).toMatchObject({
      event: 'read',
      version,
      caller: hex(BigInt(account.usageKeyHash)),
      cid: await cidOf(DIGEST),
      run_id: headers.get('x-run-id'),
    });
    expect(set).toMatchObject({ event: 'set', version, caller: owner, cid: null, run_id: null });
    expect(others).toEqual([]);
    expect(await eventsOf('AUDITED', `&page_size=1&before=${deleted?.id}`)).toEqual([read]);
  });

  test('has one read per run and version, however often the run reads it', async () => {
    const version = await setSecret(account, 'OFTEN', 'a value');
    const code = `async function main({ name }) {
      const read = () => Svc.Actions.getSecret(name);
      await Promise.all(Array.from({ length: 10 }, read));
      for (let i = 0; i < 10; i++) await read();
    }`;
    const { body } = await post('svc_action', { code, js_params: { name: 'OFTEN' } }, account.usageKey);
    expect(body).toMatchObject({ has_error: false });
    expect(await eventsOf('OFTEN')).toMatchObject([
      { event: 'read', version },
      { event: 'set', version },
    ]);
  });

  test('has the time of the last read', async () => {
    await setSecret(account, 'READ', 'a value');
    await digestOf(account, 'READ');
    const [{ last_read_at } = expect.unreachable()] = await listed('READ');
    expect(Date.now() - Date.parse(last_read_at ?? '')).toBeLessThan(60_000);
  });

  test('of one account is not that of another', async () => {
    await setSecret(account, 'PRIVATE', 'a value');
    const other = await newAccount();
    expect((await get('list_secret_events?name=PRIVATE', other.key)).body).toEqual([]);
    expect((await get('list_secrets', other.key)).body).toEqual([]);
    expectError(await post('delete_secret', { name: 'PRIVATE' }, other.key), 404);
    expect(await listed('PRIVATE')).toHaveLength(1);
  });

  test('never has a value or ciphertext', async () => {
    const body = await sealedSecret(account, 'HIDDEN', 'a value that no reply has');
    await post('set_secret', body, account.key);
    for (const path of ['list_secrets', 'list_secret_events?name=HIDDEN']) {
      const text = JSON.stringify((await get(path, account.key)).body);
      expect(text).not.toContain(body.ciphertext.slice(0, 20));
      expect(text).not.toContain('ciphertext');
    }
  });
});

describe('set_secret', () => {
  test('repeated is a success, and another value of the same version is a conflict', async () => {
    const body = await sealedSecret(account, 'REPEATED', 'a value');
    for (let i = 0; i < 2; i++) expect((await post('set_secret', body, account.key)).status).toBe(200);
    expect(await listed('REPEATED')).toHaveLength(1);
    const other = await sealedSecret(account, 'REPEATED', 'another', body.version);
    expectError(await post('set_secret', other, account.key), 409);
    const older = await sealedSecret(account, 'REPEATED', 'another', body.version - 1);
    expectError(await post('set_secret', older, account.key), 409);
  });

  test('returns 404 for a wallet of another account', async () => {
    const body = await sealedSecret(await newSecretAccount(), 'A', 'a value');
    expectError(await post('set_secret', body, account.key), 404);
  });

  test.each([
    ['a version in the future', { version: Date.now() + 600_000 }],
    [
      'a public key of another wallet',
      { wallet_public_key: privateKeyToAccount(generatePrivateKey()).publicKey },
    ],
    ['a ciphertext without a value', { ciphertext: Buffer.alloc(49, 2).toString('base64') }],
  ])('returns 400 for %s', async (_, change) => {
    const body = { ...(await sealedSecret(account, 'BAD', 'a value')), ...change };
    expectError(await post('set_secret', body, account.key), 400);
    expect(await listed('BAD')).toEqual([]);
  });

  test.each([
    ['a name with other characters', { name: 'a.b' }],
    ['an empty name', { name: '' }],
    ['a version that is not an integer', { version: 1.5 }],
    ['a ciphertext that is not base64', { ciphertext: '€' }],
    ['a larger value than 64 KiB', { ciphertext: Buffer.alloc(MAX_SECRET_BYTES + 52).toString('base64') }],
    ['another field', { value: 'plain' }],
  ])('returns an error for %s', async (_, change) => {
    const body = { ...(await sealedSecret(account, 'BAD', 'a value')), ...change };
    expect([400, 422]).toContain((await post('set_secret', body, account.key)).status);
    expect(await listed('BAD')).toEqual([]);
  });

  test('keeps 10 versions and 100 names, also of concurrent requests', async () => {
    const { key, ...limited } = await newSecretAccount();
    const bodies = await Promise.all(Array.from({ length: 12 }, () => sealedSecret(limited, 'A', 'a value')));
    const set = async (body: object): Promise<Reply> => {
      const reply = await post('set_secret', body, key);
      return reply.status === 429 ? set(body) : reply;
    };
    const statuses = [];
    for (const body of bodies) statuses.push((await set(body)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    const names = await Promise.all(
      Array.from({ length: 104 }, (_, i) => sealedSecret(limited, `NAME_${i}`, 'a value', nextVersion())),
    );
    const replies = await Promise.all(names.map(set));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(99);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(5);
  });
});

test('the admin wallet of a ChainSecured account sets, lists and deletes secrets', async () => {
  const admin = await eoa();
  const write = accountOf(admin);
  await write('newChainSecuredAccount', ['', '']);
  const proof = await proofOf({ primaryType: 'CreateWallet', address: admin.address }, admin.signDigest);
  const { body } = await post('create_wallet_with_signature', { ...proof, exportable: false });
  const minted = body as { wallet_address: Address; derivation_path: Hex; public_key: Hex };
  const { wallet_address: wallet, derivation_path: path, public_key: publicKey } = minted;
  await write('registerWalletDerivation', [walletIdentity(admin.address), wallet, BigInt(path), '', '']);
  const auth = await billingAuth(admin);
  const secret = await sealedSecret({ wallet, publicKey }, 'A', 'a value');
  expect((await post('set_secret', secret, undefined, auth)).status).toBe(200);
  expect((await get('list_secrets', undefined, auth)).body).toMatchObject([
    { name: 'A', wallet_address: wallet },
  ]);
  expect((await post('delete_secret', { name: 'A' }, undefined, auth)).status).toBe(200);
  expect((await get('list_secret_events?name=A', undefined, auth)).body).toMatchObject([
    { event: 'delete', version: null, caller: hex(walletIdentity(admin.address)) },
    { event: 'set', version: secret.version },
  ]);
});

test('the page names the limits', () => {
  const page = readFileSync(new URL('../../../../docs/secrets.md', import.meta.url), 'utf8');
  expect(page).toContain(`| secrets per account | ${MAX_SECRETS} |`);
  expect(page).toContain(`| versions per secret | ${MAX_SECRET_VERSIONS} |`);
});

test('429 for more than 300 changes of secrets by an account in an hour', async () => {
  const busy = await newSecretAccount();
  const remove = (key: string) => post('delete_secret', { name: 'A' }, key);
  for (let i = 0; i < 150; i++) {
    const body = await sealedSecret(busy, 'A', 'a value', nextVersion());
    expect((await post('set_secret', body, busy.key)).status).toBe(200);
    expect((await remove(busy.key)).status).toBe(200);
    // A refusal records nothing and does not count.
    if (i === 0) expectError(await remove(busy.key), 404);
  }
  const refused = await remove(busy.key);
  expectError(refused, 429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
  expectError(await remove((await newAccount()).key), 404);
});

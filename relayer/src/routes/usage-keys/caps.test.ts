/** The caps of usage keys over HTTP: stored in addition to the contract's permissions, listed, and enforced. */
import { apiKeyHash } from '@latchkey/protocol';
import {
  type Account,
  addUsageKey,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  post,
  type Reply,
  read,
} from '@latchkey/testing/stack';
import { type AdminWallet, accountOf, billingAuth, eoa, proofOf } from '@latchkey/testing/wallet-proof';
import { afterEach, describe, expect, test } from 'vitest';
import { readLedger } from '../../../test/credit.ts';

const none = {
  spend_cap_cents: null,
  spend_window_seconds: null,
  max_runs_per_minute: null,
  max_concurrency: null,
  max_run_seconds: null,
};
const all = {
  spend_cap_cents: 5,
  spend_window_seconds: 60,
  max_runs_per_minute: 7,
  max_concurrency: 2,
  max_run_seconds: 9,
};

const account = await newAccount();

async function readCaps(usageKey: string, headers: Record<string, string> = { 'X-Api-Key': account.key }) {
  const { status, body } = await get('list_api_keys?page_size=1000', undefined, headers);
  expect(status).toBe(200);
  const keys = body as (typeof none & { api_key_hash: string })[];
  const found = keys.find(({ api_key_hash: hash }) => hash === hex(apiKeyHash(usageKey)));
  if (!found) return undefined;
  const { spend_cap_cents, spend_window_seconds, max_runs_per_minute, max_concurrency, max_run_seconds } =
    found;
  return { spend_cap_cents, spend_window_seconds, max_runs_per_minute, max_concurrency, max_run_seconds };
}
const update = (usageKey: string, fields: object = {}) =>
  post('update_usage_api_key', { usage_api_key: usageKey, ...fields }, account.key);
const run = (usageKey: string, code = 'function main() {}') => post('svc_action', { code }, usageKey);
const addGroup = (usageKey: string) =>
  post('add_group', { group_name: 'n', group_description: '' }, usageKey);
const retryAfter = ({ headers }: Reply) => Number(headers.get('retry-after'));
/** The time in the message. */
const freesAtMs = ({ body }: Reply) =>
  Date.parse(/It frees at (\S+)\.$/.exec((body as { message: string }).message)?.[1] ?? '');

describe('200', () => {
  test('a new key has exactly the given caps', async () => {
    expect(await readCaps(await addUsageKey(account.key, all))).toEqual(all);
    expect(await readCaps(await addUsageKey(account.key, { max_concurrency: 1 }))).toEqual({
      ...none,
      max_concurrency: 1,
    });
    expect(await readCaps(await addUsageKey(account.key))).toEqual(none);
    const nothing = await addUsageKey(account.key, none);
    expect(await readCaps(nothing)).toEqual(none);
  });

  test('accepts the smallest and the largest values', async () => {
    const [least, most] = [1, 2_147_483_647].map((value) =>
      Object.fromEntries(Object.keys(none).map((name) => [name, value])),
    );
    for (const caps of [least, most])
      expect(await readCaps(await addUsageKey(account.key, caps))).toEqual(caps);
  });

  test('an update sets the given caps and resets omitted ones; an update of the labels resets nothing', async () => {
    const usageKey = await addUsageKey(account.key, all);
    const labels = { usage_api_key: usageKey, name: 'n', description: 'd' };
    expectWritten(await post('update_usage_api_key_metadata', labels, account.key));
    expect(await readCaps(usageKey)).toEqual(all);
    expectWritten(await update(usageKey, { max_runs_per_minute: 9 }));
    expect(await readCaps(usageKey)).toEqual({ ...none, max_runs_per_minute: 9 });
    expectWritten(await update(usageKey));
    expect(await readCaps(usageKey)).toEqual(none);
  });

  test('a failed update changes no cap', async () => {
    const usageKey = await addUsageKey(account.key, all);
    expectError(await update(usageKey, { execute_in_groups: [77], max_concurrency: 1 }), 404);
    expectError(await update(hex(1n), { max_concurrency: 1 }), 404);
    expect(await readCaps(usageKey)).toEqual(all);
  });

  test('the caps of one key do not apply to another key or the account key', async () => {
    const capped = await addUsageKey(account.key, { can_create_groups: true, spend_cap_cents: 1 });
    const other = await addUsageKey(account.key, { can_create_groups: true });
    expectWritten(await addGroup(capped), {});
    expectError(await addGroup(capped), 402, /spend_cap_cents/);
    expectWritten(await addGroup(other), {});
    expectWritten(await addGroup(account.key), {});
  });
});

for (const path of ['add_usage_api_key', 'update_usage_api_key'] as const) {
  describe(path, () => {
    // The key exists, whatever the values.
    const body = (caps: object) => ({
      ...(path === 'update_usage_api_key' && { usage_api_key: hex(1n) }),
      ...caps,
    });
    describeBadBodies(
      path,
      400,
      () => account.key,
      Object.keys(none).flatMap((name) =>
        [0, -1, 2_147_483_648].map((value) => body({ spend_cap_cents: 1, [name]: value })),
      ),
    );
    describeBadBodies(path, 422, () => account.key, [
      ...Object.keys(none).flatMap((name) =>
        ['5', 1.5, true, [1]].map((value) => body({ spend_cap_cents: 1, [name]: value })),
      ),
      // A window without a cap.
      body({ spend_window_seconds: 60 }),
      body({ spend_window_seconds: 60, spend_cap_cents: null }),
    ]);
  });
}

describe('spend_cap_cents returns 402', () => {
  test('without a window: nothing is written or reserved, and no time is named', async () => {
    const usageKey = await addUsageKey(account.key, { can_create_groups: true, spend_cap_cents: 2 });
    expectWritten(await addGroup(usageKey), {});
    expectWritten(await addGroup(usageKey), {});
    const headers = { 'X-Api-Key': account.key };
    const [sizes, ledger] = [await read('listSizes', [account.hash]), await readLedger(headers)];
    const refused = await addGroup(usageKey);
    expectError(
      refused,
      402,
      /^This usage key has reached its spend_cap_cents\. It does not free by itself\.$/,
    );
    expect(refused.headers.get('retry-after')).toBeNull();
    expect(refused.body).toMatchObject({ fix: expect.stringContaining('update_usage_api_key') });
    expect(await read('listSizes', [account.hash])).toEqual(sizes);
    expect(await readLedger(headers)).toEqual(ledger);
    // The spent amount plus a cent.
    expectWritten(await update(usageKey, { can_create_groups: true, spend_cap_cents: 3 }));
    expectWritten(await addGroup(usageKey), {});
    expectError(await addGroup(usageKey), 402);
  });

  test('a refused write is not spent', async () => {
    const usageKey = await addUsageKey(account.key, { can_delete_groups: true, spend_cap_cents: 1 });
    for (let attempt = 0; attempt < 3; attempt++)
      expectError(await post('remove_group', { group_id: 77 }, usageKey), 404);
    const created = await addGroup(account.key);
    const { group_id } = created.body as { group_id: string };
    expectWritten(await post('remove_group', { group_id }, usageKey));
  });

  test('in a window: names the time at which it frees, and frees then', async () => {
    const caps = { spend_cap_cents: 1, spend_window_seconds: 3 };
    const usageKey = await addUsageKey(account.key, { can_create_groups: true, ...caps });
    const startedAt = Date.now();
    expectWritten(await addGroup(usageKey), {});
    const refused = await addGroup(usageKey);
    expectError(refused, 402, /spend_cap_cents\. It frees at/);
    expect(retryAfter(refused)).toBeGreaterThan(0);
    expect(retryAfter(refused)).toBeLessThanOrEqual(3);
    expect(freesAtMs(refused)).toBeGreaterThanOrEqual(startedAt + 3_000);
    expect(freesAtMs(refused)).toBeLessThanOrEqual(Date.now() + 3_000);
    await expect.poll(async () => (await addGroup(usageKey)).status).toBe(200);
    expect(Date.now()).toBeGreaterThanOrEqual(freesAtMs(refused));
    expectError(await addGroup(usageKey), 402);
  });

  test('ends a run whose next second it does not allow', async () => {
    const usageKey = await addUsageKey(account.key, { execute_in_groups: [0], spend_cap_cents: 1 });
    const code = 'async function main() { await new Promise((done) => setTimeout(done, 20_000)) }';
    expect(await run(usageKey, code)).toMatchObject({
      status: 200,
      body: {
        has_error: true,
        error: { name: 'CreditError', message: expect.stringContaining('spend_cap_cents') },
      },
    });
    expectError(await run(usageKey), 402, /spend_cap_cents/);
  });

  test('20 concurrent writes succeed up to the cap', async () => {
    const usageKey = await addUsageKey(account.key, { can_create_groups: true, spend_cap_cents: 3 });
    const replies = await Promise.all(Array.from({ length: 20 }, () => addGroup(usageKey)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(replies.filter(({ status }) => status === 402)).toHaveLength(17);
  });
});

describe('429', () => {
  test('max_runs_per_minute limits the runs that begin, and names when the next one can begin', async () => {
    const usageKey = await addUsageKey(account.key, { execute_in_groups: [0], max_runs_per_minute: 2 });
    const startedAt = Date.now();
    expect((await run(usageKey)).status).toBe(200);
    expect((await run(usageKey, `function main() { throw new Error('counts') }`)).status).toBe(200);
    const ledger = await readLedger({ 'X-Api-Key': account.key });
    const refused = await run(usageKey);
    expectError(refused, 429, /^This usage key has reached its max_runs_per_minute\. It frees at/);
    expect(retryAfter(refused)).toBeGreaterThan(30);
    expect(retryAfter(refused)).toBeLessThanOrEqual(60);
    expect(freesAtMs(refused)).toBeGreaterThanOrEqual(startedAt + 60_000);
    expect(freesAtMs(refused)).toBeLessThanOrEqual(Date.now() + 60_000);
    expect(await readLedger({ 'X-Api-Key': account.key })).toEqual(ledger);
    expectWritten(await update(usageKey, { execute_in_groups: [0], max_runs_per_minute: 3 }));
    expect((await run(usageKey)).status).toBe(200);
    expectError(await run(usageKey), 429);
  });

  test('max_concurrency frees when a run ends, and ignores writes', async () => {
    const usageKey = await addUsageKey(account.key, {
      execute_in_groups: [0],
      can_create_groups: true,
      max_concurrency: 1,
    });
    const code = 'async function main() { await new Promise((done) => setTimeout(done, 600)) }';
    const replies = await Promise.all([1, 2, 3, 4].map(() => run(usageKey, code)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429]);
    const refused = replies.find(({ status }) => status === 429) as Reply;
    expectError(
      refused,
      429,
      /^This usage key has reached its max_concurrency\. It frees when a run ends\.$/,
    );
    expect(retryAfter(refused)).toBe(1);
    expect((await run(usageKey)).status).toBe(200);
    expectWritten(await addGroup(usageKey), {});
  });

  test('a refusal is not stored: the same Idempotency-Key runs once the cap allows it', async () => {
    const usageKey = await addUsageKey(account.key, { execute_in_groups: [0], max_runs_per_minute: 1 });
    expect((await run(usageKey)).status).toBe(200);
    const headers = { 'Idempotency-Key': 'later' };
    const again = () => post('svc_action', { code: 'function main() { return 1 }' }, usageKey, headers);
    expectError(await again(), 429);
    expectWritten(await update(usageKey, { execute_in_groups: [0] }));
    expect(await again()).toMatchObject({ status: 200, body: { response: 1 } });
  });
});

describe('removal deletes the caps', () => {
  let admin: AdminWallet;
  let owner: Account;
  const convert = async () => {
    const { address, signDigest } = admin;
    const proof = await proofOf({ primaryType: 'ConvertAccount', address }, signDigest);
    const body = { new_admin_wallet_address: address, ...proof };
    expectWritten(await post('convert_to_chain_secured_account', body, owner.key), {});
  };
  /** The wallet adds the same key again, without caps for the relayer. */
  const addAgain = (usageKey: string) =>
    accountOf(admin)('setUsageApiKey', [
      owner.hash,
      apiKeyHash(usageKey),
      0n,
      0n,
      'again',
      '',
      ...([false, false, false, [], [], [], [0n]] as const),
    ]);
  const capsAt = async (usageKey: string, block: bigint) =>
    readCaps(usageKey, { ...(await billingAuth(admin)), 'X-Min-Block': String(block) });
  const caps = { execute_in_groups: [0], ...all };
  let usageKey: string;
  afterEach(async () => {
    // The deleted caps limit nothing.
    for (let count = 0; count < all.spend_cap_cents + 1; count++)
      expect((await run(usageKey)).status).toBe(200);
  });

  test('through the relayer', async () => {
    [admin, owner] = [await eoa(), await newAccount()];
    usageKey = await addUsageKey(owner.key, caps);
    expectWritten(await post('remove_usage_api_key', { usage_api_key: usageKey }, owner.key));
    expect(await readCaps(usageKey, { 'X-Api-Key': owner.key })).toBeUndefined();
    await convert();
    expect(await capsAt(usageKey, await addAgain(usageKey))).toEqual(none);
  });

  test('on the chain, by the wallet of an account that was converted with its caps', async () => {
    [admin, owner] = [await eoa(), await newAccount()];
    usageKey = await addUsageKey(owner.key, caps);
    await convert();
    expect(await readCaps(usageKey, await billingAuth(admin))).toEqual(all);
    await accountOf(admin)('removeUsageApiKey', [owner.hash, apiKeyHash(usageKey)]);
    const block = await addAgain(usageKey);
    await expect.poll(() => capsAt(usageKey, block)).toEqual(none);
  });
});

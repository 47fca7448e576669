/**
 * The price of each endpoint: a cent per successful write, a cent per started second of a run, and all else is free.
 */
import { apiKeyHash, cidHash, walletIdentity } from '@latchkey/protocol';
import {
  type Account,
  addGroup,
  addUsageKey,
  call,
  createWallet,
  expectError,
  expectWritten,
  hex,
  newAccount,
  payAndConfirm,
  post,
  type Reply,
  read,
} from '@latchkey/testing/stack';
import { accountOf, billingAuth, eoa, proofOf } from '@latchkey/testing/wallet-proof';
import { beforeAll, describe, expect, test } from 'vitest';
import { CENT, type Entry, inShort, leaveCents, readCredit, readLedger } from '../../test/credit.ts';
import { routes } from './index.ts';

/** Price of a started second of a run. */
const SECOND = CENT;

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';
const otherCid = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';
const hashed_cid = hex(cidHash(cid));
const labels = { name: 'n', description: 'd' };
const empty = { pkp_ids_permitted: [], cid_hashes_permitted: [] };
const missing = { group_id: 77 };

/** Creates an account in which every write below has something to write. */
type Prepared = Account & {
  pkp: string;
  otherPkp: string;
  usageKey: string;
  rotatedKey: string;
  conversion: object;
  /** Owns the account after the conversion, which ends the account key. */
  admin: Awaited<ReturnType<typeof eoa>>;
};
async function prepare(): Promise<Prepared> {
  const account = await newAccount();
  const { key } = account;
  const [pkp, otherPkp] = [await createWallet(key), await createWallet(key)];
  await addGroup(key, { pkp_ids_permitted: [pkp], cid_hashes_permitted: [hashed_cid] });
  await addGroup(key);
  const [usageKey, rotatedKey] = [await addUsageKey(key), await addUsageKey(key)];
  const admin = await eoa();
  const { address, signDigest } = admin;
  const proof = await proofOf({ primaryType: 'ConvertAccount', address }, signDigest);
  const conversion = { new_admin_wallet_address: address, ...proof };
  return { ...account, pkp, otherPkp, usageKey, rotatedKey, conversion, admin };
}

type Write = {
  method: 'GET' | 'POST';
  path: string;
  body: (account: Prepared) => object | undefined;
  /** A body that is refused, and its status. Every write also refuses a usage key without permissions. */
  refused?: [status: 400 | 403 | 404 | 409 | 422, body: (account: Prepared) => object];
};
const write = (path: string, body: Write['body'], refused?: Write['refused']): Write => ({
  method: 'POST',
  path,
  body,
  ...(refused && { refused }),
});
/** In an order in which no write removes the data that a later one needs. */
const writes: Write[] = [
  write('create_wallet', () => labels, [422, () => ({ name: 5 })]),
  { method: 'GET', path: 'create_wallet', body: () => undefined },
  write('add_group', () => ({ group_name: 'n', group_description: '', ...empty }), [
    422,
    () => ({ group_name: 5 }),
  ]),
  write('add_action', () => ({ action_ipfs_cid: otherCid, ...labels }), [
    409,
    () => ({ action_ipfs_cid: cid, ...labels }),
  ]),
  write('update_action_metadata', () => ({ hashed_cid, ...labels }), [
    404,
    () => ({ hashed_cid: hex(1n), ...labels }),
  ]),
  write('add_action_to_group', () => ({ group_id: 1, action_ipfs_cid: otherCid }), [
    404,
    () => ({ ...missing, action_ipfs_cid: otherCid }),
  ]),
  write('add_pkp_to_group', ({ otherPkp }) => ({ group_id: 1, pkp_id: otherPkp }), [
    404,
    ({ otherPkp }) => ({ ...missing, pkp_id: otherPkp }),
  ]),
  write('add_usage_api_key', () => labels, [404, () => ({ execute_in_groups: [77] })]),
  write('update_usage_api_key', ({ usageKey }) => ({ usage_api_key: usageKey, ...labels }), [
    404,
    () => ({ usage_api_key: hex(1n) }),
  ]),
  write('update_usage_api_key_metadata', ({ usageKey }) => ({ usage_api_key: usageKey, ...labels }), [
    404,
    () => ({ usage_api_key: hex(1n), ...labels }),
  ]),
  write('remove_action_from_group', () => ({ group_id: 1, hashed_cid }), [
    404,
    () => ({ ...missing, hashed_cid }),
  ]),
  write('remove_pkp_from_group', ({ pkp }) => ({ group_id: 1, pkp_id: pkp }), [
    404,
    ({ pkp }) => ({ ...missing, pkp_id: pkp }),
  ]),
  write('add_to_group', () => ({ group_id: 1, cid_hashes: [hashed_cid] }), [
    404,
    () => ({ ...missing, cid_hashes: [hashed_cid] }),
  ]),
  write('remove_from_group', () => ({ group_id: 1, cid_hashes: [hashed_cid] }), [
    404,
    () => ({ ...missing, cid_hashes: [hashed_cid] }),
  ]),
  write(
    'set_usage_api_key_expiration',
    ({ usageKey }) => ({ usage_api_key: usageKey, expiration: '4102444800' }),
    [404, () => ({ usage_api_key: hex(1n), expiration: '0' })],
  ),
  write(
    'rotate_usage_api_key',
    ({ rotatedKey }) => ({
      usage_api_key: rotatedKey,
      new_usage_api_key: hex(apiKeyHash(`after ${rotatedKey}`)),
    }),
    [404, () => ({ usage_api_key: hex(1n), new_usage_api_key: hex(2n) })],
  ),
  write('delete_action', () => ({ hashed_cid }), [404, () => ({ hashed_cid: hex(1n) })]),
  write('update_group', () => ({ group_id: 1, ...labels, ...empty }), [
    404,
    () => ({ ...missing, ...labels, ...empty }),
  ]),
  write('remove_group', () => ({ group_id: 2 }), [404, () => missing]),
  write('remove_usage_api_key', ({ usageKey }) => ({ usage_api_key: usageKey }), [
    404,
    () => ({ usage_api_key: hex(1n) }),
  ]),
  write('convert_to_chain_secured_account', ({ conversion }) => conversion, [
    400,
    ({ conversion }) => ({ ...conversion, signature: '0x' }),
  ]),
];
/** Priced in their own tests: writes that end the keys of the tests below, and writes that a wallet signs. */
const elsewhere = [
  'rotate_account_key',
  'retire_account',
  'remove_all_usage_api_keys',
  'submit_signed_write',
];
/** Free POST routes. */
const free = [
  'new_account',
  'create_wallet_with_signature',
  'add_usage_api_key_with_signature',
  'set_usage_api_key_recording',
  'store_action_code',
  'delete_action_code',
  'set_secret',
  'delete_secret',
  'get_svc_action_ipfs_id',
  'billing/create_payment_intent',
  'billing/confirm_payment',
  'billing/create_setup_intent',
  'billing/set_auto_top_up',
  'billing/remove_auto_top_up',
  'billing/webhook',
  'cancel_transaction',
  'add_webhook',
  'update_webhook',
  'remove_webhook',
  'test_webhook',
  'replay_webhook_deliveries',
  'approve',
  'refuse_approval',
  'cancel_approval',
];

test('covers every route with a price; every other POST is free', () => {
  const shown = (of: readonly { method: string; path: string }[]) =>
    of.map(({ method, path }) => `${method} ${path.replace('/core/v1/', '')}`).sort();
  const priced = routes.filter((route) => 'price' in route);
  expect(shown(priced)).toEqual(
    shown([
      ...writes,
      ...['svc_action', 'send_transaction', ...elsewhere].map((path) => ({ method: 'POST', path })),
    ]),
  );
  const unpriced = routes.filter((route) => !('price' in route) && route.method === 'POST');
  expect(shown(unpriced)).toEqual(shown(free.map((path) => ({ method: 'POST', path }))));
});

/** The complete state of an account on the chain. */
const readState = async ({ hash }: Account) => [
  await read('resolve', [hash]),
  await read('listSizes', [hash]),
  await read('listApiKeys', [hash, 0n, 20n]),
  await read('listGroups', [hash, 0n, 100n]),
  await read('listActions', [hash, 0n, 100n]),
  await read('listGroupContents', [hash, 1n]),
];
const of = ({ key }: Account) => ({ 'X-Api-Key': key });

describe('an admin write', () => {
  let rich: Prepared;
  let poor: Prepared;
  /** A usage key without permissions. */
  let powerless: string;
  beforeAll(async () => {
    [rich, poor] = await Promise.all([prepare(), prepare()]);
    powerless = await addUsageKey(rich.key);
    await leaveCents(of(poor), 0);
  });

  describe.each(writes)('$method $path', ({ method, path, body, refused }) => {
    /** Returns the entries that `act` adds to the ledger. */
    async function addedBy(
      account: Account,
      act: () => Promise<unknown>,
      ownerAfter: Record<string, string> = of(account),
    ): Promise<Entry[]> {
      const before = await readLedger(of(account));
      await act();
      return (await readLedger(ownerAfter)).slice(before.length);
    }
    const send = (
      account: Prepared,
      content: object | undefined,
      headers = of(account) as Record<string, string>,
    ) => call(method, path, { body: content, headers });

    test('returns 402 without credit, and writes nothing to chain or ledger', async () => {
      const before = await readState(poor);
      const added = await addedBy(poor, async () => {
        const reply = await send(poor, body(poor));
        expectError(reply, 402, /does not have enough credit/);
        expect(reply.body).toMatchObject({ fix: expect.stringContaining('create_payment_intent') });
        expect(reply.headers.get('x-block-number')).toBeNull();
      });
      expect(added).toEqual([]);
      expect(await readState(poor)).toEqual(before);
    });

    test('costs nothing when it is refused', async () => {
      const before = await readState(rich);
      const added = await addedBy(rich, async () => {
        if (refused) expectError(await send(rich, refused[1](rich)), refused[0]);
        expectError(await send(rich, body(rich), { 'X-Api-Key': powerless }), 403);
      });
      expect(added).toEqual([]);
      expect(await readState(rich)).toEqual(before);
    });

    test('costs a cent when it succeeds, once per Idempotency-Key', async () => {
      const headers = { ...of(rich), 'Idempotency-Key': `price of ${method} ${path}` };
      const content = body(rich);
      const credit = await readCredit(of(rich));
      const owner = /convert/.test(path) ? await billingAuth(rich.admin) : of(rich);
      const sendAgain = async () => {
        const replies =
          method === 'GET'
            ? [await send(rich, content)]
            : await Promise.all([send(rich, content, headers), send(rich, content, headers)]);
        for (const reply of replies) expectWritten(reply, {});
        if (method === 'POST') expectWritten(await send(rich, content, headers), {});
      };
      const added = await addedBy(rich, sendAgain, owner);
      expect(inShort(added)).toEqual([
        ['reserve', 1, path],
        ['capture', 1, path],
      ]);
      for (const { api_key_hash: key } of added) expect(key).toBe(hex(rich.hash));
      expect(await readCredit(of(rich))).toBe(credit - CENT);
    });
  });

  test('does not store a 402: with credit the same request succeeds and is paid once', async () => {
    const headers = { ...of(poor), 'Idempotency-Key': 'paid later' };
    const content = { group_name: 'later', group_description: '' };
    const send = () => call('POST', 'add_group', { body: content, headers });
    expectError(await send(), 402);
    await payAndConfirm(of(poor));
    const first = await send();
    expectWritten(first, {});
    expect((await send()).body).toEqual(first.body);
    expect(await readCredit(of(poor))).toBe(499 * CENT);
  });

  test('the last cent pays for one of many concurrent writes', async () => {
    const account = await newAccount();
    await leaveCents(of(account), 1);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_value, index) =>
        post('add_group', { group_name: `${index}`, group_description: '' }, account.key),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 402),
    ]);
    expect(await read('listGroups', [account.hash, 0n, 10n])).toHaveLength(1);
    expect(await readCredit(of(account))).toBe(0);
  });
});

test('reads are free', async () => {
  const account = await newAccount();
  await addGroup(account.key);
  const before = await readLedger(of(account));
  const reads = routes.filter((route) => route.method === 'GET' && !('price' in route));
  expect(reads.length).toBeGreaterThan(10);
  for (const { path } of reads) {
    const query = /explain|in_group/.test(path) ? `?group_id=1&action_ipfs_cid=${cid}` : '';
    if (path.startsWith('/core/v1/'))
      await call('GET', `${path.slice('/core/v1/'.length)}${query}`, { key: account.key });
  }
  expect(await readLedger(of(account))).toEqual(before);
});

describe('a ChainSecured account', () => {
  test('pays nothing for writes of its wallet, nor for refused writes of its keys', async () => {
    const admin = await eoa();
    const write = accountOf(admin);
    const identity = walletIdentity(admin.address);
    await write('newChainSecuredAccount', ['', '']);
    const auth = await billingAuth(admin);
    await payAndConfirm(auth);
    const before = await readLedger(auth);
    await write('addGroup', [identity, 'group', '', [0n], []]);
    const usageKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64');
    const permissions = [true, true, true, [0n], [0n], [0n], [0n]] as const;
    const block = await write('setUsageApiKey', [
      identity,
      apiKeyHash(usageKey),
      0n,
      0n,
      '',
      '',
      ...permissions,
    ]);
    const headers = { 'X-Min-Block': String(block) };
    expectError(await post('add_group', { group_name: 'n', group_description: '' }, usageKey, headers), 403);
    expect(await readLedger(auth)).toEqual(before);

    const run = await post('svc_action', { code: 'function main() {}' }, usageKey, headers);
    expect(run.status).toBe(200);
    expect(await readCredit(auth)).toBe(500 * CENT - SECOND);
  });
});

describe('a run', () => {
  const sleep = (ms: number) =>
    `async function main() { await new Promise((done) => setTimeout(done, ${ms})); return 'done' }`;
  let account: Account;
  let key: string;
  beforeAll(async () => {
    account = await newAccount();
    key = await addUsageKey(account.key, { execute_in_groups: [0] });
  });
  /** Creates an account with credit for so many seconds, and a key that is permitted to run every action. */
  async function withSeconds(seconds: number) {
    const owner = await newAccount();
    const runner = await addUsageKey(owner.key, { execute_in_groups: [0] });
    await leaveCents(of(owner), (seconds * SECOND) / CENT);
    return { owner, runner };
  }
  const run = (code: string, runner = key, headers?: Record<string, string>) =>
    post('svc_action', { code }, runner, headers);
  /** Returns the entries of the run of a reply. */
  const listRunEntries = async (reply: Reply, owner = account) => {
    const reason = `run ${reply.headers.get('x-run-id')}`;
    return (await readLedger(of(owner))).filter((entry) => entry.reason === reason);
  };
  const count = (entries: Entry[], kind: Entry['kind']) =>
    entries.filter((entry) => entry.kind === kind).length;
  /** Expects that a run paid for at most the seconds since `startedAt`, and released the rest. Returns the paid seconds. */
  async function expectPaid(reply: Reply, startedAt: number): Promise<number> {
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    const entries = await listRunEntries(reply);
    const paid = count(entries, 'capture');
    expect(paid).toBeGreaterThanOrEqual(1);
    expect(paid).toBeLessThanOrEqual(seconds);
    expect(reply.headers.get('x-run-cost-micros')).toBe(String(paid * SECOND));
    expect(count(entries, 'reserve')).toBe(paid + count(entries, 'release'));
    for (const { api_key_hash: hash } of entries) expect(hash).toBe(hex(apiKeyHash(key)));
    return paid;
  }

  test.each([
    ['that returns', 'function main() {}', false],
    ['that throws', `function main() { throw new Error('oops') }`, true],
    ['with a syntax error', 'function main( {', true],
  ])('%s costs a cent per started second', async (_what, code, has_error) => {
    const before = await readCredit(of(account));
    const startedAt = performance.now();
    const reply = await run(code);
    expect(reply).toMatchObject({ status: 200, body: { has_error } });
    const paid = await expectPaid(reply, startedAt);
    expect(await readCredit(of(account))).toBe(before - paid * SECOND);
  });

  test('of more than a second costs a cent per started second and releases the rest', async () => {
    const before = await readCredit(of(account));
    const startedAt = performance.now();
    const reply = await run(sleep(1_200));
    expect(reply).toMatchObject({ status: 200, body: { response: 'done' } });
    const paid = await expectPaid(reply, startedAt);
    expect(paid).toBeGreaterThanOrEqual(2);
    expect(await readCredit(of(account))).toBe(before - paid * SECOND);
  });

  test.each([
    ['waits', sleep(20_000)],
    ['never yields', 'function main() { for (;;); }'],
  ])('that %s is stopped at the end of its credit and pays for the used seconds', async (_what, code) => {
    const { owner, runner } = await withSeconds(2);
    const startedAt = performance.now();
    const reply = await run(code, runner);
    expect(performance.now() - startedAt).toBeGreaterThan(1_900);
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect(reply).toMatchObject({
      status: 200,
      body: { has_error: true, response: null, error: { name: 'CreditError' } },
    });
    expect((await listRunEntries(reply, owner)).map(({ kind }) => kind)).toEqual([
      'reserve',
      'reserve',
      'capture',
      'capture',
    ]);
    expect(reply.headers.get('x-run-cost-micros')).toBe(String(2 * SECOND));
    expect(await readCredit(of(owner))).toBe(0);
  });

  test('returns 402 without credit for a second, and does not begin', async () => {
    const { owner, runner } = await withSeconds(0);
    const before = await readLedger(of(owner));
    const reply = await run('function main() {}', runner);
    expectError(reply, 402, /does not have enough credit/);
    expect(reply.headers.get('x-run-id')).toBeNull();
    expect(await readLedger(of(owner))).toEqual(before);
  });

  test('that is refused costs nothing', async () => {
    const powerless = await addUsageKey(account.key);
    const before = await readLedger(of(account));
    expectError(await run('function main() {}', account.key), 403);
    expectError(await run('function main() {}', powerless), 403);
    const unknown = 'QmYCTciJdFNMNUPCHSNS6dKMmUAqkGQ9tQQeGgbELhQQcn';
    expectError(await post('svc_action', { ipfs_id: unknown }, key), 404);
    expectError(await post('svc_action', {}, key), 422);
    expect(await readLedger(of(account))).toEqual(before);
  });

  test('is paid once per Idempotency-Key, for concurrent and later requests', async () => {
    const before = await readCredit(of(account));
    const startedAt = performance.now();
    const headers = { 'Idempotency-Key': 'one run' };
    const code = 'function main() { return crypto.randomUUID() }';
    const replies = await Promise.all([1, 2, 3].map(() => run(code, key, headers)));
    replies.push(await run(code, key, headers));
    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 200, body: replies[0]?.body as object });
      for (const name of ['x-run-id', 'x-run-cost-micros'])
        expect(reply.headers.get(name)).toBe(replies[0]?.headers.get(name));
    }
    const paid = await expectPaid(replies[0] as Reply, startedAt);
    expect(await readCredit(of(account))).toBe(before - paid * SECOND);
  });
});

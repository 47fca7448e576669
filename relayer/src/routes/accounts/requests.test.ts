import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import {
  addUsageKey,
  expectError,
  get,
  hex,
  newAccount,
  newKeyText,
  payAndConfirm,
  post,
} from '@latchkey/testing/stack';
import { accountOf, billingAuth, eoa } from '@latchkey/testing/wallet-proof';
import { expect, test } from 'vitest';

type Request = {
  id: number;
  route: string;
  outcome: string;
  status: number | null;
  key_hash: string;
} & Record<string, unknown>;

async function requestsOf(key?: string, query = '', headers?: Record<string, string>): Promise<Request[]> {
  const { status, body } = await get(`requests${query}`, key, headers);
  expect(status).toBe(200);
  return body as Request[];
}
/** Resolves once the account has this number of requests. */
async function untilStored(count: number, key: string, query = ''): Promise<Request[]> {
  await expect.poll(async () => (await requestsOf(key, query)).length, { timeout: 15_000 }).toBe(count);
  return requestsOf(key, query);
}

test('lists what was answered and what was refused, with the price and the key of each', async () => {
  const { key } = await newAccount();
  const usageKey = await addUsageKey(key, { execute_in_groups: [0] });
  const run = await post('svc_action', { code: 'const main = () => "a body with a secret"' }, usageKey);
  expect(run.status).toBe(200);
  expectError(
    await post('add_group', { group_name: 'a body with a secret', group_description: '' }, usageKey),
    403,
  );
  expectError(await get('list_runs?error_name=with-a-secret&page_size=0', key), 400);
  expectError(await get(`run/00000000-0000-4000-8000-000000000000`, key), 404);
  expectError(await get('export_account', usageKey), 403);
  const found = await untilStored(6, key);
  const [own, used] = [hex(apiKeyHash(key)), hex(apiKeyHash(usageKey))];
  const price = { charged_micros: 10_000, status: 200, error: null, outcome: 'success' };
  const refused = { charged_micros: 0, outcome: 'refused', omitted: 0 };
  expect(found).toMatchObject([
    {
      ...refused,
      method: 'GET',
      route: '/core/v1/export_account',
      status: 403,
      error: 'forbidden',
      key_hash: used,
    },
    { ...refused, route: '/core/v1/run/:id', status: 404, error: 'not_found', key_hash: own },
    { ...refused, route: '/core/v1/list_runs', status: 400, error: 'bad_request', key_hash: own },
    { ...refused, route: '/core/v1/add_group', status: 403, error: 'forbidden', key_hash: used },
    {
      ...price,
      method: 'POST',
      route: '/core/v1/svc_action',
      request_id: run.headers.get('x-run-id'),
      key_hash: used,
    },
    { ...price, route: '/core/v1/add_usage_api_key', key_hash: own },
  ]);
  const text = JSON.stringify(found);
  for (const secret of [key, usageKey, 'a secret', 'with-a-secret', '00000000-0000-4000-8000'])
    expect(text).not.toContain(secret);
});

test('each filter and each page has its requests', async () => {
  const { key } = await newAccount();
  const usageKey = await addUsageKey(key);
  for (let n = 0; n < 3; n++) await get('list_groups', key);
  await get('list_groups', usageKey);
  expectError(await get('list_runs?page_size=0', key), 400);
  const all = await untilStored(6, key);
  const refused = await requestsOf(key, '?outcome=refused');
  expect(refused.map(({ route }) => route)).toEqual(['/core/v1/list_runs']);
  expect(await requestsOf(key, `?key_hash=${hex(apiKeyHash(usageKey))}`)).toHaveLength(1);
  expect(await requestsOf(key, '?route=/core/v1/list_groups')).toHaveLength(4);
  expect(await requestsOf(key, '?route=/core/v1/requests')).toEqual([]);
  const pages = [
    await requestsOf(key, '?page_size=4'),
    await requestsOf(key, `?page_size=4&before=${all[3]?.id}`),
  ];
  expect(pages.flat()).toEqual(all);
  expectError(await get('requests?outcome=refused&route=/core/v1/list_runs', key), 422, /one of/);
});

test('a repeated request with an Idempotency-Key costs nothing', async () => {
  const { key } = await newAccount();
  const body = { group_name: 'once', group_description: '' };
  for (let n = 0; n < 2; n++)
    expect((await post('add_group', body, key, { 'Idempotency-Key': 'once' })).status).toBe(200);
  const found = await untilStored(2, key);
  expect(found.map(({ charged_micros }) => charged_micros)).toEqual([0, 10_000]);
});

test('the admin wallet reads its own, and no account those of another or of an unknown key', async () => {
  const admin = await eoa();
  await accountOf(admin)('newChainSecuredAccount', ['', '']);
  const auth = await billingAuth(admin);
  await payAndConfirm(auth);
  const { key } = await newAccount();
  expectError(await get('list_groups', newKeyText()), 401);
  await get('list_groups', key);
  await untilStored(1, key);
  await expect
    .poll(async () => (await requestsOf(undefined, '', auth)).length, { timeout: 15_000 })
    .toBeGreaterThanOrEqual(2);
  const found = await requestsOf(undefined, '', auth);
  const hash = hex(walletIdentity(admin.address));
  expect(new Set(found.map(({ key_hash }) => key_hash))).toEqual(new Set([hash]));
  expectError(await get('requests', await addUsageKey(key)), 403);
});

test('a flood of requests of one account leaves 20 rows per second, and counts the others', async () => {
  const { key } = await newAccount();
  const flood = 200;
  await Promise.all(Array.from({ length: flood }, () => get('list_groups', key)));
  const counted = async () => {
    const found = await requestsOf(key, '?page_size=1000');
    return found.reduce((sum, { omitted }) => sum + 1 + Number(omitted), 0);
  };
  await expect.poll(counted, { timeout: 15_000 }).toBe(flood);
  expect((await requestsOf(key, '?page_size=1000')).length).toBeLessThan(flood);
});

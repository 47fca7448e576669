import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import {
  type Account,
  addUsageKey,
  call,
  describeBadBodies,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  newKeyText,
  payAndConfirm,
  post,
} from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { accountOf, billingAuth, eoa } from '@latchkey/testing/wallet-proof';
import { beforeAll, describe, expect, test } from 'vitest';

const path = 'set_usage_api_key_recording';
const code = `function main({ fails }) {
  console.log('a line');
  if (fails) throw new RangeError('what went wrong');
  return { result: 1 };
}`;
const output = { response: { result: 1 }, logs: 'a line\n' };

let account: Account;
let usageKey: string;
beforeAll(async () => {
  account = await newAccount();
  await payAndConfirm({ 'X-Api-Key': account.key });
});

const addRunner = () => addUsageKey(account.key, { execute_in_groups: [0] });
beforeAll(async () => {
  usageKey = await addRunner();
});
const record = (key: string, isOn: boolean, by = account.key) =>
  post(path, { usage_api_key: key, record_output: isOn }, by);
const expectSet = async (key: string, isOn: boolean) => {
  const { status, body } = await record(key, isOn);
  expect([status, body]).toEqual([200, { success: true }]);
};

/** Runs the code. Resolves to the id of the run. */
async function runOf(key: string, js_params: object = {}, text = code): Promise<string> {
  const { status, headers } = await post('svc_action', { code: text, js_params }, key);
  expect(status).toBe(200);
  return headers.get('x-run-id') ?? '';
}
const outputOf = async (id: string, key = account.key) =>
  ((await get(`run/${id}`, key)).body as { output: unknown }).output;
const listed = async () => {
  const keys = (await get('list_api_keys?page_size=1000', account.key)).body as {
    api_key_hash: string;
    record_output: boolean;
  }[];
  return keys.filter(({ record_output }) => record_output).map(({ api_key_hash }) => api_key_hash);
};

test('records have no output until the account turns it on for later runs of the key', async () => {
  const other = await addRunner();
  const before = await runOf(usageKey);
  await expectSet(usageKey, true);
  await expectSet(usageKey, true);
  expect(await listed()).toEqual([hex(apiKeyHash(usageKey))]);
  expect(await outputOf(before)).toBeNull();
  expect(await outputOf(await runOf(other))).toBeNull();
  expect(await outputOf(await runOf(usageKey))).toEqual(output);
  expect(await outputOf(await runOf(usageKey, { fails: true }))).toEqual({
    response: null,
    logs: 'a line\n',
    error: {
      name: 'RangeError',
      message: 'what went wrong',
      stack: expect.stringContaining('what went wrong'),
    },
  });
});

test('output is returned by GET of the run alone, to the account key alone', async () => {
  const key = await addRunner();
  await expectSet(key, true);
  const id = await runOf(key, { fails: true, secret: 'a parameter' });
  expect(await outputOf(id, key)).toBeNull();
  const replies = [
    await get(`run/${id}`, key),
    await get('list_runs', account.key),
    await call('DELETE', `run/${id}`, { key: account.key }),
  ];
  for (const { status, body } of replies) {
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toMatch(/what went wrong|a line/);
  }
  expect(JSON.stringify(await get(`run/${id}`, account.key))).not.toMatch(/a parameter|function main/);
});

test('off deletes what was kept, and a run in flight keeps nothing', async () => {
  const key = await addRunner();
  await expectSet(key, true);
  const [ended, ofOther] = [await runOf(key), await runOf(usageKey)];
  const sleeper =
    'const main = async () => { console.log("begun"); await new Promise((done) => setTimeout(done, 60_000)) }';
  const inFlight = runOf(key, {}, sleeper);
  const ids = async () =>
    ((await get('list_runs?status=running', key)).body as { id: string }[]).map(({ id }) => id);
  await until('the run is listed', async () => (await ids()).length === 1);
  const [running] = await ids();
  await expectSet(key, false);
  expect(await listed()).not.toContain(hex(apiKeyHash(key)));
  await call('DELETE', `run/${running}`, { key });
  for (const id of [ended, await inFlight, await runOf(key)]) expect(await outputOf(id)).toBeNull();
  await expectSet(usageKey, true);
  expect(await outputOf(ofOther)).toEqual(output);
});

test('the setting moves with a rotation and ends with the key; kept output stays until it is deleted', async () => {
  const old = await addRunner();
  await expectSet(old, true);
  const ofOld = await runOf(old);
  const next = newKeyText();
  expectWritten(
    await post('rotate_usage_api_key', { usage_api_key: old, new_usage_api_key: next }, account.key),
  );
  const ofNext = await runOf(next);
  expect(await outputOf(ofNext)).toEqual(output);
  expectWritten(
    await post('update_usage_api_key', { usage_api_key: next, execute_in_groups: [0] }, account.key),
  );
  expect(await listed()).toContain(hex(apiKeyHash(next)));
  expectWritten(await post('remove_usage_api_key', { usage_api_key: next }, account.key));
  expectError(await record(next, true), 404);
  expect([await outputOf(ofOld), await outputOf(ofNext)]).toEqual([output, output]);
  await expectSet(old, false);
  expect([await outputOf(ofOld), await outputOf(ofNext)]).toEqual([null, output]);
  await expectSet(next, false);
  expect(await outputOf(ofNext)).toBeNull();
  // Another key takes the hash of the removed one, without its setting.
  const plain = await addRunner();
  expectWritten(
    await post('rotate_usage_api_key', { usage_api_key: plain, new_usage_api_key: next }, account.key),
  );
  expect(await outputOf(await runOf(next))).toBeNull();
});

test('the admin wallet sets it and reads the output', async () => {
  const admin = await eoa();
  const key = newKeyText();
  const write = accountOf(admin);
  const hash = walletIdentity(admin.address);
  await write('newChainSecuredAccount', ['', '']);
  await write('setUsageApiKey', [
    hash,
    apiKeyHash(key),
    0n,
    0n,
    '',
    '',
    false,
    false,
    false,
    [],
    [],
    [],
    [0n],
  ]);
  const wallet = await billingAuth(admin);
  await payAndConfirm(wallet);
  const body = { usage_api_key: hex(apiKeyHash(key)), record_output: true };
  expect((await post(path, body, undefined, wallet)).status).toBe(200);
  const id = await runOf(key);
  const { body: found } = await get(`run/${id}`, undefined, wallet);
  expect(found).toMatchObject({ id, output });
});

describe('404 and 403', () => {
  test('a key of another account, an unknown key, the account key, and a usage key as the caller', async () => {
    const other = await newAccount();
    const theirs = await addUsageKey(other.key);
    for (const isOn of [true, false]) {
      for (const key of [theirs, newKeyText(), account.key]) expectError(await record(key, isOn), 404);
      expectError(await record(usageKey, isOn, usageKey), 403);
    }
  });
});

describeBadBodies(path, 400, () => account.key, [{ usage_api_key: '', record_output: true }]);
describeBadBodies(path, 422, () => account.key, [
  {},
  { usage_api_key: 'a' },
  { usage_api_key: 'a', record_output: 'true' },
  { usage_api_key: 'a', record_output: true, record_params: true },
]);

/** Runs, and what the usage key may use. */
import { cidHash, cidOf } from '@latchkey/protocol';
import { addGroup, addUsageKey, createWallet, hex, newAccount, post } from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Session } from './session.ts';

/** Pauses, because the client drops a report that comes together with the result. */
const greet = `async function main({ name }) {
  console.log('greeting');
  await new Promise((done) => setTimeout(done, 300));
  return 'hello ' + name;
}`;
const other = 'const main = () => 1';
const sleep =
  'async function main() { console.log("asleep"); await new Promise((done) => setTimeout(done, 600000)); }';

let wallets: string[];
let limited: Session;
let open: Session;
beforeAll(async () => {
  const { key } = await newAccount();
  wallets = [await createWallet(key), await createWallet(key)];
  const cid = await cidOf(greet);
  for (const one of [cid, await cidOf(other)])
    await post('add_action', { action_ipfs_cid: one, name: 'Greet', description: 'Says hello' }, key);
  const greeters = await addGroup(key, {
    pkp_ids_permitted: [wallets[0] as string],
    cid_hashes_permitted: [hex(cidHash(cid))],
  });
  const all = await addGroup(key, { cid_hashes_permitted: [hex(0n)] });
  limited = await connect({ LATCHKEY_USAGE_KEY: await addUsageKey(key, { execute_in_groups: [greeters] }) });
  open = await connect({ LATCHKEY_USAGE_KEY: await addUsageKey(key, { execute_in_groups: [all] }) });
});
afterAll(() => Promise.all([limited, open].map((session) => session?.[Symbol.asyncDispose]())));

test('runs code and then its CID, reports the output as it comes, and reads the records', async () => {
  const reported: unknown[] = [];
  const run = await limited.call(
    'run_action',
    { code: greet, params: { name: 'you' } },
    { onprogress: ({ message }) => reported.push(message) },
  );
  expect(run).toEqual({
    runId: expect.any(String),
    status: 'success',
    response: 'hello you',
    logs: 'greeting\n',
    costMicros: '10000',
  });
  expect(reported).toEqual([`run ${run.runId} started`, 'greeting\n']);
  const again = await limited.call('run_action', { cid: await cidOf(greet), params: { name: 'me' } });
  expect(again).toMatchObject({ status: 'success', response: 'hello me' });

  const page = await limited.call('list_runs', { pageSize: 1 });
  expect(page).toMatchObject({
    items: [{ id: again.runId }],
    nextPage: { pageSize: 1, before: again.runId },
  });
  expect(await limited.call('list_runs', page.nextPage as object)).toMatchObject({
    items: [{ id: run.runId }],
  });
  expect(await limited.call('get_run', { runId: run.runId })).toMatchObject({
    status: 'success',
    cid: await cidOf(greet),
    chargedMicros: '10000',
  });
  expect(await limited.call('stop_run', { runId: run.runId })).toMatchObject({ status: 'success' });
});

test('a failed run is a result with its error', async () => {
  expect(
    await open.call('run_action', { code: 'const main = () => { throw new RangeError("no"); }' }),
  ).toMatchObject({
    status: 'failed',
    response: null,
    error: { name: 'RangeError', message: 'no' },
  });
});

test('one idempotencyKey has one run', async () => {
  const input = { code: 'const main = () => Math.random()', idempotencyKey: crypto.randomUUID() };
  const { response } = await open.call('run_action', input);
  expect(await open.call('run_action', input)).toMatchObject({ response });
});

test('a cancelled call stops its run', async () => {
  const cancelled = new AbortController();
  let runId = '';
  const call = open.call(
    'run_action',
    { code: sleep },
    {
      signal: cancelled.signal,
      onprogress: ({ message = '' }) => {
        runId ||= /^run (\S+) started$/.exec(message)?.[1] ?? '';
        if (message.includes('asleep')) cancelled.abort();
      },
    },
  );
  await expect(call).rejects.toThrow();
  const stopped = await until('the run ends', async () => {
    const run = await open.call('get_run', { runId });
    return run.status !== 'running' && run;
  });
  expect(stopped).toMatchObject({ status: 'failed', errorName: 'StoppedError' });
});

test('lists the permitted actions and wallets, and explains why another one is not', async () => {
  const item = { cidHash: hex(cidHash(await cidOf(greet))), name: 'Greet', description: 'Says hello' };
  expect(await limited.call('list_actions')).toEqual({ anyAction: false, items: [item] });
  const everything = await open.call('list_actions', { pageSize: 1 });
  expect(everything).toEqual({ anyAction: true, items: [item], nextPage: { pageNumber: 1, pageSize: 1 } });
  const [wallet, second] = wallets;
  for (const cid of [await cidOf(greet), item.cidHash])
    expect(await limited.call('list_wallets', { cid })).toMatchObject({ items: [{ wallet, name: 'test' }] });
  expect(await limited.call('list_wallets')).toEqual({ items: [] });
  expect(await limited.call('explain_execution', { cid: item.cidHash, wallet: second })).toMatchObject({
    action: { permitted: true, rule: 'group', groupId: '1' },
    wallet: { permitted: false, rule: 'no_group_permits_wallet' },
  });
});

test('code and cid together, or none of them, are refused', async () => {
  for (const input of [{}, { code: greet, cid: await cidOf(greet) }])
    expect(await open.fail('run_action', input)).toBe('code and cid: give one of them');
});

/** Runs that need an approval: asked for by an action, signed by approvers, and gone on with once. */
import { randomUUID } from 'node:crypto';
import type { ApprovalStatement } from '@latchkey/protocol';
import { approvalDigest } from '@latchkey/protocol';
import { addUsageKey, call, expectError, get, hex, newAccount, post } from '@latchkey/testing/stack';
import { multisig } from '@latchkey/testing/wallet-proof';
import { getAddress } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Approval,
  approve,
  ask,
  askingCode,
  deployment,
  expectTypeError,
  goOn,
  hashOf,
  newApprovers,
  type Ran,
  readApproval,
  send,
  sign,
  statementOf,
} from '../../../test/approvals.ts';
import { ownRelayer } from '../../../test/own-relayer.ts';

const approvers = newApprovers(3);
const [alice, bob, carol] = approvers as [
  (typeof approvers)[0],
  (typeof approvers)[0],
  (typeof approvers)[0],
];
const addresses = approvers.map(({ address }) => address);
const twoOfThree = { approvers: addresses, threshold: 2 };
const oneOfThree = { approvers: addresses, threshold: 1 };

const account = await newAccount();
const usageKey = await addUsageKey(account.key, { execute_in_groups: [0] });

const ranBy = ({ body, status }: Awaited<ReturnType<typeof goOn>>): Ran => {
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Ran;
};

describe('a run that needs an approval', () => {
  test('ends as waiting_for_approval, and the action cannot catch it', async () => {
    const code = askingCode(twoOfThree)
      .replace('await Svc', 'await (async () => Svc')
      .replace('});\n', '}))().catch(() => ({}));\n');
    const approval = await ask(usageKey, code);
    expect(approval).toMatchObject({
      state: 'waiting',
      summary: 'Pay alice',
      hash: hashOf('alice'),
      account: hex(account.hash),
      approvers: addresses,
      contract_approvers: [],
      threshold: 2,
      signed_by: [],
      refused_by: null,
      continued_by: null,
    });
    const { body } = await get(`run/${approval.run_id}`, usageKey);
    expect(body).toMatchObject({
      status: 'waiting_for_approval',
      error_name: 'ApprovalRequiredError',
      charged_micros: 10_000,
    });
    const listed = async (query: string) =>
      (await get(`list_runs?${query}`, usageKey)).body as { id: string }[];
    const cid = `cid=${approval.cid}`;
    expect(await listed(`status=waiting_for_approval&${cid}`)).toMatchObject([{ id: approval.run_id }]);
    expect(await listed(`error_name=ApprovalRequiredError&${cid}`)).toMatchObject([{ id: approval.run_id }]);
    expect(await listed(`status=failed&${cid}`)).toEqual([]);
    expect(await listed(`status=waiting_for_approval&error_name=RangeError`)).toEqual([]);
  });

  test('is the same approval for a repeated request', async () => {
    const body = { code: askingCode(twoOfThree), js_params: { to: 'alice' } };
    const headers = { 'Idempotency-Key': randomUUID() };
    const [first, second] = [
      await post('svc_action', body, usageKey, headers),
      await post('svc_action', body, usageKey, headers),
    ];
    expect((first.body as Ran).approval_id).toBeDefined();
    expect(second.body).toEqual(first.body);
  });

  test.each([
    [{ summary: '' }, 'summary is empty'],
    [{ summary: 'x'.repeat(501) }, 'summary has more than 500 characters'],
    [{ summary: 'Pay 1\u202e000 00' }, 'summary has a line break, or a control, format'],
    [{ summary: 'Pay\nalice' }, 'summary has a line break'],
    [{ hash: '0x12' }, 'hash is not 0x and 64 hex digits'],
    [{ threshold: 0 }, 'threshold is less than 1'],
    [{ threshold: 4 }, 'threshold is greater than the number of approvers'],
    [{ approvers: [addresses[0], addresses[0]?.toLowerCase()] }, 'approvers has an address twice'],
    [{ approvers: ['0x12'] }, 'approvers.0 is not an address'],
    [{ approvers: Array.from({ length: 21 }, () => addresses[0]) }, 'approvers has too many addresses'],
    [{ expires: 1 }, 'expires is in the past'],
    [{ expires: 4_000_000_000 }, 'expires is more than 2592000 seconds from now'],
    [{ expires: Date.now() / 1_000 }, 'expires is not an integer'],
  ])('rejects with a TypeError for %j', async (fields, message) => {
    const code = askingCode({ ...twoOfThree, ...fields });
    await expectTypeError(usageKey, code, message);
  });

  test('ends with ApprovalLimitError when its parameters are long', async () => {
    const js_params = { to: 'alice', more: 'x'.repeat(65_536) };
    const { body } = await post('svc_action', { code: askingCode(twoOfThree), js_params }, usageKey);
    expect(body).toMatchObject({ error: { name: 'ApprovalLimitError' } });
    expect((body as Ran).approval_id).toBeUndefined();
  });

  test('an action cannot claim that it waits', async () => {
    const code = `const main = () => { const e = new Error('x'); e.name = 'ApprovalRequiredError'; throw e }`;
    const { body } = await post('svc_action', { code }, usageKey);
    expect(body).toMatchObject({ error: { name: 'Error' } });
  });
});

describe('a run that goes on', () => {
  test('starts again with its parameters and the proof when two of three have signed', async () => {
    const approval = await ask(usageKey, askingCode(twoOfThree), { to: 'carol' });
    await approve(approval, alice);
    expectError(await goOn(usageKey, approval.id), 409, /waiting/);
    await approve(approval, carol);
    expect(await readApproval(approval.id)).toMatchObject({ state: 'approved' });
    const reply = await goOn(usageKey, approval.id);
    const { response } = ranBy(reply);
    expect(response).toMatchObject({
      id: approval.id,
      signers: expect.arrayContaining([alice.address, carol.address]),
    });
    expect(await readApproval(approval.id)).toMatchObject({
      state: 'used',
      continued_by: reply.headers.get('x-run-id'),
    });
  });

  test('goes on once', async () => {
    const approval = await ask(usageKey, askingCode(oneOfThree));
    await approve(approval, alice);
    ranBy(await goOn(usageKey, approval.id));
    expectError(await goOn(usageKey, approval.id), 409, /used/);
  });

  test('goes on once when several requests come concurrently', async () => {
    const approval = await ask(usageKey, askingCode(oneOfThree));
    await approve(approval, alice);
    const replies = await Promise.all(Array.from({ length: 5 }, () => goOn(usageKey, approval.id)));
    // The others came while the run had the approval, or after its end.
    const [first, ...others] = replies.map(({ status }) => status).toSorted();
    expect(first).toBe(200);
    for (const status of others) expect([409, 429]).toContain(status);
  });

  test('a repeated request with the same Idempotency-Key gets the outcome', async () => {
    const approval = await ask(usageKey, askingCode(oneOfThree));
    await approve(approval, alice);
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = ranBy(await goOn(usageKey, approval.id, headers));
    expect(ranBy(await goOn(usageKey, approval.id, headers))).toEqual(first);
  });

  test('a request that came before the approval can be repeated with its Idempotency-Key', async () => {
    const approval = await ask(usageKey, askingCode(oneOfThree));
    const headers = { 'Idempotency-Key': approval.id };
    const early = await goOn(usageKey, approval.id, headers);
    expectError(early, 409, /waiting/);
    expect(early.headers.get('retry-after')).toBe('5');
    await approve(approval, alice);
    expect(ranBy(await goOn(usageKey, approval.id, headers)).has_error).toBe(false);
  });

  test('asks for a second approval with the first one', async () => {
    const code = askingCode(oneOfThree).replace(
      '  return {',
      `  const next = await Svc.Actions.requireApproval({ summary: 'again', hash: '${hashOf('again')}', expires: Math.floor(Date.now() / 1000) + 60, ...${JSON.stringify(twoOfThree)} });
  if (next.id === id) throw new Error('one approval for two');
  return {`,
    );
    const first = await ask(usageKey, code);
    await approve(first, alice);
    const second = ranBy(await goOn(usageKey, first.id));
    expect(second.error?.name).toBe('ApprovalRequiredError');
    const approval = await readApproval(second.approval_id as string);
    expect(approval.summary).toBe('again');
    await approve(approval, bob, carol);
    expect(ranBy(await goOn(usageKey, approval.id)).response).toMatchObject({ id: first.id });
  });

  test('an action that asks for something else the second time needs another approval', async () => {
    const code = askingCode(oneOfThree).replace("'Pay ' + to", "'Pay ' + to + Math.random()");
    const approval = await ask(usageKey, code);
    await approve(approval, alice);
    const { error, approval_id: id } = ranBy(await goOn(usageKey, approval.id));
    expect(error?.name).toBe('ApprovalRequiredError');
    expect(id).not.toBe(approval.id);
  });

  test('404 under another usage key, 401 when its own was removed', async () => {
    const other = await addUsageKey(account.key, { execute_in_groups: [0] });
    const approval = await ask(other, askingCode(oneOfThree));
    await approve(approval, alice);
    expectError(await goOn(usageKey, approval.id), 404);
    await post('remove_usage_api_key', { usage_api_key: other }, account.key);
    expectError(await goOn(other, approval.id), 401);
    expect(await readApproval(approval.id)).toMatchObject({ state: 'approved' });
  });

  test.each([{ js_params: {} }, { timeout_ms: 1_000 }, { concurrency_key: 'x' }, { json_params: {} }])(
    '422 with %j',
    async (fields) => {
      expectError(await post('svc_action', { approval_id: randomUUID(), ...fields }, usageKey), 422);
    },
  );

  test('400 with other code', async () => {
    const approval = await ask(usageKey, askingCode(oneOfThree));
    await approve(approval, alice);
    expectError(
      await post('svc_action', { approval_id: approval.id, code: askingCode(oneOfThree) }, usageKey),
      400,
    );
    expectError(await goOn(usageKey, randomUUID()), 404);
  });
});

describe('a signature', () => {
  let approval: Approval;
  beforeAll(async () => {
    approval = await ask(usageKey, askingCode(twoOfThree));
  });

  test('403 of a wallet that is not an approver', async () => {
    const [stranger] = newApprovers(1) as [(typeof approvers)[0]];
    expectError(await send('approve', approval.id, stranger.address, await sign(stranger, approval)), 403);
  });

  test('400 of another approver', async () => {
    expectError(await send('approve', approval.id, bob.address, await sign(alice, approval)), 400);
  });

  const changes: [string, Partial<ApprovalStatement>][] = [
    ['approval', { id: randomUUID() }],
    ['hash', { hash: hashOf('mallory') }],
    ['summary', { summary: 'Pay nothing' }],
    ['action', { cid: 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn' }],
    ['account', { account: 5n }],
    ['usage key', { usageKeyHash: 5n }],
    ['expiry', { expires: 4_000_000_000 }],
  ];
  test.each(changes)('400 over another %s', async (_, change) => {
    expectError(await send('approve', approval.id, alice.address, await sign(alice, approval, change)), 400);
  });

  test('400 for another chain, contract or decision', async () => {
    for (const of of [
      { ...deployment, chainId: 1 },
      { ...deployment, contractAddress: alice.address },
    ])
      expectError(
        await send('approve', approval.id, alice.address, await sign(alice, approval, {}, { of })),
        400,
      );
    const refusal = await sign(alice, approval, {}, { decision: 'RefuseRun' });
    expectError(await send('approve', approval.id, alice.address, refusal), 400);
    expectError(await send('refuse_approval', approval.id, alice.address, await sign(alice, approval)), 400);
    expect(await readApproval(approval.id)).toEqual(approval);
  });

  test('counts once per approver', async () => {
    const twice = await ask(usageKey, askingCode(twoOfThree));
    await approve(twice, alice, alice);
    expect(await readApproval(twice.id)).toMatchObject({ state: 'waiting', signed_by: [alice.address] });
    expectError(await goOn(usageKey, twice.id), 409);
  });

  test('404 for an unknown approval', async () => {
    expectError(await send('approve', randomUUID(), alice.address, '0x11'), 404);
    expectError(await get(`approval/${randomUUID()}`), 404);
  });
});

test('429 above the limit of decisions per client address', async () => {
  await using relayer = await ownRelayer({ APPROVAL_DECISIONS_PER_MINUTE: '2', TRUST_PROXY: '1' });
  const decide = (path: string, ip: string) => {
    const body = { id: randomUUID(), approver: alice.address, signature: '0x11' };
    return call('POST', path, { body, headers: { 'X-Forwarded-For': ip } }, relayer.url);
  };
  for (const path of ['approve', 'refuse_approval']) expectError(await decide(path, '192.0.2.1'), 404);
  for (const path of ['approve', 'refuse_approval']) expectError(await decide(path, '192.0.2.1'), 429);
  expectError(await decide('approve', '192.0.2.2'), 404);
});

test('an approval that expired can neither be signed nor used', async () => {
  const soon = { ...oneOfThree, expires: Math.floor(Date.now() / 1_000) + 5 };
  const [signed, unsigned] = [await ask(usageKey, askingCode(soon)), await ask(usageKey, askingCode(soon))];
  await approve(signed, alice);
  const hasExpired = async () => (await readApproval(signed.id)).state;
  await expect.poll(hasExpired, { timeout: 10_000 }).toBe('expired');
  expectError(await goOn(usageKey, signed.id), 409, /expired/);
  expectError(await send('approve', unsigned.id, alice.address, await sign(alice, unsigned)), 409, /expired/);
});

test('one approver refuses for all', async () => {
  const approval = await ask(usageKey, askingCode(oneOfThree));
  await approve(approval, alice);
  const refusal = await sign(bob, approval, {}, { decision: 'RefuseRun' });
  expect(await send('refuse_approval', approval.id, bob.address, refusal)).toMatchObject({
    status: 200,
    body: { state: 'refused', refused_by: bob.address },
  });
  expectError(await goOn(usageKey, approval.id), 409, /refused/);
  expectError(await send('approve', approval.id, carol.address, await sign(carol, approval)), 409, /refused/);
});

test('a contract wallet approves where the code names it as one', async () => {
  const { address, signDigest } = await multisig();
  const approval = await ask(
    usageKey,
    askingCode({ contractApprovers: [address], approvers: [alice.address], threshold: 2 }),
  );
  const signature = await signDigest(approvalDigest('ApproveRun', statementOf(approval), deployment));
  const other = await signDigest(hashOf('other'));
  expectError(await send('approve', approval.id, address, other), 400);
  expect(await send('approve', approval.id, address, signature)).toMatchObject({ status: 200 });
  await approve(approval, alice);
  expect(ranBy(await goOn(usageKey, approval.id)).response?.signers).toContain(getAddress(address));

  const asKey = await ask(usageKey, askingCode({ approvers: [address], threshold: 1 }));
  const valid = await signDigest(approvalDigest('ApproveRun', statementOf(asKey), deployment));
  expectError(await send('approve', asKey.id, address, valid), 400);
});

describe('list_approvals', () => {
  test('newest first: a usage key its own, the account key all', async () => {
    const key = await addUsageKey(account.key, { execute_in_groups: [0] });
    const made = [await ask(key, askingCode(oneOfThree)), await ask(key, askingCode(oneOfThree))]
      .map(({ id }) => id)
      .reverse();
    const ids = async (query: string, as: string) =>
      ((await get(`list_approvals${query}`, as)).body as Approval[]).map(({ id }) => id);
    expect(await ids('', key)).toEqual(made);
    expect(await ids('?page_size=1', key)).toEqual(made.slice(0, 1));
    expect(await ids(`?before=${made[0]}`, key)).toEqual(made.slice(1));
    expect((await ids('', account.key)).slice(0, 2)).toEqual(made);
    expect(await ids('', usageKey)).not.toContain(made[0]);
    const stranger = await newAccount();
    expect(await ids('', stranger.key)).toEqual([]);
    expect(await ids(`?before=${made[0]}`, stranger.key)).toEqual([]);
  });
});

describe('cancel_approval', () => {
  const cancel = (id: string, key: string) => post('cancel_approval', { id }, key);

  test('the account key ends an open approval, also of a removed usage key', async () => {
    const key = await addUsageKey(account.key, { execute_in_groups: [0] });
    const approval = await ask(key, askingCode(oneOfThree));
    await approve(approval, alice);
    await post('remove_usage_api_key', { usage_api_key: key }, account.key);
    const ended = { id: approval.id, state: 'expired', refused_by: null };
    expect(await cancel(approval.id, account.key)).toMatchObject({ status: 200, body: ended });
    expect(await readApproval(approval.id)).toMatchObject(ended);
    expect(await cancel(approval.id, account.key)).toMatchObject({ status: 200, body: ended });
    expectError(await send('approve', approval.id, bob.address, await sign(bob, approval)), 409, /expired/);
  });

  test('its run does not go on', async () => {
    const approval = await ask(usageKey, askingCode(oneOfThree));
    await approve(approval, alice);
    await cancel(approval.id, account.key);
    expectError(await goOn(usageKey, approval.id), 409, /expired/);
  });

  test('leaves an approval that was used as it is', async () => {
    const approval = await ask(usageKey, askingCode(oneOfThree));
    await approve(approval, alice);
    ranBy(await goOn(usageKey, approval.id));
    expect(await cancel(approval.id, account.key)).toMatchObject({ status: 200, body: { state: 'used' } });
  });

  test('403 for a usage key, 404 for another account', async () => {
    const approval = await ask(usageKey, askingCode(oneOfThree));
    expectError(await cancel(approval.id, usageKey), 403);
    expectError(await cancel(approval.id, (await newAccount()).key), 404);
    expect(await readApproval(approval.id)).toMatchObject({ state: 'waiting' });
  });
});

test('the parameters of the run are in no reply', async () => {
  const secret = randomUUID();
  const approval = await ask(usageKey, askingCode(oneOfThree), { to: 'alice', secret });
  await approve(approval, alice);
  const { body } = await call('GET', `approval/${approval.id}`);
  expect(JSON.stringify(body)).not.toContain(secret);
});

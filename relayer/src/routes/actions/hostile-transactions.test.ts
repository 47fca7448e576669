/**
 * A relayer under the control of an attacker, and the transactions of a run: the run signs only what its action asked for, within its
 * limits.
 */
import { randomUUID } from 'node:crypto';
import { apiKeyHash, cidHash, cidOf } from '@latchkey/protocol';
import { addGroup, addUsageKey, createWallet, hex, newAccount, read } from '@latchkey/testing/stack';
import { type Hex, parseGwei, parseTransaction } from 'viem';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectHostile, type Hostile } from '../../../test/hostile-relayer.ts';

const TO = '0x000000000000000000000000000000000000dEaD';
const code = `const main = (transaction) => Svc.Actions.sendTransaction(transaction) // ${randomUUID()}`;

let parameters: string;
let victim: { usageKeyHash: Hex; pkpId: Hex; cid: string };
beforeAll(async () => {
  parameters = await read('nodeConfigurationValue', ['key-nodes']);
  const account = await newAccount();
  const cid = await cidOf(code);
  const pkpId = await createWallet(account.key);
  const permitted = { pkp_ids_permitted: [pkpId], cid_hashes_permitted: [hex(cidHash(cid))] };
  const key = await addUsageKey(account.key, { execute_in_groups: [await addGroup(account.key, permitted)] });
  victim = { usageKeyHash: `0x${apiKeyHash(key).toString(16)}`, pkpId, cid };
});

const maxFeePerGas = String(parseGwei('20'));
const asked = { chainId: 8453, to: TO, value: '7', data: '0x1234', gas: '60000', maxFeePerGas };
const fees = (gwei: string) => ({
  maxFeePerGas: String(parseGwei(gwei)),
  maxPriorityFeePerGas: String(parseGwei('1')),
});
const toSign = {
  attempt: 1,
  nonce: 4,
  gas: '60000',
  forms: [fees('10'), fees('20')],
  cancel: { ...fees('20'), gas: '21000' },
};

type Answer = {
  type: string;
  call: number;
  forms: Hex[];
  cancel: Hex;
  error: { name: string; message: string };
};

/** Runs the victim's action, which sends a transaction. Returns the call that the runner made, and asks it to sign. */
async function openSend(transaction: object = asked, id = 1) {
  const hostile = await connectHostile(parameters);
  onTestFinished(hostile.close);
  hostile.send({ type: 'take', id, account: '0x5' });
  await hostile.next('taken', id);
  const { pkpId, ...run } = victim;
  const params = JSON.stringify({ pkpId, ...transaction });
  hostile.send(
    { type: 'run', id, params, timeoutMs: 30_000, streamsLogs: false, hasChains: true, ...run },
    code,
  );
  const sends = () => hostile.received.filter(({ type }) => type === 'send transaction');
  await expect.poll(() => sends().length).toBe(1);
  return { hostile, call: sends()[0]?.call as number, sign: signerOf(hostile) };
}
const signerOf =
  (hostile: Hostile) =>
  async (call: number, fields: object = {}): Promise<Answer> => {
    const count = () => answersIn(hostile).length;
    const before = count();
    hostile.send({ type: 'sign transaction', call, ...toSign, ...fields });
    await expect.poll(count).toBe(before + 1);
    return answersIn(hostile).at(-1) as Answer;
  };
const answersIn = ({ received }: Hostile) =>
  received.filter(({ type }) => /^transaction (?:not )?signed$/.test(type)) as unknown as Answer[];
const parsed = (raw: Hex) => parseTransaction(raw as `0x02${string}`);

test('other content in the request to sign is not signed', async () => {
  const { call, sign } = await openSend();
  const other = { to: victim.pkpId, value: '9', data: '0x', chainId: 1, pkpId: TO };
  const { forms, cancel } = await sign(call, { ...other, transaction: other });
  const sent = { chainId: 8453, to: TO.toLowerCase(), value: 7n, data: '0x1234', gas: 60_000n, nonce: 4 };
  expect(forms.map(parsed)).toMatchObject([sent, sent]);
  expect(parsed(cancel)).toMatchObject({
    chainId: 8453,
    to: victim.pkpId.toLowerCase(),
    gas: 21_000n,
    nonce: 4,
  });
  expect(parsed(cancel)).not.toHaveProperty('value');
  expect(parsed(cancel)).not.toHaveProperty('data');
});

describe('refuses', () => {
  const refusals: [string, object, object, RegExp][] = [
    ['a form above the fee of the action', asked, { forms: [fees('10'), fees('20.1')] }, /maxFeePerGas/],
    [
      'a cancelling form above the fee of the action',
      asked,
      { cancel: { ...fees('21'), gas: '21000' } },
      /maxFeePerGas/,
    ],
    ['other gas than that of the action', asked, { gas: '60001' }, /gas is not 60000/],
    [
      'a fee above 10,000 gwei for an action that gives none',
      { ...asked, maxFeePerGas: undefined },
      { forms: [fees('10000.1')] },
      /maxFeePerGas/,
    ],
  ];
  test.each(refusals)('%s', async (_, transaction, fields, message) => {
    const { hostile, call, sign } = await openSend(transaction);
    expect(await sign(call, fields)).toMatchObject({
      type: 'transaction not signed',
      error: { name: 'TransactionError', message: expect.stringMatching(message) },
    });
    expect(await hostile.next('result', 1)).toMatchObject({
      result: { hasError: true, error: { name: 'TransactionError' } },
    });
    // The send is over: another request is too late.
    expect(await sign(call)).toMatchObject({ type: 'transaction not signed' });
    expect(answersIn(hostile).some(({ type }) => type === 'transaction signed')).toBe(false);
  });

  test('a nonce that is lower than one before', async () => {
    const { call, sign } = await openSend();
    expect(await sign(call)).toMatchObject({ type: 'transaction signed' });
    expect(await sign(call, { attempt: 2, nonce: 3 })).toMatchObject({ type: 'transaction not signed' });
  });

  test('a sixth signature', async () => {
    const { call, sign } = await openSend();
    for (let i = 1; i <= 5; i++)
      expect(await sign(call, { attempt: i, nonce: 3 + i })).toMatchObject({ type: 'transaction signed' });
    expect(await sign(call, { attempt: 6, nonce: 9 })).toMatchObject({
      type: 'transaction not signed',
      error: { message: expect.stringContaining('5 nonces') },
    });
  });

  test('requests sent together above five', async () => {
    const { hostile, call } = await openSend();
    for (let i = 1; i <= 20; i++) hostile.send({ type: 'sign transaction', call, ...toSign, attempt: i });
    await expect.poll(() => answersIn(hostile).length).toBe(20);
    expect(answersIn(hostile).filter(({ type }) => type === 'transaction signed').length).toBeLessThanOrEqual(
      5,
    );
  });

  test('a call that no run made, and that of another connection', async () => {
    const [first, second] = [await openSend(), await openSend()];
    expect(first.call).toBe(second.call);
    expect(await first.sign(first.call + 1)).toMatchObject({ type: 'transaction not signed' });
    first.hostile.send({ type: 'transaction sent', call: first.call, id: 'a', hash: '0x12', nonce: 4 });
    expect(await first.hostile.next('result', 1)).toMatchObject({
      result: { hasError: false, response: { id: 'a', hash: '0x12', nonce: 4 } },
    });
    // After the run, and the second connection's call of the same number is still open.
    expect(await first.sign(first.call)).toMatchObject({
      type: 'transaction not signed',
      error: { name: 'StoppedError' },
    });
    expect(await second.sign(second.call)).toMatchObject({ type: 'transaction signed' });
  });

  test.each(['stop', 'give back'])('a call of a run that the relayer ended by %s', async (type) => {
    const { hostile, call, sign } = await openSend();
    hostile.send({ type, id: 1, error: { name: 'StoppedError', message: 'stopped' } });
    if (type === 'stop') await hostile.next('result', 1);
    expect(await sign(call)).toMatchObject({
      type: 'transaction not signed',
      error: { name: 'StoppedError' },
    });
  });

  test.each([
    [{ forms: [] }],
    [{ forms: Array.from({ length: 5 }, () => fees('10')) }],
    [{ nonce: -1 }],
    [{ forms: [{ maxFeePerGas: '1' }] }],
    [{ gas: 'all' }],
  ])('%j, and closes the connection', async (fields) => {
    const { hostile, call } = await openSend();
    hostile.send({ type: 'sign transaction', call, ...toSign, ...fields });
    await expect.poll(hostile.isClosed).toBe(true);
    expect(answersIn(hostile)).toEqual([]);
  });
});

test('a run that uses no chain sends no further message', async () => {
  const hostile = await connectHostile(parameters);
  onTestFinished(hostile.close);
  hostile.send({ type: 'take', id: 1, account: '0x5' });
  await hostile.next('taken', 1);
  const hello = 'const main = () => 1';
  const run = {
    id: 1,
    cid: await cidOf(hello),
    usageKeyHash: victim.usageKeyHash,
    params: '{}',
    hasChains: true,
  };
  hostile.send({ type: 'run', ...run, timeoutMs: 30_000, streamsLogs: false }, hello);
  expect(await hostile.next('result', 1)).toMatchObject({ result: { response: 1 } });
  const types = hostile.received.map(({ type }) => type).filter((type) => type !== 'load');
  expect(types).toEqual(['hello', 'taken', 'result']);
});

test('a run whose relayer has no chains sends no message about them', async () => {
  const hostile = await connectHostile(parameters);
  onTestFinished(hostile.close);
  hostile.send({ type: 'take', id: 1, account: '0x5' });
  await hostile.next('taken', 1);
  const { pkpId, ...run } = victim;
  const params = JSON.stringify({ pkpId, ...asked });
  hostile.send({ type: 'run', id: 1, params, timeoutMs: 30_000, streamsLogs: false, ...run }, code);
  expect(await hostile.next('result', 1)).toMatchObject({ result: { error: { name: 'TransactionError' } } });
  expect(hostile.received.some(({ type }) => type === 'send transaction')).toBe(false);
});

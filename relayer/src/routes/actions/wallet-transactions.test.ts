/** Transactions that actions send for wallets, in real runs, with a stand-in for the part of the relayer that knows nonces. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiKeyHash } from '@latchkey/protocol';
import {
  call,
  cidOfCode,
  client,
  createWallet,
  expectWritten,
  hex,
  newAccount,
  post,
  stack,
  testClient,
} from '@latchkey/testing/stack';
import { type Address, type Hex, parseEther, parseTransaction, recoverTransactionAddress } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formsAt } from '../../../test/wallet-forms.ts';
import { createWalletSender, type SendingRelayer, startSendingRelayer } from '../../../test/wallet-sender.ts';
import { WalletTransactionError } from '../../wallet-transactions/types.ts';

const TO = '0x000000000000000000000000000000000000dEaD';
const SEND = 'const main = (transaction) => Svc.Actions.sendTransaction(transaction)';

let sender: ReturnType<typeof createWalletSender>;
let relayer: SendingRelayer['relayer'];
let account: SendingRelayer['account'];
let keyFor: (wallet: Address) => Promise<string>;
let key: string;
let pkpId: Address;
beforeAll(async () => {
  const started = await startSendingRelayer(() => sender);
  ({ relayer, account, pkpId } = started);
  keyFor = (wallet) => started.keyFor(wallet, hex(0n));
  key = await keyFor(pkpId);
});
afterAll(() => relayer[Symbol.asyncDispose]());
beforeEach(() => {
  sender = createWalletSender();
});

type Run = {
  response: { id: string; hash: Hex; nonce: number };
  has_error: boolean;
  logs: string;
  error?: { name: string; message: string };
};
async function run(code: string, js_params: object, usageKey = key, fields: object = {}): Promise<Run> {
  const body = { code, js_params, ...fields };
  const reply = await call('POST', 'svc_action', { key: usageKey, body }, relayer.url);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body as Run;
}
const transfer = (fields: object = {}) => ({ pkpId, chainId: stack.chainId, to: TO, value: '7', ...fields });

async function newSignOnlyWallet(): Promise<Address> {
  const reply = await post('create_wallet', { name: 'test', exportable: false }, account.key);
  expectWritten(reply, {});
  return (reply.body as { wallet_address: Address }).wallet_address;
}

describe('sendTransaction', () => {
  test.each(['exportable', 'sign-only'])('sends for an %s wallet', async (kind) => {
    const wallet = kind === 'exportable' ? pkpId : await newSignOnlyWallet();
    const usageKey = kind === 'exportable' ? key : await keyFor(wallet);
    const asked = { pkpId: wallet, data: '0x1234', maxFeePerGas: `${20n * 10n ** 9n}`, gas: 60_000 };
    const { response, has_error } = await run(SEND, transfer(asked), usageKey);
    expect(has_error).toBe(false);
    const mined = await client.waitForTransactionReceipt({ hash: response.hash });
    expect(mined).toMatchObject({ status: 'success', from: wallet.toLowerCase() });
    expect(await client.getTransaction({ hash: response.hash })).toMatchObject({
      nonce: response.nonce,
      value: 7n,
      input: '0x1234',
      gas: 60_000n,
      to: TO.toLowerCase(),
    });
    expect(sender.requests).toEqual([
      {
        account: account.hash,
        usageKey: apiKeyHash(usageKey),
        runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        cid: await cidOfCode(SEND),
        wallet,
        chainId: stack.chainId,
        to: TO,
        value: 7n,
        data: '0x1234',
        gas: 60_000n,
        maxFeePerGas: 20n * 10n ** 9n,
        idempotencyKey: undefined,
      },
    ]);
  });

  test('signs every form with one nonce, and a transfer of nothing to the wallet itself', async () => {
    await run(SEND, transfer());
    const [signed] = sender.signed;
    const toSign = formsAt((await client.getTransactionCount({ address: pkpId })) - 1);
    expect(signed?.forms.map((raw) => parseTransaction(raw as `0x02${string}`))).toMatchObject(
      toSign.forms.map((fees) => ({
        ...fees,
        nonce: toSign.nonce,
        to: TO.toLowerCase(),
        value: 7n,
        gas: 100_000n,
      })),
    );
    const { cancel } = toSign;
    expect(parseTransaction(signed?.cancel as `0x02${string}`)).toMatchObject({
      ...cancel,
      nonce: toSign.nonce,
      to: pkpId.toLowerCase(),
    });
    expect(parseTransaction(signed?.cancel as `0x02${string}`)).not.toHaveProperty('data');
    for (const raw of [...(signed?.forms ?? []), signed?.cancel])
      expect(await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })).toBe(pkpId);
  });

  test('creates a contract', async () => {
    // Code that returns the empty code.
    const { response } = await run(SEND, transfer({ to: null, value: undefined, data: '0x60006000f3' }));
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: response.hash });
    expect(contractAddress).toMatch(/^0x/);
  });

  test('signs again for a higher nonce when the first one was taken', async () => {
    const next = await client.getTransactionCount({ address: pkpId });
    await testClient.setNonce({ address: pkpId, nonce: next + 1 });
    sender.plan = async () => [formsAt(next), formsAt(next + 1)];
    const { response } = await run(SEND, transfer());
    expect(response.nonce).toBe(next + 1);
    expect(sender.signed).toHaveLength(2);
  });

  test('takes bigints, and passes the idempotency key on', async () => {
    const code = `const main = (t) => Svc.Actions.sendTransaction({ ...t, value: 5n, maxFeePerGas: 10n ** 12n })`;
    await run(code, transfer({ idempotencyKey: 'order 7' }));
    expect(sender.requests).toMatchObject([
      { value: 5n, maxFeePerGas: 10n ** 12n, idempotencyKey: 'order 7' },
    ]);
  });

  test('a send that main does not await is sent before the run ends', async () => {
    const code = `const main = (t) => { Svc.Actions.sendTransaction(t).then(({ nonce }) => Svc.Actions.setResponse({ response: nonce })) }`;
    const { response, logs } = await run(code, transfer());
    expect(response).toBe((await client.getTransactionCount({ address: pkpId })) - 1);
    expect(logs).toContain('the run waits for: sendTransaction');
  });

  test('a run records the wallet once per transaction', async () => {
    const code = `const main = async (t) => { for (let i = 0; i < 11; i++) await Svc.Actions.sendTransaction(t) }`;
    expect(await run(code, transfer())).toMatchObject({ has_error: false });
    expect(sender.requests).toHaveLength(11);
    const id = sender.requests[0]?.runId;
    const { body } = await call('GET', `run/${id}`, { key }, relayer.url);
    expect((body as { key_operations: unknown[] }).key_operations).toEqual(
      Array.from({ length: 11 }, () => ({ operation: 'sendTransaction', wallet: pkpId })),
    );
  });
});

test('the example in docs/actions.md sends', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/actions.md'), 'utf8');
  const [, code = ''] = /^```js transaction\n(.*?)^```$/ms.exec(page) ?? [];
  const { response } = await run(code, { pkpId, chainId: stack.chainId, to: TO, order: 12 });
  expect(response).toEqual({ id: expect.any(String), hash: expect.any(String), nonce: expect.any(Number) });
  expect(sender.requests).toMatchObject([{ value: parseEther('0.01'), idempotencyKey: 'order 12' }]);
});

describe('sendTransaction refuses', () => {
  test('a wallet that the usage key may not use, before the relayer looks at its nonce', async () => {
    const other = await createWallet((await newAccount()).key);
    const { error } = await run(SEND, transfer({ pkpId: other }));
    expect(error).toMatchObject({ name: 'WalletNotPermittedError', message: expect.stringContaining(other) });
    expect(sender.requests).toEqual([]);
  });

  test.each([
    [{ pkpId: '0x12' }, /^pkpId is not an address/],
    [{ chainId: undefined }, /^chainId is not a quantity/],
    [{ chainId: 0 }, /^chainId is not a chain id/],
    [{ to: undefined }, /^to /],
    [{ to: TO.replace('dEaD', 'DEaD') }, /^to is not an address/],
    [{ to: null }, /^to is null, which creates a contract/],
    [{ value: -1 }, /^value is not a quantity/],
    [{ value: 1.5 }, /^value is not a quantity/],
    [{ value: `0x1${'0'.repeat(64)}` }, /^value is not a quantity/],
    [{ data: '0x123' }, /^data is not hex/],
    [{ data: `0x${'00'.repeat(65_537)}` }, /^data has more than 65536 bytes/],
    [{ gas: 'many' }, /^gas is not a quantity/],
    [{ maxFeePerGas: {} }, /^maxFeePerGas is not a quantity/],
    [{ idempotencyKey: '' }, /^idempotencyKey is not 1 to 255/],
    [{ idempotencyKey: 'é' }, /^idempotencyKey is not 1 to 255/],
    [{ nonce: 4 }, /nonce/],
    [{ gasPrice: 4 }, /gasPrice/],
  ])('%j', async (fields, message) => {
    const { error } = await run(SEND, transfer(fields));
    expect(error).toMatchObject({ name: 'TypeError', message: expect.stringMatching(message) });
    expect(sender.requests).toEqual([]);
  });

  test('more than 50 sends', async () => {
    const code = `const main = async (t) => { for (let i = 0; i < 51; i++) await Svc.Actions.sendTransaction(t).catch(() => {}) }`;
    sender.plan = async () => Promise.reject(new WalletTransactionError('no'));
    const { error } = await run(code, transfer());
    expect(error).toMatchObject({ name: 'TransactionLimitError', message: expect.stringContaining('50') });
    expect(sender.requests).toHaveLength(50);
  });

  test('what the chain refuses, with the reason', async () => {
    const code = `const main = (t) => Svc.Actions.sendTransaction(t).catch(({ name, message }) => [name, message])`;
    sender.plan = async () => Promise.reject(new WalletTransactionError('the call reverts: not the owner'));
    expect((await run(code, transfer())).response).toEqual([
      'TransactionError',
      'the call reverts: not the owner',
    ]);
    sender.plan = async () => Promise.reject(new Error('password=secret'));
    expect((await run(code, transfer())).response).toEqual([
      'InternalError',
      expect.not.stringContaining('secret'),
    ]);
  });

  test('to sign when the run has ended', async () => {
    const ended = Promise.withResolvers<unknown>();
    sender.send = async (_, sign) => {
      await new Promise((done) => setTimeout(done, 1_000));
      ended.resolve(await sign(formsAt(0)).catch((error: unknown) => error));
      throw new WalletTransactionError('over');
    };
    const { error } = await run(SEND, transfer(), key, { timeout_ms: 500 });
    expect(error).toMatchObject({ name: 'TimeLimitError' });
    expect(await ended.promise).toMatchObject({ name: 'StoppedError', message: 'the run has ended' });
  });
});

describe('a relayer as it runs', () => {
  const send = async (fields: object): Promise<Run> => {
    const { body } = await post('svc_action', { code: SEND, js_params: transfer(fields) }, key);
    return body as Run;
  };

  test('sends from one wallet for eight concurrent runs, with nonces one after another, each mined', async () => {
    const sent = await Promise.all(Array.from({ length: 8 }, () => send({ value: '1' })));
    for (const { error } of sent) expect(error).toBeUndefined();
    const nonces = sent.map(({ response }) => response.nonce).toSorted((a, b) => a - b);
    expect(nonces).toEqual(nonces.map((_, index) => (nonces[0] ?? 0) + index));
    for (const { response } of sent)
      expect(await client.waitForTransactionReceipt({ hash: response.hash })).toMatchObject({
        status: 'success',
        from: pkpId.toLowerCase(),
      });
  });

  test('sends once for an idempotencyKey, and refuses it with other content', async () => {
    const [first, second] = [await send({ idempotencyKey: 'a' }), await send({ idempotencyKey: 'a' })];
    expect(second.response).toEqual(first.response);
    const { error } = await send({ idempotencyKey: 'a', value: '8' });
    expect(error?.message).toMatch(/^idempotencyKey belongs to another transaction/);
  });

  test('names its chains when it is asked for another one', async () => {
    const { error } = await send({ chainId: 5 });
    const message = `this service does not serve chain 5: use one of ${stack.chainId}`;
    expect(error).toMatchObject({ name: 'TransactionError', message });
  });
});

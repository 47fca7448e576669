import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cidHash } from '@latchkey/protocol';
import {
  addUsageKey,
  call,
  client,
  createWallet,
  describeBadBodies,
  expectError,
  hex,
  post,
  stack,
} from '@latchkey/testing/stack';
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createWalletSender, type SendingRelayer, startSendingRelayer } from '../../../test/wallet-sender.ts';
import { WalletTransactionError } from '../../wallet-transactions/types.ts';

const TO = '0x000000000000000000000000000000000000dEaD';
const cids = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../actions/cids.json'), 'utf8'));
const cid: string = cids['send-transaction.js'];

let sender: ReturnType<typeof createWalletSender>;
let relayer: SendingRelayer['relayer'];
let account: SendingRelayer['account'];
let key: string;
let pkpId: Address;
beforeAll(async () => {
  const started = await startSendingRelayer(() => sender);
  ({ relayer, account, pkpId } = started);
  key = await started.keyFor(pkpId, hex(cidHash(cid)));
});
afterAll(() => relayer[Symbol.asyncDispose]());
beforeEach(() => {
  sender = createWalletSender();
});

const bodyOf = (fields: object = {}) => ({
  pkp_id: pkpId,
  chain_id: stack.chainId,
  to: TO,
  value: '7',
  ...fields,
});
const send = (body: object, usageKey = key, headers: Record<string, string> = {}) =>
  call('POST', 'send_transaction', { key: usageKey, body, headers }, relayer.url);

describe('200', () => {
  test('sends, and returns id, hash and nonce', async () => {
    const fields = { data: '0xAB', gas: '70000', max_fee_per_gas: '20000000000', idempotency_key: 'one' };
    const reply = await send(bodyOf(fields));
    expect(reply).toMatchObject({ status: 200, body: { id: expect.any(String), nonce: expect.any(Number) } });
    const { hash } = reply.body as { hash: Hex };
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    expect(sender.requests).toMatchObject([
      {
        account: account.hash,
        cid,
        wallet: pkpId,
        to: TO,
        value: 7n,
        data: '0xab',
        gas: 70_000n,
        maxFeePerGas: 20_000_000_000n,
        idempotencyKey: 'one',
        runId: reply.headers.get('x-run-id'),
      },
    ]);
    expect(reply.headers.get('x-run-cid')).toBe(cid);
    expect(reply.headers.get('x-run-receipt')).toMatch(/./);
  });

  test('a repeated request with an Idempotency-Key sends once, and names the transaction by it', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const [first, second] = [await send(bodyOf(), key, headers), await send(bodyOf(), key, headers)];
    expect(second.body).toEqual(first.body);
    expect(sender.requests).toHaveLength(1);
    expect(sender.requests[0]?.idempotencyKey).toMatch(/^.{20,255}$/);
  });
});

describeBadBodies('send_transaction', 422, () => key, [
  {},
  { pkp_id: TO, chain_id: 1 },
  { pkp_id: TO, chain_id: '1', to: TO },
  { pkp_id: TO, chain_id: 1, to: TO, value: 7 },
]);
describeBadBodies('send_transaction', 400, () => key, [
  { pkp_id: '0x12', chain_id: 1, to: TO },
  { pkp_id: TO, chain_id: 0, to: TO },
  { pkp_id: TO, chain_id: 1, to: TO, value: '-7' },
  { pkp_id: TO, chain_id: 1, to: TO, data: '0x1' },
]);

test('400: names the value that the run refuses', async () => {
  expectError(await send(bodyOf({ value: String(2n ** 256n) })), 400, /^value is not a quantity/);
  expectError(await send(bodyOf({ to: null })), 400, /^to is null/);
});

describe('403', () => {
  test('a key that may not run the action gets its CID', async () => {
    const other = await addUsageKey(account.key);
    expectError(await send(bodyOf(), other), 403, new RegExp(cid));
  });

  test('a wallet that no group of the key permits with the action', async () => {
    const other = await createWallet(account.key);
    expectError(await send(bodyOf({ pkp_id: other })), 403, new RegExp(other));
    expect(sender.requests).toEqual([]);
  });
});

test('409: the reason of the service', async () => {
  sender.plan = async () => Promise.reject(new WalletTransactionError('the call reverts: not the owner'));
  expectError(await send(bodyOf()), 409, /^the call reverts: not the owner$/);
  expectError(await post('send_transaction', bodyOf({ chain_id: 5 }), key), 409, /does not serve chain 5/);
});

test('503: the run ended otherwise', async () => {
  sender.plan = async () => Promise.reject(new Error('no database'));
  expectError(await send(bodyOf()), 503, /^The run ended: InternalError: internal error of the relayer$/);
});

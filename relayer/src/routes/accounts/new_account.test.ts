import { accountWalletAddress, apiKeyHash } from '@latchkey/protocol';
import {
  call,
  client,
  describeBadBodies,
  expectError,
  expectWritten,
  newAccount,
  post,
  read,
  stack,
} from '@latchkey/testing/stack';
import { toHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { solveChallengeOf } from '../../../test/challenge.ts';
import { ownRelayer } from '../../../test/own-relayer.ts';

const body = { account_name: 'Ann', account_description: 'her account' };
type NewAccount = { api_key: string; wallet_address: string };

describe('200', () => {
  test('creates a managed account whose wallet is the address of the key', async () => {
    const reply = await post('new_account', { ...body, email: 'ann@example.org' });
    expectWritten(reply, {});
    const { api_key, wallet_address } = reply.body as NewAccount;
    expect(wallet_address).toBe(accountWalletAddress(api_key));
    const hash = apiKeyHash(api_key);
    expect(await read('resolve', [hash])).toEqual([hash, wallet_address, true, false, 0n]);
  });

  test('returns the block of the receipt in the header and stores the labels', async () => {
    const reply = await post('new_account', body);
    const block = expectWritten(reply, {});
    const logs = await client.getLogs({ fromBlock: block, toBlock: block });
    expect(logs.map(({ topics }) => BigInt(topics[1] ?? 0))).toContain(
      apiKeyHash((reply.body as NewAccount).api_key),
    );
  });

  test('gives every account its own key', async () => {
    const [a, b] = await Promise.all([newAccount(), newAccount()]);
    expect(a.key).not.toBe(b.key);
  });

  test('returns the same account for the same Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const account_name = crypto.randomUUID();
    const send = () => post('new_account', { ...body, account_name }, undefined, headers);
    const replies = await Promise.all([1, 2, 3].map(send));
    replies.push(await send());
    for (const reply of replies) {
      expectWritten(reply, {});
      expect(reply.body).toEqual(replies[0]?.body);
      expect(reply.headers.get('x-block-number')).toBe(replies[0]?.headers.get('x-block-number'));
    }
    const [first] = replies as [(typeof replies)[number]];
    const { api_key } = first.body as NewAccount;
    const logs = await client.getLogs({ address: stack.contractAddress, fromBlock: 0n });
    const opened = logs.filter(({ data }) => data.includes(toHex(account_name).slice(2)));
    expect(opened.map(({ topics }) => BigInt(topics[1] ?? 0))).toEqual([apiKeyHash(api_key)]);
  });
});

describeBadBodies('new_account', 400, () => undefined, [
  { ...body, account_name: 'a\0b' },
  { ...body, account_description: '\ud800' },
]);

test('returns 409 for the same Idempotency-Key with another body', async () => {
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  expectWritten(await post('new_account', body, undefined, headers), {});
  expectError(await post('new_account', { ...body, account_name: 'Bob' }, undefined, headers), 409);
});

describeBadBodies('new_account', 422, () => undefined, [
  {},
  { account_name: 'Ann' },
  { ...body, account_name: 1 },
  { ...body, account_name: 'ä'.repeat(65) },
  { ...body, account_description: 'x'.repeat(1_025) },
  { ...body, email: {} },
  [],
  null,
]);

describe('returns 400 for an Idempotency-Key that others could guess', () => {
  test.each(['once', 'order-17', 'a'.repeat(40), '00000000-0000-0000-0000-000000000000'])(
    '%s',
    async (key) => {
      const refused = await post('new_account', body, undefined, { 'Idempotency-Key': key });
      expectError(refused, 400, /16 random bytes/);
      expect(refused.body).toMatchObject({ fix: expect.stringContaining('UUID') });
    },
  );
});

test('returns 429 above the rate of the challenge, until it is solved', async () => {
  await using relayer = await ownRelayer({ NEW_ACCOUNT_CHALLENGE_ABOVE_PER_MINUTE: '0' });
  const open = (headers?: Record<string, string>) =>
    call('POST', 'new_account', { body, ...(headers && { headers }) }, relayer.url);
  const refused = await open();
  expectError(refused, 429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const headers = await solveChallengeOf(relayer.url);
  // The request was admitted: only the payer is missing.
  expectError(await open(headers), 503);
  expectError(await open(headers), 400, /already used/);
});

test('returns 404 when no challenge is required', async () => {
  expectError(await call('GET', 'new_account_challenge'), 404);
});

test('returns 429 with Retry-After when one address creates too many; 503 without a payer that the contract knows', async () => {
  await using relayer = await ownRelayer({ NEW_ACCOUNTS_PER_MINUTE: '1' });
  expectError(await call('POST', 'new_account', { body }, relayer.url), 503);
  const refused = await call('POST', 'new_account', { body }, relayer.url);
  expectError(refused, 429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { addUsageKey, expectError, get, newAccount, newWallet } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const keyText = (byte: number) => Buffer.alloc(32, byte).toString('base64');

describe('200', () => {
  test('returns true for an account key and its usage key, with either header', async () => {
    const { key } = await newAccount();
    const usageKey = await addUsageKey(key);
    expect((await get('account_exists', key)).body).toBe(true);
    expect((await get('account_exists', usageKey)).body).toBe(true);
    const bearer = await get('account_exists', undefined, {
      Authorization: `bEaReR ${key}`,
      'X-Api-Key': 'no',
    });
    expect(bearer.body).toBe(true);
  });

  test('returns true for the usage key of a ChainSecured account, at the block that added it', async () => {
    const wallet = await newWallet();
    const usageKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64');
    await wallet.write('newChainSecuredAccount', ['', '']);
    const identity = walletIdentity(wallet.address);
    const args = [
      identity,
      apiKeyHash(usageKey),
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
      [],
    ] as const;
    const block = await wallet.write('setUsageApiKey', args);
    const reply = await get('account_exists', usageKey, { 'X-Min-Block': String(block) });
    expect(reply).toMatchObject({ status: 200, body: true });
  });

  test('returns false for an unknown key', async () => {
    for (const key of [keyText(3), 'abc'])
      expect(await get('account_exists', key)).toMatchObject({ status: 200, body: false });
  });
});

describe('400', () => {
  test.each(['x', '-1', '0x10', '1.5', ''])('X-Min-Block: %j', async (block) => {
    const { key } = await newAccount();
    expectError(await get('account_exists', key, { 'X-Min-Block': block }), 400);
  });
});

describe('401', () => {
  test.each([
    {},
    { 'X-Api-Key': '' },
    { 'X-Api-Key': 'é' },
    { 'X-Api-Key': 'x'.repeat(513) },
    { 'X-Api-Key': `0x${'11'.repeat(32)}` },
    { Authorization: `Bearer 0X${'AB'.repeat(32)}` },
    { Authorization: 'Bearer' },
    { Authorization: `Basic ${keyText(3)}` },
    { 'X-Api-Key': 'two words' },
    { Authorization: `Bearer ${keyText(3)} ${keyText(3)}` },
    { 'X-Api-Key': `${keyText(3)}, ${keyText(3)}` },
    { 'X-Api-Key': 'a\tb' },
    // HTTP does not count a no-break space as white space.
    { 'X-Api-Key': `\xa0${keyText(3)}` },
    { 'X-Api-Key': `${keyText(3)}\xa0` },
    { Authorization: `Bearer\xa0${keyText(3)}` },
    { Authorization: `Bearer ${keyText(3)}\xa0` },
  ])('%j', async (headers) => {
    expectError(await get('account_exists', undefined, headers), 401);
  });
});

test('returns 400 for a block far ahead of the chain', async () => {
  expectError(await get('account_exists', keyText(3), { 'X-Min-Block': '999999999' }), 400);
});

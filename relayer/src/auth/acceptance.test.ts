import { walletIdentity } from '@latchkey/protocol';
import { expect, test } from 'vitest';
import { requireNoUnaccepted } from './acceptance.ts';

const WALLET = '0x1111111111111111111111111111111111111111';
const HASH = `0x${'0'.repeat(63)}7`;

test('refuses a wallet for which an account waits, with both ways out', async () => {
  const asked: unknown[] = [];
  const findUnaccepted = async (...args: unknown[]) => {
    asked.push(args);
    return 7n;
  };
  const refused = requireNoUnaccepted({ findUnaccepted }, WALLET);
  await expect(refused).rejects.toMatchObject({ status: 403, message: expect.stringContaining(HASH) });
  const { fix } = (await refused.catch((error: unknown) => error)) as { fix: string };
  for (const way of [`acceptAccount(${HASH})`, `cancelTransfer(${HASH})`]) expect(fix).toContain(way);
  expect(asked).toEqual([[walletIdentity(WALLET), 0n]]);
});

test('passes a wallet for which no account waits', async () => {
  await requireNoUnaccepted({ findUnaccepted: async () => undefined }, WALLET);
});

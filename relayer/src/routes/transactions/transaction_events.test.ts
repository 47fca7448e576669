import { createConcurrencyLimit } from '@latchkey/http';
import { expect, test } from 'vitest';
import { transactionEvents } from './transaction_events.ts';

const [FORMER, NEXT] = [
  '0x00000000000000000000000000000000000000Aa',
  '0x00000000000000000000000000000000000000bB',
];

test('a transfer that is mined after the proof of a wallet was checked gives that wallet no stream', async () => {
  const limit = createConcurrencyLimit({ max: 1, message: 'Too many.' });
  const context = {
    keyRegistry: { findRecent: async () => ({ adminWallet: NEXT, expiration: 0n }) },
    transactionStreams: { limit, ending: new AbortController().signal },
  };
  const sent: unknown[] = [];
  const request = {
    caller: { hash: 1n, account: 1n, adminWallet: FORMER, isUsageKey: false },
    sendEvent: (...event: unknown[]) => sent.push(event),
    signal: new AbortController().signal,
  };
  const reply = transactionEvents.handle(context as never, request as never);
  await expect(reply).rejects.toMatchObject({
    status: 401,
    message: 'The account has another admin wallet.',
  });
  expect(sent).toEqual([]);
});

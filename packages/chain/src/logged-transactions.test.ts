import { expect, test } from 'vitest';
import { createLoggedTransactions } from './logged-transactions.ts';

const never = new AbortController().signal;

test('a log ends every wait for its transaction', async () => {
  const logged = createLoggedTransactions();
  const waits = [['0x1'], ['0x2', '0x1']].map((hashes) =>
    logged.wait(hashes as `0x${string}`[], 60_000, never),
  );
  logged.add('0x1');
  expect(await Promise.all(waits)).toEqual([true, true]);
  expect(await logged.wait(['0x1'], 60_000, never)).toBe(true);
});

test('a wait ends without a log after its time, and with its signal', async () => {
  const logged = createLoggedTransactions();
  expect(await logged.wait(['0x1'], 1, never)).toBe(false);
  const gone = new AbortController();
  const wait = logged.wait(['0x1'], 60_000, gone.signal);
  gone.abort();
  expect(await wait).toBe(false);
});

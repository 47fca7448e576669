import { BlockNotReachedError } from '@latchkey/chain/head-watcher';
import { expect, test } from 'vitest';
import { createMinBlockWait } from './min-block.ts';

test('throws 400 for a block far ahead, and 429 with Retry-After for a block that does not arrive', async () => {
  const wait = (isFarAhead: boolean) =>
    createMinBlockWait({
      head: () => 10n,
      reach: async (block) => {
        throw new BlockNotReachedError(block, 10n, isFarAhead);
      },
    })(11n, '192.0.2.1');
  await expect(wait(true)).rejects.toMatchObject({ status: 400, fix: expect.any(String) });
  await expect(wait(false)).rejects.toMatchObject({ status: 429, retryAfterSec: 1 });
});

test('passes on the error of a chain that is down', async () => {
  const down = new Error('down');
  const wait = createMinBlockWait({ head: () => 0n, reach: () => Promise.reject(down) });
  await expect(wait(1n, '192.0.2.1')).rejects.toBe(down);
});

test('limits an address to 100 concurrent waits; other addresses and existing blocks pass', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wait = createMinBlockWait({ head: () => 10n, reach: () => promise });
  const waiting = Array.from({ length: 100 }, (_, i) => wait(11n, `2001:db8::${i + 1}`));
  await expect(wait(11n, '2001:db8::ffff')).rejects.toMatchObject({ status: 429 });
  const other = wait(11n, '192.0.2.2');
  await wait(10n, '2001:db8::ffff');
  resolve();
  await Promise.all([...waiting, other]);
  await wait(11n, '2001:db8::ffff');
});

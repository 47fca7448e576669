import { createLogger } from '@latchkey/service/logger';
import { expect, test } from 'vitest';
import type { Database } from '../db/database.ts';
import { createLiveOutput } from './live-output.ts';

test('output beyond a mebibyte is dropped', async () => {
  const stored: { logs: string }[] = [];
  const set = (values: { logs: string }) => {
    stored.push(values);
    return { where: async () => {} };
  };
  const db = { update: () => ({ set }) } as unknown as Database;
  const log = createLogger({ name: 'test', level: 'silent' });
  await using output = createLiveOutput(db, { id: 'run', claim: 1n } as never, log);
  const text = 'é'.repeat(256 * 1024);
  for (let i = 0; i < 3; i++) output.add(text);
  await expect.poll(() => stored).toHaveLength(1);
  output.add('x');
  expect(stored[0]?.logs === text + text).toBe(true);
});

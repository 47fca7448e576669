import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { accountKey, otherAccountKey, startWithAccounts } from '../../test/browsers.ts';
import { triggers } from '../db/schema.ts';

const FLOOD = 150;

const service = disposeAfterAll(await startWithAccounts());

async function logIn(key: string): Promise<string> {
  const reply = await service.post('/api/login', { account_key: key });
  expect(reply.status).toBe(200);
  return ((await reply.json()) as { token: string }).token;
}
async function list(token: string) {
  const { status, headers } = await service.ask('GET', '/api/triggers', token);
  return { status, retryAfterSec: Number(headers.get('retry-after')) };
}

test('lists of a neighbour succeed beside concurrent lists of one account, which are 429 above its share', async () => {
  const [attacker, neighbour] = [await logIn(accountKey), await logIn(otherAccountKey)];
  expect(await list(neighbour)).toMatchObject({ status: 200 });
  const refused: number[] = [];
  const flood: number[] = [];
  const visited: number[] = [];
  const sent: Promise<unknown>[] = [];
  // The statements of lists wait for the end of this transaction, and hold their connections until then.
  await service.db.transaction(async (tx) => {
    await tx.execute(sql`lock table ${triggers} in access exclusive mode`);
    for (let request = 0; request < FLOOD; request++)
      sent.push(
        list(attacker).then(({ status, retryAfterSec }) => {
          flood.push(status);
          if (status === 429) refused.push(retryAfterSec);
        }),
      );
    await expect.poll(() => refused.length, { timeout: 20_000 }).toBeGreaterThan(0);
    // The lists of one account leave connections to others.
    expect((await service.ask('GET', '/api/me', neighbour)).status).toBe(200);
    for (let request = 0; request < 5; request++)
      sent.push(list(neighbour).then(({ status }) => visited.push(status)));
  });
  await Promise.all(sent);
  expect(visited).toEqual([200, 200, 200, 200, 200]);
  expect([...new Set(flood)].sort()).toEqual([200, 429]);
  expect(Math.min(...refused)).toBeGreaterThan(0);
});

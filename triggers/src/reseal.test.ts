import { randomBytes } from 'node:crypto';
import { createSealer, sealingKey } from '@latchkey/service/sealer';
import { asc, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../test/database.ts';
import { addTrigger, addUser } from '../test/fixtures.ts';
import { alertWebhooks, triggers } from './db/schema.ts';
import { resealAlerts, resealTriggers } from './reseal.ts';

test('after resealing, the new key opens every secret', async () => {
  await using database = await openTestDatabase();
  const { db } = database;
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  const userId = await addUser(db);
  const ids: string[] = [];
  // A batch has 100.
  for (let i = 0; i < 130; i++) ids.push((await addTrigger(db, userId, { usageApiKey: '' })).id);
  for (const [i, id] of ids.entries())
    await db
      .update(triggers)
      .set({ usageApiKey: createSealer([sealingKey(i < 120 ? oldKey : newKey)]).seal(`key ${i}`, id) })
      .where(eq(triggers.id, id));
  const lost = await addTrigger(db, userId, {
    usageApiKey: createSealer([sealingKey(randomBytes(32))]).seal('', 'x'),
  });

  const sealer = createSealer([sealingKey(newKey), sealingKey(oldKey)]);
  expect(await resealTriggers({ db, sealer })).toEqual({ resealed: 120, unopened: [lost.id] });
  const onlyNew = createSealer([sealingKey(newKey)]);
  for (const [i, id] of ids.entries()) {
    const [row] = await db.select().from(triggers).where(eq(triggers.id, id));
    expect(onlyNew.openText(row?.usageApiKey ?? '', id)).toBe(`key ${i}`);
    // The revision stays, so that retries of runs continue.
    expect(row?.revision).toBe(1);
  }
  const before = await db.select().from(triggers).orderBy(asc(triggers.id));
  expect(await resealTriggers({ db, sealer })).toEqual({ resealed: 0, unopened: [lost.id] });
  expect(await db.select().from(triggers).orderBy(asc(triggers.id))).toEqual(before);
});

test('secrets of alert webhooks are resealed, in batches', async () => {
  await using database = await openTestDatabase();
  const { db } = database;
  const [oldKey, newKey] = [sealingKey(randomBytes(32)), sealingKey(randomBytes(32))];
  const addWebhook = async (key: typeof oldKey) => {
    const userId = await addUser(db);
    const secret = createSealer([key]).seal(`secret of ${userId}`, userId);
    await db
      .insert(alertWebhooks)
      .values({ id: userId, url: 'https://example.com', afterFailures: 1, secret });
    return userId;
  };
  for (let i = 0; i < 120; i++) await addWebhook(oldKey);
  await addWebhook(newKey);
  const lost = await addWebhook(sealingKey(randomBytes(32)));
  const sealer = createSealer([newKey, oldKey]);
  expect(await resealAlerts({ db, sealer })).toEqual({ resealed: 120, unopened: [lost] });
  const onlyNew = createSealer([newKey]);
  for (const { id, secret } of await db.select().from(alertWebhooks))
    if (id !== lost) expect(onlyNew.openText(secret, id)).toBe(`secret of ${id}`);
  expect(await resealAlerts({ db, sealer })).toEqual({ resealed: 0, unopened: [lost] });
});

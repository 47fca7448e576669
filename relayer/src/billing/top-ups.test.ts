/** The looks for automatic top-ups: they read the settings that need one, and miss no entry of the ledger. */
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expectNarrow, watchPlans } from '@latchkey/testing/plans';
import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import * as schema from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { move } from './ledger.ts';
import { beginCharge, claimChecks, claimDueTopUps, endCharge, type TopUp } from './top-ups.ts';

const COUNT = 5_000;
const THRESHOLD = 1_000_000n;
const { autoTopUps } = schema;

const database = disposeAfterAll(await openTestDatabase());
const watched = disposeAfterAll(watchPlans(database.url, schema));
beforeAll(async () => {
  // No charge of them is due, and all owners were compared a moment ago.
  await database.db.execute(sql`insert into auto_top_ups (account, owner, customer, payment_method, brand, last4, expiry_month,
    expiry_year, threshold_micros, amount_cents, monthly_limit_cents, due_at)
    select 'idle ' || n, 'owner', 'cus', 'pm ' || n, 'visa', '4242', 12, 2040, 0, 2000, 6000,
      case when n % 2 = 0 then now() + interval '1 hour' end
    from generate_series(1, ${COUNT}) n`);
}, 60_000);

let lastAccount = 0x100n;
/** Settings of an account with this credit. */
async function turnOn(creditMicros: bigint, monthlyLimitCents = 6_000): Promise<bigint> {
  const account = ++lastAccount;
  if (creditMicros > 0n)
    await move(database.db, account, 'credit', creditMicros, {
      externalId: `paid ${account}`,
      reason: 'paid',
    });
  const card = { customer: 'cus', paymentMethod: `pm ${account}`, brand: 'visa', last4: '4242' };
  const limits = { thresholdMicros: THRESHOLD, amountCents: 2_000, monthlyLimitCents };
  const expiry = { expiryMonth: 12, expiryYear: 2_040 };
  await database.db
    .insert(autoTopUps)
    .values({ account: hashText(account), owner: 'owner', ...card, ...limits, ...expiry });
  return account;
}
const spend = (account: bigint, micros: bigint, db = database.db) =>
  move(db, account, 'reverse', micros, { externalId: crypto.randomUUID(), reason: 'spent' });
const read = async (account: bigint): Promise<TopUp> => {
  const [found] = await database.db
    .select()
    .from(autoTopUps)
    .where(eq(autoTopUps.account, hashText(account)));
  return found as TopUp;
};
/** One look: the accounts that it found, and those of them that are charged. */
async function look() {
  const found = await claimDueTopUps(database.db);
  const charges = [];
  for (const topUp of found) charges.push(await beginCharge(database.db, topUp));
  return {
    found: found.map(({ account }) => account),
    charges: charges.filter((charge) => charge !== undefined),
  };
}

describe.each(['before', 'after'])('%s the statistics of the table are known', (when) => {
  beforeAll(async () => {
    if (when === 'after') await database.db.execute(sql`analyze`);
  });

  test('a look reads no settings but those that need it', async () => {
    expect((await look()).found).toEqual([]);
    for (const work of [claimDueTopUps, claimChecks]) {
      const plans = await watched.plansOf(() => work(watched.db));
      expect(plans.length).toBeGreaterThan(0);
      expectNarrow(plans, ['auto_top_ups']);
    }
    const account = await turnOn(0n);
    expectNarrow(await watched.plansOf(() => claimDueTopUps(watched.db)), ['auto_top_ups']);
    await database.db.delete(autoTopUps).where(eq(autoTopUps.account, hashText(account)));
  });
});

describe('a relayer looks at settings', () => {
  test('when they are stored, and then when an entry of the ledger takes the credit below the threshold', async () => {
    const account = await turnOn(3n * THRESHOLD);
    expect(await look()).toEqual({ found: [hashText(account)], charges: [] });
    await spend(account, THRESHOLD);
    expect((await look()).found).toEqual([]);
    await spend(account, THRESHOLD + 1n);
    const { charges } = await look();
    expect(charges).toMatchObject([{ account: hashText(account), amountCents: 2_000 }]);
  });

  test('again after a charge has ended', async () => {
    const account = await turnOn(0n);
    const { charges } = await look();
    expect((await look()).found).toEqual([]);
    for (const charge of charges) await endCharge(database.db, charge, 'failed');
    expect((await look()).charges).toMatchObject([{ account: hashText(account) }]);
  });

  test('at the next full hour when a limit holds up their charge', async () => {
    const account = await turnOn(0n, 1_000);
    expect((await look()).charges).toEqual([]);
    const { dueAt } = await read(account);
    expect([dueAt?.getUTCMinutes(), dueAt?.getUTCSeconds()]).toEqual([0, 0]);
    expect(dueAt?.getTime()).toBeGreaterThan(Date.now());
  });

  test('after an entry that a concurrent look did not see', async () => {
    const account = await turnOn(THRESHOLD);
    await spend(account, 1n);
    const [topUp] = await claimDueTopUps(database.db);
    // Others have paid since: the look finds enough credit, while another entry lowers it.
    await move(database.db, account, 'credit', 1n, { externalId: `again ${account}`, reason: 'paid' });
    const looked = await database.db.transaction(async (tx) => {
      await spend(account, 1n, tx as typeof database.db);
      const begun = beginCharge(database.db, topUp as TopUp);
      // It waits for the entry, whose transaction marks the settings.
      return {
        begun,
        isEarly: await Promise.race([
          begun.then(() => true),
          tx.execute(sql`select pg_sleep(0.3)`).then(() => false),
        ]),
      };
    });
    expect(looked.isEarly).toBe(false);
    expect(await looked.begun).toMatchObject({ account: hashText(account) });
  });
});

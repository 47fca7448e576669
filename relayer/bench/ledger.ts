/** Forked process: answers a count with measurements of reserve and capture of one cent. Baseline: the same rows as bare inserts, without rules and balances. */

import { answer } from '@latchkey/testing/forked';
import { type Comparison, compare } from '@latchkey/testing/measure';
import { sql } from 'drizzle-orm';
import { endReserves, move, reserve } from '../src/billing/ledger.ts';
import { MICROS_PER_CENT } from '../src/billing/money.ts';
import { openTestDatabase } from '../test/database.ts';

const CLIENTS = [1, 4];

async function benchLedger(count: number): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  const { db, dispose } = await openTestDatabase();
  try {
    await db.execute(sql`create table bare_entries (
        account text not null, number bigserial, kind text not null, amount_micros bigint not null, reserve bigint,
        key_hash text, reason text not null, available_after bigint not null, created_at timestamptz default now(),
        primary key (account, number), unique (account, reserve))`);
    const account = 1n;
    const cause = { externalId: 'bench', reason: 'bench' };
    await move(db, account, 'credit', 10n ** 15n, cause);
    const entry = { account, key: account, amountMicros: MICROS_PER_CENT, reason: 'bench' };
    let last = 0;
    for (const concurrency of CLIENTS)
      comparisons.push(
        await compare('ledger (reserve, capture)', {
          count,
          concurrency,
          service: {
            async run() {
              const number = await db.transaction((tx) => reserve(tx, entry));
              await db.transaction((tx) => endReserves(tx, 'capture', account, [number]));
            },
          },
          baseline: {
            async run() {
              const number = ++last;
              await db.transaction((tx) =>
                tx.execute(sql`insert into bare_entries (account, kind, amount_micros, key_hash, reason, available_after)
                    values ('1', 'reserve', 10000, '1', 'bench', 0)`),
              );
              await db.transaction((tx) =>
                tx.execute(sql`insert into bare_entries
                    (account, kind, amount_micros, reserve, key_hash, reason, available_after)
                    values ('1', 'capture', 10000, ${number}, '1', 'bench', 0)`),
              );
            },
          },
        }),
      );
  } finally {
    await dispose();
  }
  return comparisons;
}

answer(benchLedger);

import type { Database } from '../db/database.ts';
import { hashText } from '../db/text.ts';
import { move } from './ledger.ts';
import { MICROS_PER_CENT } from './money.ts';

/** Grants the starter credit of a new account, once. */
export async function giveStarterCredit(db: Database, account: bigint, cents: number): Promise<void> {
  if (cents === 0) return;
  const externalId = `starter ${hashText(account)}`;
  await move(db, account, 'credit', BigInt(cents) * MICROS_PER_CENT, {
    externalId,
    reason: 'starter credit',
  });
}

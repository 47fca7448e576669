/** A ledger of several months, and the archives of its old ones. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { pad, zeroAddress } from 'viem';
import { type ArchiveOptions, archive } from '../src/billing/archives/archive.ts';
import { createSigner } from '../src/billing/archives/signed-texts.ts';
import { verify } from '../src/billing/archives/verify.ts';
import { endReserves, move, reserve } from '../src/billing/ledger.ts';
import type { Database } from '../src/db/database.ts';
import { hashText } from '../src/db/text.ts';
import { openTestDatabase } from './database.ts';

export const deployment = { chainId: 31_337, address: zeroAddress };
export const signer = createSigner(pad('0x1'));

/** Runs every second of its entries for a month or two; has an open reserve from the first month. */
export const busy = 0x10n;
/** Has one payment in the first month, and nothing else. */
export const quiet = 0x20n;
/** Its reserves and ends are those of the version before. */
export const old = 0x30n;
/** Began in the current month. */
const young = 0x40n;

const MONTHS = 4;
/** The month of the first entries. */
export function firstMonth(now = new Date()): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS, 1));
}

export const setAside = (
  db: Database,
  account: bigint,
  amountMicros = 7n,
  reason = 'test',
): Promise<bigint> => db.transaction((tx) => reserve(tx, { account, key: account, amountMicros, reason }));
export const end = (db: Database, kind: 'capture' | 'release', account: bigint, ...reserves: bigint[]) =>
  db.transaction((tx) => endReserves(tx, kind, account, reserves));
export const payment = (account: bigint) => ({
  externalId: `payment ${account}`,
  reason: 'a "payment",\nof a card\u2028',
});

/** Runs statements that no rule of the ledger refuses, as an operator with all rights can. */
export const tamper = (db: Database, ...statements: string[]): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    for (const statement of statements) await tx.execute(sql.raw(statement));
  });

/** Moves the entries of an account: one every two days from the first month on. */
function spread(db: Database, account: bigint): Promise<void> {
  const at = (number: string) =>
    `timestamptz '${firstMonth().toISOString()}' + make_interval(days => 2 * (${number})::int - 1, secs => 0.000123)`;
  const owner = `'${hashText(account)}'`;
  return tamper(
    db,
    `update ledger_entries set created_at = ${at('number')} where account = ${owner}`,
    `update ledger_reserves set created_at = ${at('number')} where account = ${owner}`,
    `update ledger_ends e set created_at = ${at('e.number')}, reserved_at = ${at('e.number - e.distance')}
       from credit_balances b where b.id = e.account and b.account = ${owner}`,
  );
}

async function fill(db: Database): Promise<{ open: bigint }> {
  for (const account of [busy, quiet, old, young])
    await move(db, account, 'credit', 1_000n, payment(account));
  const open = await setAside(db, busy);
  const late = await setAside(db, busy, 9n);
  for (let i = 0; i < 8; i++) {
    const reserves = [
      await setAside(db, busy),
      await setAside(db, busy, 5n, 'run 00000000-0000-4000-8000-000000000000'),
      await setAside(db, busy),
    ];
    await end(db, 'capture', busy, ...reserves.slice(1));
    await end(db, 'release', busy, ...reserves.slice(0, 1));
    if (i === 5) await end(db, 'capture', busy, late);
  }
  await move(db, busy, 'reverse', 3n, { externalId: 'refund', reason: 'refund' });
  const owner = hashText(old);
  for (let i = 0; i < 20; i++) {
    await db.execute(sql`
      insert into ledger_entries (account, number, kind, amount_micros, key_hash, reason, available_after)
      values (${owner}, 0, 'reserve', 4, ${owner}, 'add_group', 0)`);
    await end(db, 'capture', old, BigInt(2 * i + 2));
  }
  for (const account of [busy, quiet, old]) await spread(db, account);
  return { open };
}

export type OldLedger = AsyncDisposable & {
  db: Database;
  url: string;
  directory: string;
  /** Number of the open reserve. */
  open: bigint;
  archive: (options?: Partial<ArchiveOptions>) => ReturnType<typeof archive>;
  /** Resolves to the differences. */
  verify: (options?: Partial<ArchiveOptions>) => Promise<string[]>;
};

export async function openOldLedger(): Promise<OldLedger> {
  const { db, url, dispose } = await openTestDatabase();
  const directory = mkdtempSync(join(tmpdir(), 'archives-'));
  const { open } = await fill(db);
  const options = { directory, deployment, signer };
  return {
    ...{ db, url, directory, open },
    archive: (more) => archive(db, { ...options, ...more }),
    async verify(more) {
      const differences: string[] = [];
      const onDifference = (difference: string) => void differences.push(difference);
      await verify(db, { ...options, ...more, signers: [signer.address], onDifference });
      return differences;
    },
    async [Symbol.asyncDispose]() {
      rmSync(directory, { recursive: true });
      await dispose();
    },
  };
}

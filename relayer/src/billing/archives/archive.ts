/**
 * Closes months of the ledger, and moves their ended reserves to files. Every step can be repeated: a process that is killed leaves a
 * database and files with which the next one goes on.
 */
import { join } from 'node:path';
import { inBatches } from '@latchkey/service/in-batches';
import type { Database } from '../../db/database.ts';
import {
  type ArchivedEntry,
  addEntry,
  LedgerDifference,
  NOTHING,
  readEntries,
  reservedOf,
  type Totals,
} from './entries.ts';
import { hashFile, place, remove, writeLines } from './files.ts';
import { closableMonths, endOf, nextMonth } from './months.ts';
import { type ArchiveFacts, archiveText, closingText, type Deployment, type Signer } from './signed-texts.ts';
import {
  type AccountState,
  type Archive,
  addArchive,
  addClosings,
  type Closing,
  dropClosings,
  listAccounts,
  listArchives,
  markRemoved,
  readTimes,
  removeEnds,
  seal,
} from './store.ts';

export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

export type ArchiveOptions = {
  directory: string;
  deployment: Deployment;
  signer: Signer;
  /** Called after each step of a month. */
  onStep?: (month: string, step: string) => Promise<void> | void;
  /** Removes the ended reserves of archived months from the database. */
  isRemoving?: boolean;
};

export const fileOf = (month: string): string => `ledger-${month}.csv.gz`;

/** Archives every month that ended long enough ago. Resolves to the months that were archived now, and the number of removed rows. */
export async function archive(
  db: Database,
  options: ArchiveOptions,
): Promise<{ archived: ArchiveFacts[]; removed: number }> {
  const archives = await listArchives(db);
  const { first, now } = await readTimes(db);
  const last = archives.at(-1)?.month;
  const from = last === undefined ? first : nextMonth(last);
  let previous: string | undefined;
  for (const each of archives) previous = archiveText(options.deployment, each, previous);
  const archived: ArchiveFacts[] = [];
  for (const month of from === undefined ? [] : closableMonths(from, now)) {
    const facts = await archiveMonth(db, month, previous, options);
    previous = archiveText(options.deployment, facts, previous);
    archived.push(facts);
  }
  return { archived, removed: options.isRemoving ? await removeArchived(db, options) : 0 };
}

async function archiveMonth(
  db: Database,
  month: string,
  previous: string | undefined,
  { directory, deployment, signer, onStep = () => {} }: ArchiveOptions,
): Promise<ArchiveFacts> {
  await seal(db, endOf(month));
  await onStep(month, 'sealed');
  const counts = { entries: 0n, accounts: 0 };
  const file = fileOf(month);
  const path = join(directory, file);
  const written = `${path}.new`;
  const onClosed = (entries: bigint) => {
    counts.accounts++;
    counts.entries += entries;
  };
  const sign = (account: string, totals: Totals): Closing => {
    const signature = signer.sign(closingText(deployment, account, month, totals));
    return { account, month, totals, signature };
  };
  const content = await writeLines(written, closeAccounts(db, month, sign, onClosed));
  await onStep(month, 'written');
  await keepFile(written, path, content);
  await onStep(month, 'read back');
  const facts = { month, file, sha256: content, ...counts };
  await addArchive(db, { ...facts, signature: signer.sign(archiveText(deployment, facts, previous)) });
  await onStep(month, 'closed');
  return facts;
}

/** Gives the written file its name, unless an earlier process did, and reads it back. */
async function keepFile(written: string, path: string, content: string): Promise<void> {
  const existing = await hashFile(path).catch(() => 'damaged');
  if (existing === undefined) await place(written, path);
  else if (existing === content) await remove(written);
  else
    throw new ArchiveError(
      `${path} exists with other content: it is of another database, or was changed. Move it away, or use another --dir`,
    );
  if ((await hashFile(path)) !== content) throw new ArchiveError(`${path} was not read back as written`);
}

/** Yields the entries of a month, by account and number, and stores the closing balance of each account after its last one. */
async function* closeAccounts(
  db: Database,
  month: string,
  sign: (account: string, totals: Totals) => Closing,
  onClosed: (entries: bigint) => void,
): AsyncGenerator<ArchivedEntry> {
  const end = endOf(month);
  for (let after = ''; ; ) {
    const accounts = await listAccounts(db, after, month);
    if (accounts.length === 0) break;
    after = accounts.at(-1)?.account ?? after;
    const active = accounts.filter(({ now, closed }) => now.entries > closed.entries);
    const closings: Closing[] = [];
    let state: AccountState | undefined;
    let totals = NOTHING;
    const close = () => {
      if (state === undefined) return;
      onClosed(totals.entries - state.closed.entries);
      closings.push(sign(state.account, totals));
    };
    const states = new Map(active.map((each) => [each.account, each]));
    const ranges = active.map(({ account, now, closed }) => ({
      account,
      first: closed.entries + 1n,
      last: now.entries,
    }));
    for await (const entry of readEntries(db, ranges, ({ createdAt }) => createdAt >= end)) {
      if (entry.account !== state?.account) {
        close();
        state = states.get(entry.account);
        totals = state?.closed ?? NOTHING;
      }
      totals = addEntry(totals, entry);
      if (reservedOf(totals) < 0n)
        throw new LedgerDifference(entry.account, month, `entry ${entry.number} ends more than is reserved`);
      yield entry;
    }
    close();
    // A process that did not archive the month to its end has left some.
    await dropClosings(
      db,
      month,
      closings.map(({ account }) => account),
    );
    await addClosings(db, closings);
  }
}

/** Resolves to the number of rows that it removed. */
async function removeArchived(
  db: Database,
  { directory, onStep = () => {} }: ArchiveOptions,
): Promise<number> {
  const archives = await listArchives(db);
  for (const each of archives.filter(({ isRemoved }) => !isRemoved)) await markChecked(db, directory, each);
  const last = archives.at(-1)?.month;
  if (last === undefined) return 0;
  await onStep(last, 'marked as removed');
  let removed = 0;
  for (let after = ''; ; ) {
    const accounts = (await listAccounts(db, after, nextMonth(last))).map(({ account }) => account);
    if (accounts.length === 0) return removed;
    after = accounts.at(-1) ?? after;
    removed += await inBatches(async (rows) => {
      const batch = await removeEnds(db, accounts, rows);
      if (batch > 0) await onStep(last, 'removed rows');
      return batch;
    });
  }
}

async function markChecked(db: Database, directory: string, { month, file, sha256 }: Archive): Promise<void> {
  const path = join(directory, file);
  const content = await hashFile(path).catch(() => 'damaged');
  if (content !== sha256)
    throw new ArchiveError(
      content === undefined
        ? `${path} is missing: nothing is removed without its archive`
        : `${path} is not the file that was archived: restore it from a copy`,
    );
  await markRemoved(db, month);
}

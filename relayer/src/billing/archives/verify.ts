/**
 * Proves that archives, closing balances and the ledger in the database agree. Reads everything once, account by account: the entries of an
 * account from all archives, and then those of the database, must make its balance.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Address } from 'viem';
import type { Database } from '../../db/database.ts';
import { fileOf } from './archive.ts';
import {
  type ArchivedEntry,
  addEntry,
  LedgerDifference,
  NOTHING,
  readEntries,
  reservedOf,
  type Totals,
} from './entries.ts';
import { hashFile, readFile } from './files.ts';
import { monthOf, nextMonth } from './months.ts';
import { type Peekable, peekable } from './peekable.ts';
import { archiveText, closingText, type Deployment, signerOf } from './signed-texts.ts';
import {
  type AccountState,
  type Archive,
  type Closing,
  listAccounts,
  listArchives,
  listClosings,
} from './store.ts';

export type VerifyOptions = {
  directory: string;
  deployment: Deployment;
  /** The signers that are trusted. */
  signers: readonly Address[];
  /** Called with each difference, which names the month, and the account if it is of one. */
  onDifference: (difference: string) => void;
  onProgress?: (counts: Counts) => void;
};

export type Counts = { months: number; accounts: number; entries: bigint };

/** An archive and its entries; undefined without a readable file. */
type OpenArchive = Archive & { lines: Peekable<ArchivedEntry> | undefined };

type Check = VerifyOptions & { db: Database; archives: OpenArchive[]; counts: Counts };

/** Resolves to what was compared. Differences are passed to `onDifference`. */
export async function verify(db: Database, options: VerifyOptions): Promise<Counts> {
  const archives = await listArchives(db);
  checkChain(archives, options);
  await findUnknownFiles(archives, options);
  await using resources = new AsyncDisposableStack();
  const open: OpenArchive[] = [];
  for (const each of archives) {
    const lines = await openLines(each, options);
    if (lines) resources.defer(lines.close);
    open.push({ ...each, lines });
  }
  const counts = { months: archives.length, accounts: 0, entries: 0n };
  const check: Check = { ...options, db, archives: open, counts };
  // Later than every month.
  const end = '9999-12';
  for (let after = ''; ; ) {
    const accounts = await listAccounts(db, after, end);
    const last = accounts.at(-1)?.account;
    await checkAccounts(check, accounts, after, last ?? `0x${'f'.repeat(64)}`);
    if (last === undefined) return counts;
    after = last;
    options.onProgress?.(counts);
  }
}

/** Months follow each other without a gap, and each archive is signed together with all before it. */
function checkChain(archives: Archive[], { deployment, signers, onDifference }: VerifyOptions): void {
  let previous: { month: string; text: string } | undefined;
  for (const each of archives) {
    const { month, signature } = each;
    if (previous && month !== nextMonth(previous.month))
      onDifference(`${month}: the archive of ${nextMonth(previous.month)} is missing`);
    const text = archiveText(deployment, each, previous?.text);
    const signer = signerOf(text, signature);
    if (signer === undefined || !signers.includes(signer))
      onDifference(
        `${month}: no trusted signer has signed this archive after the ones before it (recovered ${signer})`,
      );
    previous = { month, text };
  }
}

/** A file without its row: the row was deleted, or an older dump of the database was restored. */
async function findUnknownFiles(
  archives: Archive[],
  { directory, onDifference }: VerifyOptions,
): Promise<void> {
  const known = new Set(archives.map(({ file }) => file));
  for (const name of (await readdir(directory)).sort()) {
    const [, month] = /^ledger-(\d{4}-\d\d)\.csv\.gz$/.exec(name) ?? [];
    if (month !== undefined && fileOf(month) === name && !known.has(name))
      onDifference(
        `${month}: ${name} is not known to the database. If an older dump was restored, run \`archive\` again`,
      );
  }
}

async function openLines(
  { month, file, sha256 }: Archive,
  { directory, onDifference }: VerifyOptions,
): Promise<Peekable<ArchivedEntry> | undefined> {
  const path = join(directory, file);
  try {
    const content = await hashFile(path);
    if (content === undefined) onDifference(`${month}: ${path} is missing`);
    else if (content !== sha256) onDifference(`${month}: ${path} was changed after it was archived`);
    return content === undefined ? undefined : await peekable(readFile(path));
  } catch (error) {
    onDifference(`${month}: ${path} is damaged (${(error as Error).message})`);
    return undefined;
  }
}

/** Checks the next accounts, and that nothing is there of accounts between them. */
async function checkAccounts(
  check: Check,
  accounts: AccountState[],
  after: string,
  last: string,
): Promise<void> {
  const first = after === '' ? `0x${'0'.repeat(64)}` : after;
  const closings = Map.groupBy(await listClosings(check.db, first, last), ({ account }) => account);
  const ranges = accounts.map(({ account, now }) => ({ account, first: 1n, last: now.entries }));
  const live = await peekable(readEntries(check.db, ranges));
  for (const state of accounts) {
    await skipBefore(check, state.account);
    try {
      await checkAccount(check, state, closings.get(state.account) ?? [], live);
    } catch (error) {
      if (!(error instanceof LedgerDifference)) throw error;
      check.onDifference(error.message);
    }
    closings.delete(state.account);
    while (live.head?.account === state.account) await live.take();
    await skipBefore(check, state.account, true);
    check.counts.accounts++;
  }
  if (accounts.length === 0) await skipBefore(check, last, true);
  for (const [account, [closing]] of closings)
    check.onDifference(`${account} ${closing?.month}: a closing balance of an account that has no balance`);
}

/** Passes over lines of accounts before this one, which have no balance, or of this one, which has a difference. */
async function skipBefore(
  { archives, onDifference }: Check,
  account: string,
  isIncluded = false,
): Promise<void> {
  for (const archive of archives)
    for (let told: string | undefined; ; ) {
      const head = archive.lines?.head;
      if (head === undefined || head.account > account || (head.account === account && !isIncluded)) break;
      if (head.account !== account && told !== head.account)
        onDifference(`${head.account} ${archive.month}: archived entries of an account that has no balance`);
      told = head.account;
      await takeLine(archive, onDifference);
    }
}

/** Goes on to the next line. A malformed one ends the file. */
async function takeLine(archive: OpenArchive, onDifference: VerifyOptions['onDifference']): Promise<void> {
  try {
    await archive.lines?.take();
  } catch (error) {
    archive.lines = undefined;
    onDifference(`${archive.month}: ${archive.file}: ${(error as Error).message}`);
  }
}

/** The open reserves of an account; undefined when an archive could not be read. */
type OpenReserves = Map<bigint, { amountMicros: bigint; month: string; isLive: boolean }> | undefined;

async function checkAccount(
  check: Check,
  { account, now }: AccountState,
  closings: Closing[],
  live: Peekable<ArchivedEntry>,
): Promise<void> {
  let totals = NOTHING;
  let reserves: OpenReserves = new Map();
  for (const archive of check.archives) {
    const closing = closings.find(({ month }) => month === archive.month);
    const before = totals;
    while (archive.lines?.head?.account === account) {
      const entry = archive.lines.head;
      totals = addEntry(totals, entry);
      addReserve(reserves, entry, await isLive(entry, archive, live));
      check.counts.entries++;
      await takeLine(archive, check.onDifference);
    }
    if (archive.lines === undefined) {
      reserves = undefined;
      totals = closing?.totals ?? totals;
      while (live.head?.account === account && live.head.number <= totals.entries) await live.take();
    }
    if (closing) checkClosing(check, closing);
    if (closing ? !isSame(totals, closing.totals) : totals !== before)
      throw new LedgerDifference(
        account,
        archive.month,
        closing
          ? `the entries make ${inWords(totals)}, and the closing balance says ${inWords(closing.totals)}`
          : 'the closing balance is missing',
      );
  }
  const months = new Set(check.archives.map(({ month }) => month));
  for (const { month } of closings.filter((closing) => !months.has(closing.month)))
    throw new LedgerDifference(
      account,
      month,
      'the closing balance is of a month that is not archived: run `archive` again',
    );
  await checkLive(check, { account, now }, totals, reserves, live);
}

/** The entries after the archived ones make the balance. */
async function checkLive(
  check: Check,
  { account, now }: Pick<AccountState, 'account' | 'now'>,
  archived: Totals,
  reserves: OpenReserves,
  live: Peekable<ArchivedEntry>,
): Promise<void> {
  let totals = archived;
  for (; live.head?.account === account; await live.take()) {
    totals = addEntry(totals, live.head);
    addReserve(reserves, live.head, true);
    check.counts.entries++;
  }
  for (const [number, { month, isLive }] of reserves ?? [])
    if (!isLive) throw new LedgerDifference(account, month, `reserve ${number} is missing in the database`);
  if (!isSame(totals, now))
    throw new LedgerDifference(
      account,
      'balance',
      `the entries make ${inWords(totals)}, and the balance says ${inWords(now)}`,
    );
}

/** An end is of an open reserve of its amount. */
function addReserve(reserves: OpenReserves, entry: ArchivedEntry, isLive: boolean): void {
  const { account, number, kind, amountMicros, reserve, createdAt } = entry;
  const month = monthOf(createdAt);
  if (kind === 'reserve') reserves?.set(number, { amountMicros, month, isLive });
  if (reserve === undefined || reserves === undefined) return;
  if (reserves.get(reserve)?.amountMicros !== amountMicros)
    throw new LedgerDifference(account, month, `entry ${number} ends no open reserve of its amount`);
  reserves.delete(reserve);
}

/**
 * Returns true when the database still has an archived entry, which must be the same. Payments are never removed from it, and ended reserves
 * only from removed months.
 */
async function isLive(
  entry: ArchivedEntry,
  { month, isRemoved }: Archive,
  live: Peekable<ArchivedEntry>,
): Promise<boolean> {
  const { account, number, kind, line } = entry;
  const differs = (message: string) => new LedgerDifference(account, month, message);
  const { head } = live;
  if (head?.account === account && head.number < number)
    throw differs(`the archive lacks entry ${head.number}, which the database has`);
  if (head?.account === account && head.number === number) {
    if (head.line !== line)
      throw differs(`entry ${number} is "${head.line}" in the database, and "${line}" in the archive`);
    await live.take();
    return true;
  }
  if (!isRemoved || kind === 'credit' || kind === 'reverse')
    throw differs(`entry ${number} is missing in the database`);
  return false;
}

function checkClosing({ deployment, signers }: Check, { account, month, totals, signature }: Closing): void {
  const signer = signerOf(closingText(deployment, account, month, totals), signature);
  if (signer === undefined || !signers.includes(signer))
    throw new LedgerDifference(
      account,
      month,
      `no trusted signer has signed the closing balance ${inWords(totals)}`,
    );
}

const isSame = (a: Totals, b: Totals): boolean =>
  (Object.keys(a) as (keyof Totals)[]).every((name) => a[name] === b[name]);

const inWords = (totals: Totals): string =>
  `${totals.available} available, ${reservedOf(totals)} reserved, ${totals.credited} credited, ${totals.captured} captured, ` +
  `${totals.reversed} reversed after ${totals.entries} entries`;

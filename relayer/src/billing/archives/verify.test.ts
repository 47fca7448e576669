import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { pad } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  busy,
  firstMonth,
  type OldLedger,
  old,
  openOldLedger,
  quiet,
  tamper,
} from '../../../test/old-ledger.ts';
import { hashText } from '../../db/text.ts';
import { closableMonths, monthOf, nextMonth } from './months.ts';
import { createSigner } from './signed-texts.ts';

const months = closableMonths(monthOf(firstMonth()), new Date());
const [first = '', second = ''] = months;
const open = nextMonth(months.at(-1) ?? '');
const accounts = { busy: hashText(busy), quiet: hashText(quiet), old: hashText(old) };
const bytes = (account: string) => `decode('${account.slice(2)}', 'hex')`;
const path = ({ directory }: OldLedger, month: string) => join(directory, `ledger-${month}.csv.gz`);

/** Replaces the first match in an archive. */
function edit(ledger: OldLedger, month: string, from: RegExp, to: string): void {
  const before = gunzipSync(readFileSync(path(ledger, month))).toString();
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  writeFileSync(path(ledger, month), gzipSync(after));
}

/** The constraint that refuses entries of closed months also refuses their change. */
const unseal = (table: string) => `alter table ${table} drop constraint if exists ${table}_sealed`;

const inMonth = (month: string, column = 'created_at') =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM') = '${month}'`;
const busyId = `(select id from credit_balances where account = '${accounts.busy}')`;
const oneEnd = (month: string) =>
  `ledger_ends where account = ${busyId} and number = (select min(number) from ledger_ends where account = ${busyId} and ${inMonth(month)} and ${inMonth(month, 'reserved_at')})`;

describe.each([
  ['kept', false],
  ['removed', true],
])('ended reserves of archived months are %s: names the account and the month of', (_when, isRemoving) => {
  const cases: [string, string[], (ledger: OldLedger) => Promise<void> | void][] = [
    [
      'an end in an open month that has one micro-credit more',
      [accounts.busy, open],
      ({ db }) =>
        tamper(
          db,
          `update ${oneEnd(open).replace(' where', ' set amount_micros = amount_micros + 1 where')}`,
        ),
    ],
    [
      'an end in an open month whose balance after it has one micro-credit more',
      [accounts.busy, open],
      ({ db }) =>
        tamper(
          db,
          `update ${oneEnd(open).replace(' where', ' set available_after = available_after + 1 where')}`,
        ),
    ],
    [
      'a deleted end in an open month',
      [accounts.busy, open],
      ({ db }) => tamper(db, `delete from ${oneEnd(open)}`),
    ],
    [
      'a payment in an archived month that has one micro-credit more',
      [accounts.quiet, first],
      ({ db }) =>
        tamper(
          db,
          unseal('ledger_entries'),
          `update ledger_entries set amount_micros = 1001 where account = '${accounts.quiet}'`,
        ),
    ],
    [
      'a deleted payment in an archived month',
      [accounts.quiet, first],
      ({ db }) => tamper(db, `delete from ledger_entries where account = '${accounts.quiet}'`),
    ],
    [
      'an open reserve that has one micro-credit more',
      [accounts.busy, first],
      ({ db }) =>
        tamper(db, unseal('ledger_reserves'), `update ledger_reserves set amount_micros = amount_micros + 1`),
    ],
    ['a deleted open reserve', [accounts.busy, first], ({ db }) => tamper(db, 'delete from ledger_reserves')],
    [
      'a balance with one micro-credit more',
      [accounts.old, 'balance'],
      ({ db }) =>
        tamper(
          db,
          `update credit_balances set available = available + 1, credited = credited + 1 where account = '${accounts.old}'`,
        ),
    ],
    [
      'a closing balance with one micro-credit more',
      [accounts.busy, second],
      ({ db }) =>
        tamper(
          db,
          `update ledger_closings set available = available + 1 where account = ${bytes(accounts.busy)} and month = '${second}-01'`,
        ),
    ],
    [
      'a deleted closing balance',
      [accounts.busy, second],
      ({ db }) =>
        tamper(
          db,
          `delete from ledger_closings where account = ${bytes(accounts.busy)} and month = '${second}-01'`,
        ),
    ],
    [
      'an entry of an archive that has one micro-credit more',
      [accounts.old, second],
      (ledger) => edit(ledger, second, /(?<=0030,\d+,capture,)4/, '5'),
    ],
    [
      'an entry of an archive that is deleted',
      [accounts.old, second],
      (ledger) => edit(ledger, second, /^.*0030,\d+,reserve,.*\n/m, ''),
    ],
    [
      'a malformed line of an archive',
      ['', second],
      (ledger) => edit(ledger, second, /(?<=0030,\d+,)capture/, 'gift'),
    ],
    [
      'entries of an account that is deleted',
      [accounts.quiet, first],
      ({ db }) => tamper(db, `delete from credit_balances where account = '${accounts.quiet}'`),
    ],
    ['a missing file', ['', second], (ledger) => rmSync(path(ledger, second))],
    [
      'a damaged file',
      ['', second],
      (ledger) => writeFileSync(path(ledger, second), readFileSync(path(ledger, second)).subarray(0, 300)),
    ],
    [
      'the file of another month',
      ['', second],
      (ledger) => copyFileSync(path(ledger, first), path(ledger, second)),
    ],
    [
      'the hash of an edited file, put into its row',
      ['', second],
      ({ db }) => tamper(db, `update ledger_archives set sha256 = sha256('') where month = '${second}-01'`),
    ],
    [
      'an archive in the middle of the chain that is deleted with its closing balances',
      ['', second],
      ({ db }) =>
        tamper(
          db,
          ...['archives', 'closings'].map((of) => `delete from ledger_${of} where month = '${first}-01'`),
        ),
    ],
    [
      'the last archive that is deleted with its closing balances',
      ['', months.at(-1) ?? ''],
      ({ db }) =>
        tamper(
          db,
          ...['archives', 'closings'].map(
            (of) => `delete from ledger_${of} where month = '${months.at(-1)}-01'`,
          ),
        ),
    ],
  ];
  test.each(cases)('%s', async (_what, [account = '', month = ''], change) => {
    await using ledger = await openOldLedger();
    await ledger.archive({ isRemoving });
    expect(await ledger.verify()).toEqual([]);
    await change(ledger);
    const differences = await ledger.verify();
    expect(differences).toContainEqual(
      expect.stringContaining(account ? `${account} ${month}: ` : `${month}: `),
    );
  });
});

test('names every archive and closing balance that no trusted signer has signed', async () => {
  await using ledger = await openOldLedger();
  await ledger.archive({ signer: createSigner(pad('0x2')) });
  const differences = await ledger.verify();
  for (const month of months)
    expect(differences).toContainEqual(expect.stringMatching(`^${month}: no trusted signer`));
  for (const account of Object.values(accounts))
    expect(differences).toContainEqual(expect.stringMatching(`^${account} ${first}: no trusted signer`));
});

test('signatures are of one contract', async () => {
  await using ledger = await openOldLedger();
  await ledger.archive();
  const differences = await ledger.verify({
    deployment: { chainId: 31_337, address: pad('0x1', { size: 20 }) },
  });
  expect(differences).toContainEqual(expect.stringMatching(`^${first}: no trusted signer`));
});

test('after the restore of an older dump, archives are made again as they were', async () => {
  await using ledger = await openOldLedger();
  await ledger.archive();
  const files = months.map((month) => readFileSync(path(ledger, month)));
  await tamper(ledger.db, 'delete from ledger_archives', 'delete from ledger_closings');
  expect(await ledger.verify()).toEqual(
    months.map((month) => expect.stringMatching(`^${month}: .*run \`archive\` again`)),
  );
  await ledger.archive();
  expect(months.map((month) => readFileSync(path(ledger, month)))).toEqual(files);
  expect(await ledger.verify()).toEqual([]);
});

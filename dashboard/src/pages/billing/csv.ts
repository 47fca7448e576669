import type { LedgerEntry } from '@latchkey/sdk';
import { toWord } from '../../names.ts';

/** A text cell: quoted, and never read as a formula by a spreadsheet. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

const HEADER = 'number,created_at,kind,amount_micros,available_micros_after,reason,reserve,api_key_hash';

/** The ledger as CSV (RFC 4180). */
export function toCsv(entries: readonly LedgerEntry[]): string {
  const lines = entries.map((entry) =>
    [
      entry.number,
      entry.createdAt.toISOString(),
      entry.kind,
      entry.amountMicros,
      entry.availableMicrosAfter,
      cell(entry.reason),
      entry.reserve ?? '',
      entry.keyHash === undefined ? '' : toWord(entry.keyHash),
    ].join(','),
  );
  return `${[HEADER, ...lines].join('\r\n')}\r\n`;
}

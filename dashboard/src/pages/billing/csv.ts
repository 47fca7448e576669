import type { LedgerEntry } from '@latchkey/sdk';
import { csvOf, textCell } from '../../components/csv.ts';
import { toWord } from '../../names.ts';

const HEADER = 'number,created_at,kind,amount_micros,available_micros_after,reason,reserve,api_key_hash';

export const toCsv = (entries: readonly LedgerEntry[]): string =>
  csvOf(
    HEADER,
    entries.map((entry) => [
      entry.number,
      entry.createdAt.toISOString(),
      entry.kind,
      entry.amountMicros,
      entry.availableMicrosAfter,
      textCell(entry.reason),
      entry.reserve ?? '',
      entry.keyHash === undefined ? '' : toWord(entry.keyHash),
    ]),
  );

/** Tables, fields and amounts on a terminal. */
import { oneLine } from '@latchkey/command/text';

export type Cell = string | number | bigint | boolean | Date | undefined;

const cellText = (cell: Cell): string => {
  if (cell === undefined) return '-';
  if (cell instanceof Date) return cell.toISOString().replace(/\.\d+Z$/, 'Z');
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return oneLine(String(cell)) || '-';
};

/** Returns aligned columns under their titles. */
export function table<Row>(rows: readonly Row[], columns: Record<string, (row: Row) => Cell>): string {
  const titles = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((read) => cellText(read(row))));
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => [...(row[column] ?? '')].length)),
  );
  const line = (row: string[]): string =>
    row
      .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - [...text].length))
      .join('  ')
      .trimEnd();
  return [line(titles), ...cells.map(line)].join('\n');
}

/** Returns a name and a value per line. Values that are undefined are left out. */
export function fields(values: Record<string, Cell>): string {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  const width = Math.max(...present.map(([name]) => name.length));
  return present.map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`).join('\n');
}

/** Returns a hash as lists and explorers have it: 0x and 64 hex digits. */
export function hex(hash: bigint): string {
  return `0x${hash.toString(16).padStart(64, '0')}`;
}

/** Returns micro-credits as cents. */
export function cents(micros: bigint): string {
  const amount = Number(micros) / 10_000;
  return `${amount} ${Math.abs(amount) === 1 ? 'cent' : 'cents'}`;
}

/** Text from elsewhere on a terminal: names, errors and logs can contain anything. */

/** Controls, among them ANSI escapes, and characters that are not visible or turn the direction of a line. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escapeOne = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Returns a text for one line: unsafe characters become `\u{…}`. */
export function oneLine(text: string): string {
  return text.replace(UNSAFE, escapeOne);
}

/** Returns a text that keeps its line ends and tabs. */
export function safeLines(text: string): string {
  return text.replace(UNSAFE, (character) => (/[\n\t]/.test(character) ? character : escapeOne(character)));
}

/** Returns a value as JSON: bigints are decimal text. Unsafe characters are escaped, which does not change the value. */
export function toJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(
    value,
    (_name, part) => (typeof part === 'bigint' ? String(part) : part),
    indent,
  );
  const escapeUnits = (character: string): string =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  // Outside of strings, JSON.stringify writes no other control than the line end.
  return (json ?? 'null').replace(UNSAFE, (character) =>
    character === '\n' ? character : escapeUnits(character),
  );
}

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

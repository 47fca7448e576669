/** A text cell: quoted, and never read as a formula by a spreadsheet. */
export function textCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** Lines as CSV (RFC 4180). Cells of texts are quoted already. */
export const csvOf = (header: string, lines: readonly (readonly unknown[])[]): string =>
  `${[header, ...lines.map((cells) => cells.join(','))].join('\r\n')}\r\n`;

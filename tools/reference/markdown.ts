/** Markdown of the generated pages. VitePress compiles a page as a template of Vue, so text outside of code must not open a tag or `{{`. */

/** Returns text as a paragraph: code in backticks stays as it is. */
export function paragraph(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;'),
    )
    .join('');
}

/** Returns a table. Cells are paragraphs. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const cell = (text: string) => paragraph(text.replaceAll(/\s+/g, ' ').trim()).replaceAll('|', '\\|');
  return [line(columns), line(columns.map(() => '---')), ...rows.map((row) => line(row.map(cell)))].join(
    '\n',
  );
}

export const code = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

/** Joins the parts of a page with an empty line between them; empty parts are left out. */
export const page = (...parts: readonly string[]): string =>
  `${parts.filter((part) => part !== '').join('\n\n')}\n`;

/** Returns the anchor of a heading as GitHub makes it. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

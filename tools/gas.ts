/** Writes the numbers of docs/gas.md: `npm run snapshot:gas` does so after the snapshot. Its other columns are written by hand. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const PAGE = 'docs/gas.md';
const HEADER = '| Operation | Known | Target | Now | Storage |\n|---|---:|---:|---:|---|\n';
const format = (gas: number): string => gas.toLocaleString('en-US');

/** The most that each row of test/gas/Gas.t.sol may cost, in the order of the tests. Undefined means that it has no limit. */
export function targetsIn(source: string): Map<string, number | undefined> {
  const calls = [...source.matchAll(/\b(row|_check)\(\s*"([^"]+)"([^;]*)\);/g)];
  return new Map(
    calls.map(([, call, name = '', rest = '']) => {
      const [digits] = /[\d_]+$/.exec(rest.trim()) ?? [];
      const target = digits === undefined ? undefined : Number(digits.replaceAll('_', ''));
      return [call === '_check' ? `canExecuteActionAndUseWallet, ${name}` : name, target];
    }),
  );
}

/** Returns the page with a row per row of the snapshot. Known and Storage are those of the page. */
export function updatePage(page: string, snapshot: Record<string, string>, source: string): string {
  const [before, rest] = page.split(HEADER);
  if (before === undefined || rest === undefined) throw new Error(`${PAGE} has no table of operations`);
  const end = rest.indexOf('\n\n');
  const written = new Map(
    rest
      .slice(0, end)
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, name = '', known = '', , , storage = '']) => [name, { known, storage }]),
  );
  const rows = [...targetsIn(source)].map(([name, target]) => {
    const { known = '–', storage = '' } = written.get(name) ?? {};
    const now = snapshot[name];
    if (now === undefined) throw new Error(`snapshots/gas.json has no row ${name}`);
    const cells = [name, known, target === undefined ? '–' : format(target), format(Number(now)), storage];
    return `| ${cells.join(' | ')} |`.replaceAll('  ', ' ');
  });
  return `${before}${HEADER}${rows.join('\n')}${rest.slice(end)}`;
}

/** Returns the page as it is, and as it must be. */
export function readPage(): { page: string; updated: string } {
  const [page = '', snapshot = '', source = ''] = [PAGE, 'snapshots/gas.json', 'test/gas/Gas.t.sol'].map(
    (path) => readFileSync(join(root, path), 'utf8'),
  );
  return { page, updated: updatePage(page, JSON.parse(snapshot) as Record<string, string>, source) };
}

if (import.meta.main) writeFileSync(join(root, PAGE), readPage().updated);

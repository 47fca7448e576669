/** Writes the numbers of docs/gas.md: `npm run snapshot:gas` does so after the snapshots. Its other columns are written by hand. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Snapshot = Record<string, string>;

const root = join(import.meta.dirname, '..');
const PAGE = 'docs/gas.md';
const HEADER = '| Operation | Known | Target | Now | Storage |\n|---|---:|---:|---:|---|\n';
const WORST_HEADER = '| Function | Kind | Worst | Storage of the worst |\n|---|---:|---:|---|\n';
const format = (gas: number): string => gas.toLocaleString('en-US');

/** The name of the kind row of a call, where it differs from the name of the worst row. */
const KINDS: Record<string, string> = {
  addGroup: 'addGroup, 10 known CIDs and 10 wallets',
  updateGroup: 'updateGroup, 10/10 to other 10/10',
  addActionToGroup: 'addActionToGroup, known action',
  addPkpToGroup: 'addPkpToGroup, known wallet',
  addAction: 'addAction, even',
  removeAction: 'removeAction, in 100 groups',
  registerWalletDerivation: 'registerWalletDerivation, even',
  'setUsageApiKey, new': 'setUsageApiKey, 5 groups in each of 4 lists',
  'setUsageApiKey, changed': 'setUsageApiKey, the same key updated to other 5 x 4 groups',
  'setUsageApiKey, the same again': 'setUsageApiKey, on 20 pages, the same again',
};

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

/** Replaces the rows below a header. `rows` gets the cells of the existing rows by their first cell. */
function replaceRows(
  page: string,
  header: string,
  rows: (written: Map<string, string[]>) => string[][],
): string {
  const [before, rest] = page.split(header);
  if (before === undefined || rest === undefined) throw new Error(`${PAGE} has no table ${header}`);
  const end = rest.indexOf('\n\n');
  const written = rest
    .slice(0, end)
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, name = '', ...cells]): [string, string[]] => [name, cells]);
  const lines = rows(new Map(written)).map((cells) => `| ${cells.join(' | ')} |`.replaceAll('  ', ' '));
  return `${before}${header}${lines.join('\n')}${rest.slice(end)}`;
}

function gasOf(snapshot: Snapshot, name: string): string {
  if (snapshot[name] === undefined) throw new Error(`the snapshot has no row ${name}`);
  return format(Number(snapshot[name]));
}

/** Returns the page with a row per row of the snapshot. Keeps the columns Known and Storage. */
export function updatePage(page: string, snapshot: Snapshot, source: string): string {
  return replaceRows(page, HEADER, (written) =>
    [...targetsIn(source)].map(([name, target]) => {
      const [known = '–', , , storage = ''] = written.get(name) ?? [];
      return [name, known, target === undefined ? '–' : format(target), gasOf(snapshot, name), storage];
    }),
  );
}

/** Returns the page with a row per call of the search. Keeps the last column. */
export function updateWorst(page: string, snapshot: Snapshot, worst: Snapshot): string {
  return replaceRows(page, WORST_HEADER, (written) =>
    Object.keys(worst).map((name) => {
      const kind = KINDS[name] ?? name;
      const [, , storage = ''] = written.get(name) ?? [];
      return [name, kind in snapshot ? gasOf(snapshot, kind) : '–', gasOf(worst, name), storage];
    }),
  );
}

/** Returns the page as it is, and as it must be. */
export function readPage(): { page: string; updated: string } {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const parse = (path: string): Snapshot => JSON.parse(read(path)) as Snapshot;
  const [page, snapshot] = [read(PAGE), parse('snapshots/gas.json')];
  const rows = updatePage(page, snapshot, read('test/gas/Gas.t.sol'));
  return { page, updated: updateWorst(rows, snapshot, parse('snapshots/gas-worst.json')) };
}

if (import.meta.main) writeFileSync(join(root, PAGE), readPage().updated);

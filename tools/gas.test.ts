import { expect, test } from 'vitest';
import { readPage, targetsIn, updatePage, updateWorst } from './gas.ts';

test('docs/gas.md has the numbers of the snapshots and of test/gas/Gas.t.sol: run npm run snapshot:gas', () => {
  const { page, updated } = readPage();
  expect(page).toBe(updated);
});

test('reads targets with and without a measured value', () => {
  const source = `
    function row(string memory name) private { row(name, used(), type(uint256).max); }
    row("a, b", 86_000);
    row("c");
    row("d", gas - direct, 1_000);
    _check("last", FRESH + 1, 52_000);`;
  expect([...targetsIn(source)]).toEqual([
    ['a, b', 86_000],
    ['c', undefined],
    ['d', 1_000],
    ['canExecuteActionAndUseWallet, last', 52_000],
  ]);
});

test('keeps what is written by hand, adds and removes rows', () => {
  const table = '| Operation | Known | Target | Now | Storage |\n|---|---:|---:|---:|---|\n';
  const page = `# Gas\n\n${table}| a | 9 | 1 | 1 | 1 slot |\n| gone | 9 | 1 | 1 | |\n\nText`;
  const updated = updatePage(page, { a: '1000', new: '2' }, 'row("a", 2_000); row("new");');
  expect(updated).toBe(`# Gas\n\n${table}| a | 9 | 2,000 | 1,000 | 1 slot |\n| new | – | – | 2 | |\n\nText`);
});

test('writes the kind row beside the worst one', () => {
  const table = '| Function | Kind | Worst | Storage of the worst |\n|---|---:|---:|---|\n';
  const page = `${table}| addAction | 1 | 1 | 1 slot |\n| gone | 1 | 1 | |\n\nText`;
  const updated = updateWorst(page, { 'addAction, even': '7' }, { addAction: '8000', new: '9' });
  expect(updated).toBe(`${table}| addAction | 7 | 8,000 | 1 slot |\n| new | – | 9 | |\n\nText`);
});

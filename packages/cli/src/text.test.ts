import { expect, test } from 'vitest';
import { fields, table } from './text.ts';

const HOSTILE = '\x1b[31mred\nnext\u202eback';
const isSafe = (text: string) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text.replaceAll('\n', ''));

test('a cell of a table cannot make a row', () => {
  const text = table([{ name: HOSTILE }, { name: '' }], { NAME: ({ name }) => name });
  expect(text.split('\n')).toHaveLength(3);
  expect(isSafe(text)).toBe(true);
  expect(isSafe(fields({ name: HOSTILE }))).toBe(true);
});

test('columns are aligned', () => {
  expect(
    table(
      [
        { id: 10n, on: true },
        { id: 5n, on: undefined },
      ],
      { ID: ({ id }) => id, ON: ({ on }) => on },
    ),
  ).toBe('ID  ON\n10  yes\n5   -');
});

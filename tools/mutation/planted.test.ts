import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Planted = { file: string; old: string; after?: string };

test('every planted bug names a text that is in the contracts', () => {
  const bugs: Record<string, Planted[]> = JSON.parse(readFileSync('tools/mutation/planted.json', 'utf8'));
  const lost = Object.entries(bugs).filter(([, edits]) =>
    edits.some(({ file, old, after = '' }) => {
      const source = readFileSync(`contracts/${file}`, 'utf8');
      return !source.slice(source.indexOf(after)).includes(old) || !source.includes(after);
    }),
  );
  expect(lost.map(([name]) => name)).toEqual([]);
});

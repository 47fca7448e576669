import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentErrorNames, hostErrorNames } from './error-names.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/actions.md'), 'utf8');

test('docs/actions.md explains every name of an error that can end a run', () => {
  const [, errors = ''] = /\n## Errors\n(.*?)\n## /s.exec(page) ?? [];
  const rows = errors.split('\n').filter((line) => line.startsWith('| '));
  const names = rows.flatMap((row) => [...row.matchAll(/`(\w+Error)`/g)].map(([, name = '']) => name));
  // The engine throws SyntaxError, also for an action.
  const known = [...hostErrorNames, ...environmentErrorNames, 'SyntaxError'];
  expect(names.toSorted()).toEqual(known.toSorted());
});

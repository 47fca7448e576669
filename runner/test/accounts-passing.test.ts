import { doesGrow } from '@latchkey/testing/heap';
import { expect, test } from 'vitest';
import { openPassings } from './accounts-passing.ts';

test.each(Object.entries(openPassings()))(
  'the memory of %s does not grow with their number',
  async (_, passing) => {
    expect(await doesGrow(passing)).toBe(false);
  },
  240_000,
);

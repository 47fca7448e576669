import { expect, test } from 'vitest';
import { closableMonths, endOf, nextMonth } from './months.ts';

test('a month can be closed from 35 days after its end on', () => {
  expect(closableMonths('2025-12', new Date('2026-03-07T23:59:59Z'))).toEqual(['2025-12']);
  expect(closableMonths('2025-12', new Date('2026-03-08T00:00:00Z'))).toEqual(['2025-12', '2026-01']);
  expect(closableMonths('2026-03', new Date('2026-03-08T00:00:00Z'))).toEqual([]);
});

test('a month ends where the next one begins', () => {
  expect(nextMonth('2025-12')).toBe('2026-01');
  expect(endOf('2026-02')).toBe('2026-03-01T00:00:00.000000Z');
});

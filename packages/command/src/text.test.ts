import { expect, test } from 'vitest';
import { oneLine, safeLines, toJson } from './text.ts';

/** An escape sequence, a line end, a turned direction, an invisible space, a tag and a C1 control. */
const HOSTILE = '\x1b[31mred\nnext\u202eback\u200b\u{e0041}\x9b';
const isSafe = (text: string) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text.replaceAll('\n', ''));

test('a line shows what a terminal would act on', () => {
  expect(oneLine(HOSTILE)).toBe('\\u{1b}[31mred\\u{a}next\\u{202e}back\\u{200b}\\u{e0041}\\u{9b}');
  expect(oneLine('name é 日本 😀')).toBe('name é 日本 😀');
  expect(safeLines('a\n\tb\r')).toBe('a\n\tb\\u{d}');
});

test('JSON is safe on a terminal, and has the same value', () => {
  const text = toJson({ name: HOSTILE, count: 5n, at: new Date(0) }, 2);
  expect(isSafe(text)).toBe(true);
  expect(JSON.parse(text)).toEqual({ name: HOSTILE, count: '5', at: '1970-01-01T00:00:00.000Z' });
  expect(toJson(undefined)).toBe('null');
});

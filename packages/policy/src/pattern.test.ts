import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkPattern, MAX_PATTERN_TEXT, matchesPattern } from './pattern.ts';
import { PatternError } from './pattern-parser.ts';

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\d',
  '[a-c0-3]',
  '(a|bc)',
  '(?:ab)',
  '\\.',
  '(a|)',
);
const piece = fc
  .tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}', '{1,}'))
  .map((parts) => parts.join(''));
const pattern = fc
  .array(fc.array(piece, { maxLength: 4 }), { minLength: 1, maxLength: 3 })
  .map((choices) => choices.map((pieces) => pieces.join('')).join('|'));
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '0', '9', '.', '\n', '😀'), maxLength: 8 });

test('decides as a regular expression over the whole text does', () => {
  fc.assert(
    fc.property(pattern, text, (source, value) => {
      expect(matchesPattern(source, value)).toBe(new RegExp(`^(?:${source})$`, 'u').test(value));
    }),
    { numRuns: 5_000 },
  );
});

test.each(['(a*)*b', '(a|a)*b', '(a|aa)+b', 'a*a*a*a*a*a*a*a*b', '(.*)*x'])(
  '%s takes time linear in the text',
  (source) => {
    const startedAt = performance.now();
    expect(matchesPattern(source, 'a'.repeat(MAX_PATTERN_TEXT))).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  },
);

describe('refuses', () => {
  test.each([
    'a{1001}',
    '(a{100}){100}',
    'a**',
    '^a',
    'a$',
    '(',
    ')',
    '[',
    '[a',
    'a\\',
    '\\b',
    '\\1',
    '(?=a)',
    '(?<n>a)',
    'a{2,1}',
    'a{x}',
    '*',
    '[b-a]',
    '{',
    '}',
    ']',
    '('.repeat(60),
  ])('%s', (source) => {
    expect(() => checkPattern(source)).toThrow(PatternError);
  });

  test('a text that is too long', () => {
    expect(() => matchesPattern('a*', 'a'.repeat(MAX_PATTERN_TEXT + 1))).toThrow(PatternError);
  });
});

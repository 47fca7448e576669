import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonLimitError, parseStrictJson } from './strict-json.ts';

test('parses every JSON value', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      expect(parseStrictJson(text)).toStrictEqual(JSON.parse(text));
    }),
    { numRuns: 2_000 },
  );
});

describe('a duplicate name is refused', () => {
  test.each([
    '{"a":1,"a":1}',
    '{"a":1,"b":2,"a":3}',
    '[{"x":{"a":1,"a":2}}]',
    '{"a":1,"\\u0061":2}',
    '{"":0,"":0}',
    '{"__proto__":1,"__proto__":2}',
    '{"1":1,"1":2}',
    '{"a:\\"b":1,"a:\\"b":2}',
  ])('%s', (text) => {
    expect(() => parseStrictJson(text)).toThrow('an object has a duplicate name');
  });

  test('at any depth of any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string(), fc.jsonValue(), (value, name, other) => {
        const twice = `{${JSON.stringify(name)}:0,${JSON.stringify(name)}:${JSON.stringify(other)}}`;
        const text = JSON.stringify([value, 'PLACE', value]).replace('"PLACE"', () => twice);
        expect(() => parseStrictJson(text)).toThrow('an object has a duplicate name');
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  '{"a":"\\":\\"","b":":"}',
  '{"constructor":1,"__proto__":{"a":":"}}',
  '{"a":{"b":1},"c":{"b":1}}',
  '"{\\"a\\":1,\\"a\\":1}"',
])('%s is accepted', (text) => {
  expect(JSON.stringify(parseStrictJson(text))).toBe(text);
});

test.each(['', '{', '{"a":1,}', "{'a':1}", '{a:1}', '1 2', '\u{feff}{}'])('%j is not JSON', (text) => {
  expect(() => parseStrictJson(text)).toThrow(SyntaxError);
});

test('depth does not exhaust the stack', () => {
  const depth = 5_000;
  const text = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  expect(() => parseStrictJson(text, { maxDepth: depth, maxMembers: depth })).not.toThrow();
});

describe('limits', () => {
  const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;

  test('accepts 100 levels and refuses 101 before parsing', () => {
    expect(() => parseStrictJson(nested(100))).not.toThrow();
    expect(() => parseStrictJson(`[${nested(100)}]`)).toThrow(JsonLimitError);
    // The text never closes, so only the limit can refuse it.
    expect(() => parseStrictJson('['.repeat(101))).toThrow('more than 100 levels');
  });

  const item = fc.constantFrom('[]', '{}', '[ ]', '1', '"x"', '"\\","', 'null', '-0.5e3');

  test.each([
    ['elements', (items: string[]) => `[${items.join(',')}]`],
    ['members', (items: string[]) => `{${items.map((value, i) => `"${i}" : ${value}`).join(' , ')}}`],
    ['both', (items: string[]) => `{"a":[${items.slice(1).join(',\n')}]}`],
  ])('counts %s exactly, and ignores strings', (_what, textOf) => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 2, maxLength: 50 }), (items) => {
        const text = textOf(items);
        const limits = { maxDepth: 100, maxMembers: items.length };
        expect(parseStrictJson(text, limits)).toStrictEqual(JSON.parse(text));
        expect(() => parseStrictJson(text, { ...limits, maxMembers: items.length - 1 })).toThrow(
          JsonLimitError,
        );
      }),
    );
  });

  test('accepts 100,000 members and refuses 100,001 before parsing', () => {
    const elements = (count: number) => `[${Array(count).fill('0').join(',')}`;
    expect(() => parseStrictJson(`${elements(100_000)}]`)).not.toThrow();
    expect(() => parseStrictJson(elements(100_001))).toThrow('more than 100000 members');
  });

  test('braces, commas and colons in strings are text', () => {
    const value = { a: '[[{,:'.repeat(200), 'b\\"]': '\\\\"[[' };
    const limits = { maxDepth: 1, maxMembers: 2 };
    expect(parseStrictJson(JSON.stringify(value), limits)).toStrictEqual(value);
  });
});

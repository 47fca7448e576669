import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseStrictJson } from './strict-json.ts';

test('every value of JSON', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      expect(parseStrictJson(text)).toStrictEqual(JSON.parse(text));
    }),
    { numRuns: 2_000 },
  );
});

describe('a name twice is refused', () => {
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
    expect(() => parseStrictJson(text)).toThrow('an object has a name twice');
  });

  test('anywhere in any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string(), fc.jsonValue(), (value, name, other) => {
        const twice = `{${JSON.stringify(name)}:0,${JSON.stringify(name)}:${JSON.stringify(other)}}`;
        const text = JSON.stringify([value, 'PLACE', value]).replace('"PLACE"', () => twice);
        expect(() => parseStrictJson(text)).toThrow('an object has a name twice');
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

test.each(['', '{', '{"a":1,}', "{'a':1}", '{a:1}', '1 2', '\u{feff}{}'])('%j is no JSON', (text) => {
  expect(() => parseStrictJson(text)).toThrow(SyntaxError);
});

test('depth does not exhaust the stack', () => {
  const depth = 5_000;
  const text = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  expect(() => parseStrictJson(text)).not.toThrow();
});

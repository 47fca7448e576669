import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Filtered, findIgnored, requireFilter } from './filter.ts';

const signature =
  'Moved(address indexed from, uint256 amount, (uint128 low, int8[] steps) parts, uint8[2] pair)';
const decoded = {
  arg0: '0x1111111111111111111111111111111111111111',
  arg1: '20000000000000000000',
  arg2: { low: '7', steps: [-1, 2] },
  arg3: [1, 2],
};
const input: Record<Filtered, Record<string, unknown>> = {
  webhook: {
    event: JSON.parse(
      '{"type":"push","n":5,"list":[{"a":1},{"a":2}],"own":{"__proto__":{"x":1}},"none":null}',
    ),
    form: { user_name: ['Ada'] },
    query: { tag: ['v1', 'v2'] },
    headers: { 'x-event': ['push'] },
  },
  chain_event: { event: { block_number: 7, decoded } },
  chain_block: { event: { block_number: 7, base_fee: '30000000000', balance: '20000000000000000000' } },
};
const ignored = (text: string, kind: Filtered = 'webhook', sent = input[kind]) =>
  findIgnored({ kind, config: { if: text, event_signature: signature } }, sent);

test('a trigger without an expression ignores nothing', () => {
  expect(findIgnored({ kind: 'webhook', config: {} }, {})).toBeUndefined();
});

describe('webhooks', () => {
  test.each([
    'event.type == "push" && event.n > 4',
    'event.list.exists(x, x.a == 2)',
    'event.list.filter(x, x.a > 1).size() == 1',
    'has(event.missing) || event.?missing.orValue("x") == "x"',
    'form.user_name[0].startsWith("A")',
    '"v2" in query.tag',
    'headers["x-event"][0] in ["push", "tag"]',
    'event.none == null',
    'int(event.n) % 2 == 1',
  ])('%s fires', (text) => {
    requireFilter('webhook', text);
    expect(ignored(text)).toBeUndefined();
    expect(ignored(`!(${text})`)).toEqual({});
  });

  test('fields that the delivery does not have are empty', () => {
    expect(ignored('size(form) == 0 && event == "text"', 'webhook', { event: 'text' })).toBeUndefined();
  });
});

test('arguments of logs are compared as integers of any size', () => {
  for (const text of [
    'args.amount > 19999999999999999999 && args.amount < 20000000000000000001',
    'args.arg1 == args.amount && args.parts.low == 7 && args.parts.steps[0] == -1 && args.pair[1] == 2',
    'args.from.lowerAscii() == "0x1111111111111111111111111111111111111111" && event.block_number >= 7',
  ]) {
    requireFilter('chain_event', text);
    expect(ignored(text, 'chain_event')).toBeUndefined();
  }
  expect(ignored('args.amount > 20000000000000000000', 'chain_event')).toEqual({});
});

test.each([
  ['event.missing == 1', 'No such key: missing'],
  ['event.n', 'the result is neither true nor false'],
  ['event.type > 1', /no such overload/],
])('%s is an error, and fires nothing', (text, error) => {
  expect(ignored(text)?.error).toMatch(error);
});

test('a macro looks at no event with many values', () => {
  const event = { list: Array(20_000).fill(1) };
  expect(ignored('event.list.all(x, x == 1)', 'webhook', { event })?.error).toMatch('too many values');
  expect(ignored('event.list.size() == 20000', 'webhook', { event })).toBeUndefined();
});

test('a log that cannot be decoded is an error', () => {
  const log = { event: { decoded: {} } };
  expect(ignored('args.amount > 1', 'chain_event', log)?.error).toMatch('No such key: amount');
});

describe('refuses', () => {
  test.each([
    ['event.n >', /Unexpected token: EOF, at character 10\./],
    ['event.n == 1 && other', /Unknown variable: other, at character 17\./],
    ['args.amount > 1', /Unknown variable: args, at character 1\./],
    ['1 + 1', /expected true or false, not int/],
    ['event.type.matches("(a+)+$")', /matches is not available, at character/],
    ['event.list.map(x, [x, x]).size() > 1', /map is not available/],
    ['cel.bind(a, [event, event], a == a)', /bind is not available/],
    [
      'event.list.all(x, event.list.all(y, x == y))',
      /only x can be used for each element, at character 19\./,
    ],
    ['event.list.all(x, x.list.all(y, x == y))', /only y can be used/],
    ['event.list.all(x, x in event.list)', /only x can be used/],
    ['event.type.split("").size() > 1', /split is not available/],
    [`event.n in [${Array(60).fill(1).join(', ')}]`, /limit|exceed/i],
    [Array(60).fill('event.n == 1').join(' || '), /limit|exceed/i],
    [`${'('.repeat(40)}true${')'.repeat(40)}`, /limit|exceed/i],
  ])('%s', (text, message) => {
    expect(() => requireFilter('webhook', text)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringMatching(message) }),
    );
  });
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('%s reaches no prototype', (name) => {
  for (const from of ['event', 'event.list', 'event.type', 'event.n', 'form', 'headers'])
    for (const text of [`${from}.${name} != null`, `${from}["${name}"] != null`, `has(${from}.${name})`]) {
      let isAccepted = true;
      try {
        requireFilter('webhook', text);
      } catch {
        isAccepted = false;
      }
      if (isAccepted) expect(ignored(text), text).toBeDefined();
    }
  expect(Object.prototype).not.toHaveProperty('x');
});

test('random texts are parsed or refused with 400, and never throw when they are evaluated', () => {
  const words = [
    'event',
    'args',
    '.',
    'list',
    'all',
    'exists',
    '(',
    ')',
    'x',
    ',',
    '==',
    '"a"',
    '1',
    '[',
    ']',
    '!',
    '?',
    ':',
    '-',
  ];
  const text = fc.oneof(
    fc.string({ maxLength: 50 }),
    fc.array(fc.constantFrom(...words), { maxLength: 14 }).map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(text, (each) => {
      try {
        requireFilter('webhook', each);
      } catch (error) {
        expect(error).toMatchObject({ status: 400 });
      }
      findIgnored({ kind: 'webhook', config: { if: each } }, input.webhook);
    }),
    { numRuns: 2_000 },
  );
});

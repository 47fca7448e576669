import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { peerPolicies } from '../test/peer-cases.ts';
import {
  ALICE,
  allow,
  allowMessage,
  allowTyped,
  BOB,
  deny,
  functions,
  PERMIT,
  TOKEN,
  TRANSFER,
} from '../test/requests.ts';
import { buildCode, CodeError, readCode } from './code.ts';
import { explainPolicy } from './explain.ts';
import { canonicalJson, PolicyFormatError, parsePolicy } from './parse.ts';

const parse = (...rules: object[]) => parsePolicy(JSON.parse(JSON.stringify({ version: 1, rules })));
const policies = peerPolicies.map(({ rules }) => JSON.parse(JSON.stringify({ version: 1, rules })));

/** Reorders the members of all objects. */
function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((element) => shuffled(element, seed));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, shuffled(member, seed)] as const);
  return Object.fromEntries(
    entries.sort(
      ([a], [b]) => ((a.length * 7 + seed) % 5) - ((b.length * 7 + seed) % 5) || (seed % 2 ? 1 : -1),
    ),
  );
}

describe('the code of a policy', () => {
  test('has the same bytes whatever the order of fields and of sets', () => {
    fc.assert(
      fc.property(fc.constantFrom(...policies), fc.nat(), (policy, seed) => {
        expect(buildCode(parsePolicy(shuffled(policy, seed)))).toBe(buildCode(parsePolicy(policy)));
      }),
    );
    const one = parse(allow({ to: [ALICE, BOB], chains: [10, 9] }));
    const same = parse(
      allow({ to: [BOB, ALICE.toUpperCase().replace('0X', '0x'), ALICE], chains: ['0x9', '10'] }),
    );
    expect(buildCode(same)).toBe(buildCode(one));
  });

  test('differs for policies that differ', () => {
    expect(new Set(policies.map((policy) => buildCode(parsePolicy(policy)))).size).toBe(policies.length);
    const order = [allow({ to: [ALICE] }), { ...allow({ to: [BOB] }), name: 'second' }] as const;
    expect(buildCode(parse(...order))).not.toBe(buildCode(parse(...order.toReversed())));
  });

  test('is decoded again, and its sentences are the same', () => {
    for (const policy of policies) {
      const parsed = parsePolicy(policy);
      const decoded = readCode(buildCode(parsed));
      expect(decoded).toEqual(parsed);
      expect(explainPolicy(decoded)).toBe(explainPolicy(parsed));
      // The canonical form is a policy too.
      expect(parsePolicy(JSON.parse(canonicalJson(parsed)))).toEqual(parsed);
    }
  });

  const code = buildCode(parse(allow({ to: [ALICE], value: { max: 5 } })));
  test.each([
    ['another statement', `${code}\nmain = () => 1;`],
    ['one byte less', code.slice(0, -1)],
    ['a space', code.replace('{"rules"', '{ "rules"')],
    ['another order of fields', code.replace('"max":"5"', '"max":"05"')],
    ['a policy that is none', code.replace('"max":"5"', '"max":"x"')],
    ['code in the policy', code.replace('"max":"5"', '"max":(globalThis.x = 1, "5")')],
    ['no policy', 'async function main() {}'],
  ])('is refused with %s', (_what, changed) => {
    expect(changed).not.toBe(code);
    expect(() => readCode(changed)).toThrow(CodeError);
  });
});

describe('a wrong policy is refused with the field', () => {
  const limit = (fields: object) => [{ name: 'a', of: 'count', max: 1, window: '1h', ...fields }];
  test.each<[string, unknown, string]>([
    ['nothing', null, 'the policy: '],
    ['another version', { version: 2, rules: [allow()] }, 'version: '],
    ['no rules', { version: 1, rules: [] }, 'rules: '],
    ['an unknown field', { version: 1, rules: [allow({ too: 1 })] }, 'rules.0: Unrecognized key: "too"'],
    ['an unknown kind', { version: 1, rules: [{ ...allow(), kind: 'solana' }] }, 'rules.0.kind: '],
    [
      'two rules of one name',
      { version: 1, rules: [allow(), allow()] },
      'rules.1.name: another rule is named "allow"',
    ],
    [
      'no chains',
      { version: 1, rules: [allow({ chains: undefined })] },
      'rules.0.chains: an allow rule must name it',
    ],
    [
      'no target',
      { version: 1, rules: [allow({ to: undefined })] },
      'rules.0.to: an allow rule must name it',
    ],
    ['no fee', { version: 1, rules: [allow({ fee: undefined })] }, 'rules.0.fee: an allow rule must name it'],
    ['a target and creation', { version: 1, rules: [allow({ create: true })] }, 'rules.0.create: '],
    [
      'a denied target and creation',
      { version: 1, rules: [deny({ to: [ALICE], create: true })] },
      'rules.0.create: ',
    ],
    ['no message', { version: 1, rules: [allowMessage({})] }, 'rules.0.text: an allow rule must name it'],
    ['no contracts', { version: 1, rules: [allowTyped({ contracts: undefined })] }, 'rules.0.contracts: '],
    ['no types', { version: 1, rules: [allowTyped({ types: undefined })] }, 'rules.0.types: '],
    [
      'a wrong address',
      { version: 1, rules: [allow({ to: ['0x12'] })] },
      'rules.0.to.0: expected an address',
    ],
    [
      'a wrong checksum',
      { version: 1, rules: [allow({ to: ['0x833589fcD6eDb6E08f4c7C32D4f71b54bdA02913'] })] },
      'rules.0.to.0: expected an address',
    ],
    [
      'a wrong amount',
      { version: 1, rules: [allow({ value: { max: '1 ether' } })] },
      'rules.0.value.max: expected an integer',
    ],
    [
      'a large amount',
      { version: 1, rules: [allow({ value: { max: `0x1${'0'.repeat(64)}` } })] },
      'rules.0.value.max: ',
    ],
    [
      'min above max',
      { version: 1, rules: [allow({ value: { min: 2, max: 1 } })] },
      'rules.0.value: min is more than max',
    ],
    ['an empty range', { version: 1, rules: [allow({ value: {} })] }, 'rules.0.value: expected min or max'],
    [
      'a wrong function',
      { version: 1, rules: [allow({ data: functions('transfer') })] },
      'rules.0.data.functions.0.function: ',
    ],
    [
      'another selector',
      {
        version: 1,
        rules: [allow({ data: { functions: [{ function: TRANSFER, selector: '0x00000000' }] } })],
      },
      'rules.0.data.functions.0.selector: the selector of transfer(address,uint256) is 0xa9059cbb',
    ],
    [
      'a path that does not exist',
      { version: 1, rules: [allow({ data: functions(TRANSFER, { path: 'amont', max: 1 }) })] },
      'rules.0.data.functions.0.args.0.path: "amont": there is no amont',
    ],
    [
      'an operator of another type',
      { version: 1, rules: [allow({ data: functions(TRANSFER, { path: 'to', max: 1 }) })] },
      'rules.0.data.functions.0.args.0.max: not an operator of address',
    ],
    [
      'a value of another type',
      { version: 1, rules: [allow({ data: functions(TRANSFER, { path: 'amount', equals: 'x' }) })] },
      'rules.0.data.functions.0.args.0.in.0: expected an integer',
    ],
    [
      'no operator',
      { version: 1, rules: [allow({ data: functions(TRANSFER, { path: 'amount' }) })] },
      'rules.0.data.functions.0.args.0: expected an operator',
    ],
    [
      'a wrong pattern',
      { version: 1, rules: [allowMessage({ text: { pattern: '(a' } })] },
      'rules.0.text.pattern: a group has no )',
    ],
    [
      'fields without types',
      { version: 1, rules: [allowTyped({ types: ['Permit'], fields: [{ path: 'value', max: 1 }] })] },
      'rules.0.fields: fields needs types',
    ],
    [
      'a type in another form',
      { version: 1, rules: [allowTyped({ types: [PERMIT.replace(',', ', ')] })] },
      'rules.0.types.0: not a type as EIP-712 encodes it',
    ],
    [
      'limits of a deny rule',
      { version: 1, rules: [deny({ limits: limit({}) })] },
      'rules.0.limits: only allow rules have limits',
    ],
    [
      'a limit of nothing',
      { version: 1, rules: [allow({ limits: limit({ of: 'sum' }) })] },
      'rules.0.limits.0.of: expected count',
    ],
    [
      'a limit of an address',
      { version: 1, rules: [allow({ data: functions(TRANSFER), limits: limit({ of: 'args.to' }) })] },
      'rules.0.limits.0.of: args.to is not of an unsigned integer',
    ],
    [
      'a limit per list',
      {
        version: 1,
        rules: [allow({ data: functions('pay(address[] to)'), limits: limit({ per: ['args.to[*]'] }) })],
      },
      'rules.0.limits.0.per.0: ',
    ],
    [
      'a window in years',
      { version: 1, rules: [allow({ limits: limit({ window: '2y' }) })] },
      'rules.0.limits.0.window: expected seconds',
    ],
    [
      'a window of two years',
      { version: 1, rules: [allow({ limits: limit({ window: '700d' }) })] },
      'rules.0.limits.0.window: longer than 366 days',
    ],
    [
      'one name of a limit with two sizes',
      {
        version: 1,
        rules: [allow({ limits: limit({}) }), { ...allow({ limits: limit({ max: 2 }) }), name: 'b' }],
      },
      'rules.1.limits.0: "a" of another rule has another max, window or per',
    ],
    [
      'an hour that is none',
      { version: 1, rules: [allow({ time: { hours: [{ from: '9:00', until: '17:00' }] } })] },
      'rules.0.time.hours.0.from: ',
    ],
    [
      'a time that ends before it begins',
      { version: 1, rules: [allow({ time: { from: 2, until: 1 } })] },
      'rules.0.time: from is not before until',
    ],
    ['an empty time', { version: 1, rules: [allow({ time: {} })] }, 'rules.0.time: '],
  ])('%s', (_what, policy, message) => {
    const value = JSON.parse(JSON.stringify(policy));
    expect(() => parsePolicy(value)).toThrow(PolicyFormatError);
    expect(() => parsePolicy(value)).toThrow(message);
  });
});

test('a function can be its JSON ABI', () => {
  const json = {
    type: 'function',
    name: 'pay',
    inputs: [
      {
        name: 'orders',
        type: 'tuple[]',
        components: [
          { name: 'to', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
      },
      { name: 'memo', type: 'string' },
    ],
    outputs: [],
    stateMutability: 'nonpayable',
  };
  const rule = (written: string | object) =>
    parse(
      allow({
        data: { functions: [{ function: written, args: [{ path: 'orders[*].to', equals: TOKEN }] }] },
      }),
    );
  expect(rule(json)).toEqual(rule('pay((address to, uint256 amount)[] orders, string memo)'));
});

test('numbers, times and windows have one form', () => {
  const [rule] = parse(
    allow({
      value: { max: '0x10' },
      time: { from: '2027-01-01T00:00:00+01:00', days: ['fri', 'mon', 'fri'] },
      limits: [{ name: 'a', of: 'value', max: 7, window: '2h' }],
    }),
  ).rules;
  expect(rule).toMatchObject({
    value: { max: '16' },
    time: { from: Date.UTC(2026, 11, 31, 23) / 1_000, days: ['mon', 'fri'] },
    limits: [{ max: '7', window: 7_200 }],
  });
});

test('sentences name every rule, condition and limit', () => {
  const text = explainPolicy(
    parse(
      { ...deny({ to: [BOB] }), name: 'no bob' },
      allow({
        chains: [1, 10],
        to: { not_in: [BOB] },
        value: { min: 1, max: 5 },
        data: functions(TRANSFER, { path: 'to', equals: 'wallet' }, { path: 'amount', max: 9 }),
        fee: { max: 100 },
        time: { until: 0x70000000, hours: [{ from: '09:00', until: '17:00' }] },
        limits: [{ name: 'daily', of: 'args.amount', max: 50, window: '24h', per: ['to'] }],
      }),
    ),
  );
  expect(text.split('\n')).toEqual([
    'A request is refused unless a rule allows it. A rule that denies wins over all others.',
    '',
    '1. "no bob": Denies signing or sending a transaction:',
    `   - to ${BOB}`,
    '',
    '2. "allow": Allows signing or sending a transaction:',
    '   - on the chain 1 or 10',
    `   - to: any but ${BOB}`,
    '   - with a value in wei of at least 1 and at most 5',
    '   - that calls transfer(address to,uint256 amount) where to is the wallet itself, and amount is at most 9',
    '   - with a highest fee in wei of at most 100',
    '   - of the type eip1559',
    '   - until 2029-07-18T05:49:52Z',
    '   - from 09:00 to 17:00 UTC',
    '   - at most 50 of the sum of args.amount in any day, for each to (limit "daily")',
  ]);
});

import fc from 'fast-check';
import { encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  ALICE,
  allow,
  allowMessage,
  allowTyped,
  BOB,
  call,
  deny,
  ETHER,
  EVE,
  functions,
  hash,
  message,
  PERMIT,
  permit,
  ROUTER,
  raw,
  send,
  sign,
  TOKEN,
  TRANSFER,
  transfer,
  typed,
  WALLET,
} from '../test/requests.ts';
import { type Decision, evaluate } from './evaluate.ts';
import { parsePolicy } from './parse.ts';
import { MAX_PATTERN_TEXT } from './pattern.ts';
import { readRequest } from './request.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const decide = (rules: object[], request: object, now = NOW): Decision => {
  const parsed = JSON.parse(JSON.stringify({ policy: { version: 1, rules }, request }));
  return evaluate(parsePolicy(parsed.policy), readRequest(parsed.request), now);
};
const isAllowed = (rules: object[], request: object, now?: number): boolean =>
  decide(rules, request, now).allowed;
const reasonOf = (rules: object[], request: object): string => {
  const decision = decide(rules, request);
  return decision.allowed ? 'allowed' : decision.reason;
};

/** A bound, and values at, next to and far from it. */
const around = (bits: number) => {
  const most = (1n << BigInt(bits)) - 1n;
  return fc.bigInt(0n, most).chain((bound) => {
    const near = [bound - 1n, bound, bound + 1n].filter((value) => value >= 0n && value <= most);
    return fc.record({
      bound: fc.constant(bound),
      value: fc.oneof(fc.constantFrom(...near), fc.bigInt(0n, most)),
    });
  });
};
const signedAmount = parseAbi(['function move(int256 amount)']);
const argument = (path: string, operators: object, name = TRANSFER) =>
  allow({ data: functions(name, { path, ...operators }) });

/** Each has a rule with a bound, and a request with a value. */
const bounded: [string, number, (bound: string) => object, (value: bigint) => object][] = [
  ['value', 256, (max) => allow({ value: { max } }), (value) => sign({ value: String(value) })],
  ['gas', 256, (max) => allow({ gas: { max } }), (gas) => sign({ gas: String(gas) })],
  ['gas of a sent transaction', 256, (max) => allow({ gas: { max } }), (gas) => send({ gas: String(gas) })],
  ['fee', 256, (max) => allow({ fee: { max } }), (fee) => sign({ gas: 1, maxFeePerGas: String(fee) })],
  [
    'fee per gas',
    256,
    (max) => allow({ max_fee_per_gas: { max } }),
    (fee) => sign({ maxFeePerGas: String(fee) }),
  ],
  [
    'gas price',
    256,
    (max) => allow({ max_fee_per_gas: { max }, types: ['legacy'] }),
    (fee) => sign({ maxFeePerGas: undefined, gasPrice: String(fee) }),
  ],
  [
    'priority fee',
    256,
    (max) => allow({ max_priority_fee_per_gas: { max } }),
    (fee) => sign({ maxPriorityFeePerGas: String(fee) }),
  ],
  ['nonce', 53, (max) => allow({ nonce: { max } }), (nonce) => sign({ nonce: String(nonce) })],
  [
    'parameter',
    256,
    (max) => argument('amount', { max }),
    (amount) => sign({ to: TOKEN, data: transfer(ALICE, amount) }),
  ],
  [
    'signed parameter',
    255,
    (max) => argument('amount', { max }, 'move(int256 amount)'),
    (amount) => sign({ data: encodeFunctionData({ abi: signedAmount, args: [amount] }) }),
  ],
  [
    'parameter inside of a call',
    256,
    (max) =>
      argument(
        'data',
        { call: [{ function: TRANSFER, args: [{ path: 'amount', max }] }] },
        'execute(address target,uint256 value,bytes data)',
      ),
    (amount) => sign({ data: call('execute', TOKEN, 0n, transfer(ALICE, amount)) }),
  ],
  [
    'each element',
    256,
    (max) => argument('amounts[*]', { max }, 'pay(address[] to,uint256[] amounts)'),
    (amount) => sign({ data: call('pay', [], [0n, amount]) }),
  ],
  [
    'typed value',
    256,
    (max) => allowTyped({ types: [PERMIT], fields: [{ path: 'value', max }] }),
    (value) => permit({ value: String(value) }),
  ],
  [
    'limit of value',
    256,
    (max) => allow({ limits: [{ name: 'a', of: 'value', max, window: '1h' }] }),
    (value) => sign({ value: String(value) }),
  ],
  [
    'limit of fee',
    256,
    (max) => allow({ limits: [{ name: 'a', of: 'fee', max, window: '1h' }] }),
    (fee) => sign({ gas: 1, maxFeePerGas: String(fee) }),
  ],
  [
    'limit of a parameter',
    256,
    (max) => ({
      ...argument('to', { equals: ALICE }),
      limits: [{ name: 'a', of: 'args.amount', max, window: '1h' }],
    }),
    (amount) => sign({ to: TOKEN, data: transfer(ALICE, amount) }),
  ],
  [
    'limit of a typed value',
    256,
    (max) => allowTyped({ types: [PERMIT], limits: [{ name: 'a', of: 'fields.value', max, window: '1h' }] }),
    (value) => permit({ value: String(value) }),
  ],
  [
    'length of a message',
    12,
    (max) => allowMessage({ text: { max_length: Number(max) } }),
    (length) => message('é'.repeat(Number(length))),
  ],
  [
    'length of bytes',
    12,
    (max) => allowMessage({ bytes: { max_length: Number(max) } }),
    (length) => raw(`0x${'ff'.repeat(Number(length))}`),
  ],
  [
    'length of an array',
    5,
    (max) => argument('amounts', { max_length: Number(max) }, 'pay(address[] to,uint256[] amounts)'),
    (length) => sign({ data: call('pay', [], Array(Number(length)).fill(1n)) }),
  ],
];

describe('accepts nothing above a bound, and everything up to it', () => {
  test.each(bounded)('%s', (_name, bits, ruleOf, requestOf) => {
    fc.assert(
      fc.property(around(bits), ({ bound, value }) => {
        expect(isAllowed([ruleOf(String(bound))], requestOf(value))).toBe(value <= bound);
      }),
      { numRuns: 300 },
    );
  });

  test('a value below min', () => {
    fc.assert(
      fc.property(around(256), ({ bound, value }) => {
        const rule = allow({ value: { min: String(bound) } });
        expect(isAllowed([rule], sign({ value: String(value) }))).toBe(value >= bound);
      }),
    );
  });

  test('a sum over the elements of a list', () => {
    const rule = {
      ...allow({ data: functions('pay(address[] to,uint256[] amounts)') }),
      limits: [{ name: 'a', of: 'args.amounts[*]', max: 100, window: '1h' }],
    };
    fc.assert(
      fc.property(fc.array(fc.bigInt(0n, 60n), { maxLength: 5 }), (amounts) => {
        const sum = amounts.reduce((total, amount) => total + amount, 0n);
        const decision = decide([rule], sign({ data: call('pay', [], amounts) }));
        expect(decision.allowed).toBe(sum <= 100n);
        if (decision.allowed)
          expect(decision.candidates[0]?.uses).toEqual(
            sum === 0n ? [] : [{ name: 'a', amount: String(sum), limit: '100', windowSeconds: 3_600 }],
          );
      }),
    );
  });
});

test('a fee is the gas times the highest price of it', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 50n), fc.bigInt(0n, 50n), fc.bigInt(0n, 2_500n), (gas, price, max) => {
      const rules = [allow({ fee: { max: String(max) } })];
      expect(isAllowed(rules, sign({ gas: String(gas), maxFeePerGas: String(price) }))).toBe(
        gas * price <= max,
      );
      expect(isAllowed(rules, send({ gas: String(gas), maxFeePerGas: String(price) }))).toBe(
        gas * price <= max,
      );
    }),
  );
});

test('hours begin with their first minute and end before their last', () => {
  const minute = fc.integer({ min: 0, max: 1_439 });
  const text = (value: number) =>
    `${String(Math.floor(value / 60)).padStart(2, '0')}:${String(value % 60).padStart(2, '0')}`;
  fc.assert(
    fc.property(minute, minute, minute, fc.constantFrom(-1, 0, 1), (from, until, other, next) => {
      fc.pre(from !== until);
      const rules = [allow({ time: { hours: [{ from: text(from), until: text(until) }] } })];
      for (const at of [other, (until + next + 1_440) % 1_440, (from + next + 1_440) % 1_440]) {
        const isIn = from < until ? at >= from && at < until : at >= from || at < until;
        expect(isAllowed(rules, sign(), Date.UTC(2026, 5, 1) + 60_000 * at + 59_999)).toBe(isIn);
      }
    }),
  );
});

describe('an allow rule allows only what it names', () => {
  const strict = {
    name: 'strict',
    effect: 'allow',
    kind: 'transaction',
    chains: [1],
    to: [ALICE],
    fee: 'any',
  };
  test('a plain call without value', () => {
    expect(decide([strict], sign())).toEqual({ allowed: true, candidates: [{ rule: 'strict', uses: [] }] });
  });

  test.each([
    ['value', sign({ value: 1 }), 'value 1 is more than 0'],
    ['data', sign({ data: '0x00' }), 'the length of data 1 is more than 0'],
    ['a legacy transaction', sign({ maxFeePerGas: undefined, gasPrice: 1 }), 'the type legacy is not listed'],
    ['an access list', sign({ accessList: [{ address: ALICE, storageKeys: [] }] }), 'access list'],
    ['creation', sign({ to: null }), 'creates a contract'],
    ['another chain', sign({ chainId: 2 }), 'chainId 2 is not listed'],
    ['a message', message('a'), 'no rule for message'],
    ['a hash', hash(), 'no rule for hash'],
  ])('%s is refused', (_what, request, reason) => {
    expect(reasonOf([strict], request)).toMatch(reason);
  });

  test('creation has a rule of its own', () => {
    const create = { ...allow({ to: undefined, create: true }), name: 'create' };
    expect(isAllowed([create], sign({ to: undefined, data: '0x6000' }))).toBe(true);
    expect(isAllowed([create], sign())).toBe(false);
    expect(reasonOf([deny({ create: true }), create], sign({ to: null }))).toMatch('"deny" denies it');
  });

  test('the evaluator refuses what a policy does not name, also without the checks of parsePolicy', () => {
    const bare = { version: 1, rules: [{ name: 'a', effect: 'allow' }] } as never as {
      version: 1;
      rules: [{ kind: string }];
    };
    for (const [kind, request] of [
      ['transaction', sign()],
      ['message', message('a')],
      ['typed_data', permit()],
      ['hash', hash()],
      ['authorization', { kind: 'authorization', pkpId: WALLET, chainId: 1, contract: ALICE, nonce: 0 }],
    ] as const) {
      bare.rules[0].kind = kind;
      expect(evaluate(bare as never, readRequest(request), NOW).allowed, kind).toBe(false);
    }
  });
});

describe('a deny rule that cannot be decided denies', () => {
  test.each([
    [
      'a call that is not canonical',
      deny({ data: functions(TRANSFER, { path: 'amount', min: 10 }) }),
      sign({ data: `${transfer(ALICE, 1n)}00` }),
    ],
    ['a fee that the service chooses', deny({ fee: { min: 10 } }), send()],
    ['a nonce that the service chooses', deny({ nonce: { min: 10 } }), send()],
    [
      'a text that is too long for a pattern',
      { name: 'deny', effect: 'deny', kind: 'message', text: { pattern: '.*evil.*' } },
      message('a'.repeat(MAX_PATTERN_TEXT + 1)),
    ],
  ])('%s', (_what, rule, request) => {
    const all = [allow(), { ...allowMessage({ bytes: 'any' }), name: 'messages' }];
    expect(isAllowed(all, request)).toBe(true);
    expect(reasonOf([...all, rule], request)).toMatch('the rule "deny" denies it: ');
  });
});

test('a message is its exact bytes', () => {
  const request = readRequest(message(' é '));
  expect(request).toMatchObject({ bytes: '0x20c3a920', text: ' é ' });
  expect(isAllowed([allowMessage({ text: { equals: ' é ' } })], message(' é '))).toBe(true);
  expect(isAllowed([allowMessage({ text: { equals: 'é' } })], message(' é '))).toBe(false);
});

test.each([
  ['uint8', '255', true],
  ['uint8', '256', false],
  ['int8', '-128', true],
  ['int8', '-129', false],
  ['int8', '128', false],
  ['bytes4', '0x12345678', true],
  ['bytes4', '0x1234567800', false],
  ['uint8[2]', ['1', '2'], true],
  ['uint8[2]', ['1'], false],
])('a typed value of %s can be %j: %s', (type, value, fits) => {
  const request = typed({
    domain: {},
    types: { T: [{ name: 'a', type }] },
    primaryType: 'T',
    message: { a: value },
  });
  if (fits) expect(readRequest(request)).toMatchObject({ message: { a: value } });
  else expect(() => readRequest(request)).toThrow('message.a');
});

test('the same bytes as text and in hex are the same message for a deny rule', () => {
  const rules = [
    allowMessage({ bytes: 'any' }),
    { name: 'deny', effect: 'deny', kind: 'message', text: { contains: 'evil' } },
  ];
  expect(isAllowed(rules, message('an evil text'))).toBe(false);
  expect(isAllowed(rules, raw('an evil text'))).toBe(false);
  expect(isAllowed(rules, message('a text'))).toBe(true);
});

describe('the rule that decides', () => {
  const rules = [
    {
      ...allow({ value: { max: 10 } }),
      name: 'small',
      limits: [{ name: 'small', of: 'count', max: 2, window: 60 }],
    },
    {
      ...allow({ value: { max: 20 } }),
      name: 'large',
      limits: [{ name: 'large', of: 'value', max: 20, window: '1d', per: ['chain', 'to'] }],
    },
  ];
  test('is the first that allows it; the others follow', () => {
    expect(decide(rules, sign({ value: 5 }))).toEqual({
      allowed: true,
      candidates: [
        { rule: 'small', uses: [{ name: 'small', amount: '1', limit: '2', windowSeconds: 60 }] },
        {
          rule: 'large',
          uses: [{ name: `large/1/${ALICE}`, amount: '5', limit: '20', windowSeconds: 86_400 }],
        },
      ],
    });
  });

  test('is named in a refusal, with the reason of each', () => {
    expect(reasonOf(rules, sign({ value: 21 }))).toBe(
      'no rule allows it: "small": value 21 is more than 10; "large": value 21 is more than 20',
    );
    expect(decide([...rules, deny({ to: [EVE] })], sign({ to: EVE }))).toEqual({
      allowed: false,
      rule: 'deny',
      reason: 'the rule "deny" denies it',
    });
  });
});

describe('typed data', () => {
  const any = [allowTyped()];
  const base = permit() as unknown as { types: { Permit: object[] }; message: object; domain: object };
  test.each([
    [
      'a type of the domain that leaves a field out',
      { ...base, types: { ...base.types, EIP712Domain: [{ name: 'name', type: 'string' }] } },
      'EIP712Domain',
    ],
    [
      'an unused type',
      { ...base, types: { ...base.types, Other: [{ name: 'a', type: 'bool' }] } },
      'which the primaryType does not use',
    ],
    ['a missing field', { ...base, message: { owner: WALLET } }, 'message.spender is missing'],
    [
      'an unknown type',
      { ...base, types: { Permit: [{ name: 'a', type: 'uint7' }] }, message: { a: 1 } },
      'is not known',
    ],
    [
      'a type with the name of an elementary one',
      { ...base, types: { ...base.types, address: [{ name: 'a', type: 'bool' }] } },
      'wrong name',
    ],
    [
      'a field named __proto__',
      {
        ...base,
        types: { Permit: [{ name: '__proto__', type: 'bool' }] },
        message: JSON.parse('{"__proto__":true}'),
      },
      'is not a name',
    ],
    [
      'a field twice',
      {
        ...base,
        types: {
          Permit: [
            { name: 'a', type: 'bool' },
            { name: 'a', type: 'bool' },
          ],
        },
      },
      'two fields',
    ],
    ['an unknown field of the domain', { ...base, domain: { chain: 1 } }, 'unknown field chain'],
    ['an empty version', { ...base, domain: { version: '' } }, 'domain.version is empty'],
    ['a number as text with spaces', permit({ value: ' 1' }), 'message.value is not a quantity'],
    ['a number in another form', permit({ value: '1e3' }), 'message.value is not a quantity'],
    ['a boolean as a number', permit({ value: true }), 'message.value is not a quantity'],
  ])('with %s is refused', (_what, request, reason) => {
    expect(() => decide(any, request)).toThrow(reason);
  });

  test('has its own type of the domain when that is the one of its fields', () => {
    const EIP712Domain = [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ];
    expect(isAllowed(any, { ...base, types: { ...base.types, EIP712Domain } })).toBe(true);
  });

  test('can have a type that contains itself, to a depth', () => {
    const node = (depth: number): object => (depth === 0 ? { next: [] } : { next: [node(depth - 1)] });
    const recursive = (depth: number) =>
      typed({
        domain: { chainId: 1 },
        types: { Node: [{ name: 'next', type: 'Node[]' }] },
        primaryType: 'Node',
        message: node(depth),
      });
    const rules = [
      allowTyped({ types: ['Node(Node[] next)'], fields: [{ path: 'next[0].next', max_length: 0 }] }),
    ];
    expect(isAllowed(rules, recursive(1))).toBe(true);
    expect(isAllowed(rules, recursive(2))).toBe(false);
    expect(() => decide(rules, recursive(100))).toThrow('nested too deeply');
  });
});

test('decides as a model does about random transactions', () => {
  const addresses = [ALICE, BOB, EVE];
  const set = fc.oneof(
    fc.constant('any'),
    fc.subarray(addresses, { minLength: 1 }),
    fc.record({ not_in: fc.subarray(addresses, { minLength: 1 }) }),
  ) as fc.Arbitrary<'any' | string[] | { not_in: string[] }>;
  const rule = fc.record({
    effect: fc.constantFrom('allow', 'allow', 'deny'),
    to: set,
    max: fc.integer({ min: 0, max: 5 }),
    kind: fc.constantFrom('transaction', 'sign_transaction', 'send_transaction'),
  });
  const request = fc.record({
    to: fc.constantFrom(...addresses, null),
    value: fc.integer({ min: 0, max: 6 }),
    isSent: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(rule, { minLength: 1, maxLength: 5 }), request, (rules, { to, value, isSent }) => {
      const written = rules.map(({ effect, to: targets, max, kind }, index) => ({
        ...(effect === 'allow' ? allow() : deny()),
        name: `${index}`,
        kind,
        to: targets,
        value: { max },
      }));
      const fits = ({ to: targets, max, kind }: (typeof rules)[number]) =>
        to !== null &&
        (targets === 'any' ||
          (Array.isArray(targets) ? targets.includes(to) : !targets.not_in.includes(to))) &&
        value <= max &&
        (kind === 'transaction' || (kind === 'send_transaction') === isSent);
      const model =
        rules.some((entry) => entry.effect === 'allow' && fits(entry)) &&
        !rules.some((entry) => entry.effect === 'deny' && fits(entry));
      expect(isAllowed(written, (isSent ? send : sign)({ to, value }))).toBe(model);
    }),
    { numRuns: 3_000 },
  );
});

test('never throws another error than RequestError, whatever a stranger sends', () => {
  const rules = [
    allow({ data: functions(TRANSFER, { path: 'amount', max: 5 }) }),
    { ...allowTyped({ types: [PERMIT], fields: [{ path: 'value', max: 5 }] }), name: 'typed' },
    { ...allowMessage({ text: { pattern: 'a*' } }), name: 'message' },
  ];
  const mutable = [
    sign({ to: TOKEN, data: transfer(ALICE, 1n) }),
    permit(),
    message('aa'),
    send({ to: ROUTER, value: String(ETHER) }),
  ];
  const paths = (value: unknown): string[][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) => [
          [key],
          ...paths(member).map((path) => [key, ...path]),
        ])
      : [];
  fc.assert(
    fc.property(fc.constantFrom(...mutable), fc.nat(), fc.jsonValue(), (request, at, value) => {
      const changed = structuredClone(request) as Record<string, unknown>;
      const places = paths(changed);
      const path = places[at % places.length] as string[];
      let target = changed;
      for (const key of path.slice(0, -1)) target = target[key] as Record<string, unknown>;
      target[path.at(-1) as string] = value;
      try {
        decide(rules, changed);
      } catch (error) {
        expect((error as Error).name).toBe('RequestError');
      }
    }),
    { numRuns: 3_000 },
  );
});

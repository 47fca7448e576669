import fc from 'fast-check';
import {
  type AbiEvent,
  type AbiParameter,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  keccak256,
  pad,
  toHex,
} from 'viem';
import { describe, expect, test } from 'vitest';
import { type Decoded, decodeLog, parseEventSignature, toTopic0 } from './event-signature.ts';

const TRANSFER = keccak256(toHex('Transfer(address,address,uint256)'));

describe('parseEventSignature', () => {
  test.each([
    'Transfer(address indexed from, address indexed to, uint256 value)',
    'event Transfer(address indexed from, address indexed to, uint256 value)',
    '  event   Transfer ( address indexed from,address indexed to,\n uint256 value ) ;',
    'Transfer(address,address,uint256)',
    'Transfer(address indexed, address, uint)',
  ])('parses %s', (signature) => {
    expect(toTopic0(parseEventSignature(signature))).toBe(TRANSFER);
  });

  test.each([
    [
      'Made((address owner, uint256[] ids) indexed order, bytes4[2][] tags)',
      'Made((address,uint256[]),bytes4[2][])',
    ],
    ['Made(tuple(address owner, tuple(bool, string) inner)[] orders)', 'Made((address,(bool,string))[])'],
    ['Empty()', 'Empty()'],
  ])('parses %s', (signature, canonical) => {
    expect(toTopic0(parseEventSignature(signature))).toBe(keccak256(toHex(canonical)));
  });

  test('parses an event of an ABI', () => {
    const inputs = [
      { name: 'from', type: 'address', internalType: 'address', indexed: true },
      { name: 'to', type: 'address', indexed: true },
      { name: 'value', type: 'uint256' },
    ];
    const item = { type: 'event', name: 'Transfer', inputs, anonymous: false };
    for (const abi of [item, [item]]) {
      const event = parseEventSignature(` ${JSON.stringify(abi)}`);
      expect([toTopic0(event), event.inputs.map(({ indexed }) => indexed === true)]).toEqual([
        TRANSFER,
        [true, true, false],
      ]);
    }
    const order = { name: 'order', type: 'tuple[]', components: [{ name: 'owner', type: 'address' }] };
    const made = parseEventSignature(JSON.stringify({ type: 'event', name: 'Made', inputs: [order] }));
    expect(toTopic0(made)).toBe(keccak256(toHex('Made((address)[])')));
  });

  test.each([
    ['Moved(IERC20 indexed token, uint256 value)', 'IERC20 is a type of the contract: write address'],
    ['Moved(State state)', 'uint8 for an enum'],
    ['Moved((Order order)[] orders)', 'a tuple such as (uint256 id, address owner) for a struct'],
    ['Moved(uint indexed, uint indexed, uint indexed, uint indexed)', 'at most 3 indexed parameters'],
    ['{"type":"function","name":"f","inputs":[]}', 'expected an ABI with one event'],
    ['[{"type":"event","name":"A","inputs":[]},{"type":"event","name":"B","inputs":[]}]', 'with one event'],
    ['[]', 'expected an ABI with one event'],
  ])('rejects %s and says why', (signature, reason) => {
    expect(() => parseEventSignature(signature)).toThrow(reason);
  });

  test.each([
    '{"type":"event"}',
    '{"type":"event","name":"A","inputs":[{}]}',
    '{"type":"event","name":"A","inputs":[null]}',
    '{"type":"event","name":"A(uint256) anonymous; event B","inputs":[]}',
    '{"type":"event","name":1,"inputs":{}}',
    '{',
    '',
    'Transfer',
    'Transfer(address',
    'Transfer(adress from)',
    'Transfer(uint7 from)',
    'Transfer(bytes33 from)',
    'Transfer((uint7 a) from)',
    'function transfer(address to)',
    'Transfer(address from) anonymous',
    'Transfer(address from); Other(address to)',
  ])('rejects %s', (signature) => {
    expect(() => parseEventSignature(signature)).toThrow();
  });
});

const A = `0x${'aa'.repeat(20)}` as const;
const CHECKED = '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa';

describe('indexed arguments', () => {
  const data = (types: string, values: unknown[]) =>
    encodeAbiParameters(
      types.split(' ').map((type) => ({ type })),
      values,
    );

  test('are those marked indexed, in any position', () => {
    const event = parseEventSignature(
      'Paid(uint256 amount, address indexed to, uint256 fee, uint256 indexed id)',
    );
    const topics = [pad(A), pad('0x07')];
    expect(decodeLog(event, { topics, data: data('uint256 uint256', [5n, 6n]) })).toEqual({
      arg0: '5',
      arg1: CHECKED,
      arg2: '6',
      arg3: '7',
      amount: '5',
      to: CHECKED,
      fee: '6',
      id: '7',
    });
  });

  test('are inferred from the topics when none is marked', () => {
    const event = parseEventSignature('Transfer(address,address,uint256)');
    const decoded = { arg0: CHECKED, arg1: CHECKED, arg2: '9' };
    expect(decodeLog(event, { topics: [pad(A), pad(A)], data: data('uint256', [9n]) })).toEqual(decoded);
    expect(decodeLog(event, { topics: [], data: data('address address uint256', [A, A, 9n]) })).toEqual(
      decoded,
    );
    expect(decodeLog(event, { topics: [pad(A), pad(A), pad('0x09')], data: '0x' })).toEqual(decoded);
  });

  test('skip positions whose encoding would not be canonical', () => {
    const event = parseEventSignature('Named(string name, uint256 id, bool isOld)');
    const topics = [pad('0x01')];
    const log = { topics, data: data('string uint256', ['a', 2n ** 200n]) };
    expect(decodeLog(event, log)).toMatchObject({ arg0: 'a', arg1: (2n ** 200n).toString(), arg2: true });
  });

  test('are inferred when the signature does not match the log', () => {
    const event = parseEventSignature('Transfer(address indexed from, address indexed to, uint256 value)');
    const topics = [pad(A), pad(A), pad('0x09')];
    expect(decodeLog(event, { topics, data: '0x' })).toMatchObject({
      from: CHECKED,
      to: CHECKED,
      value: '9',
    });
  });

  test('are empty when nothing matches', () => {
    const event = parseEventSignature('Transfer(address,address,uint256)');
    expect(decodeLog(event, { topics: [], data: '0x1234' })).toEqual({});
  });

  test('argN takes precedence over a name, and NUL is replaced', () => {
    const event = parseEventSignature('Odd(uint8 arg1, string text)');
    const log = { topics: [], data: data('uint8 string', [1, 'a\0b']) };
    expect(decodeLog(event, log)).toEqual({ arg0: 1, arg1: 'a\uFFFDb', text: 'a\uFFFDb' });
  });
});

/** A type, with a value as encoders accept it and as `decodeLog` returns it. */
type Sample = { parameter: AbiParameter; written: string; value: unknown; shown: unknown; isHashed: boolean };

const hexOfLength = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes): Hex => toHex(bytes));
const elementary: fc.Arbitrary<Sample> = fc.oneof(
  fc.integer({ min: 1, max: 32 }).chain((words) =>
    fc.boolean().chain((isSigned) => {
      const bits = BigInt(words * 8);
      const [min, max] = isSigned ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n];
      return fc.bigInt({ min, max }).map((number) => {
        const isSmall = bits <= 48n;
        return createSample(
          `${isSigned ? '' : 'u'}int${bits}`,
          isSmall ? Number(number) : number,
          isSmall ? Number(number) : `${number}`,
        );
      });
    }),
  ),
  fc.boolean().map((value) => createSample('bool', value, value)),
  fc
    .integer({ min: 1, max: 32 })
    .chain((length) => hexOfLength(length).map((hex) => createSample(`bytes${length}`, hex, hex))),
  fc.constant(createSample('address', A, CHECKED)),
  fc.uint8Array({ maxLength: 70 }).map((bytes) => createSample('bytes', toHex(bytes), toHex(bytes), true)),
  fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .map((text) => createSample('string', text, text.replaceAll('\0', '\uFFFD'), true)),
);
function createSample(type: string, value: unknown, shown: unknown, isHashed = false): Sample {
  return { parameter: { type }, written: type, value, shown, isHashed };
}

const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    elementary,
    // Arrays repeat one value.
    fc
      .record({ of: tie('sample'), length: fc.integer({ min: 0, max: 3 }), isFixed: fc.boolean() })
      .map(({ of, length, isFixed }) => {
        const suffix = isFixed ? `[${length || 1}]` : '[]';
        const items = Array.from({ length: isFixed ? length || 1 : length });
        return {
          parameter: { ...of.parameter, type: `${of.parameter.type}${suffix}` },
          written: `${of.written}${suffix}`,
          value: items.map(() => of.value),
          shown: items.map(() => of.shown),
          isHashed: true,
        };
      }),
    fc
      .record({ of: fc.array(tie('sample'), { minLength: 1, maxLength: 3 }), isNamed: fc.boolean() })
      .map(({ of, isNamed }) => {
        const name = (index: number) => (isNamed ? { name: `m${index}` } : {});
        const all = (pick: (each: Sample) => unknown) =>
          isNamed ? Object.fromEntries(of.map((each, index) => [`m${index}`, pick(each)])) : of.map(pick);
        return {
          parameter: {
            type: 'tuple',
            components: of.map(({ parameter }, index) => ({ ...parameter, ...name(index) })),
          },
          written: `(${of.map(({ written }, index) => (isNamed ? `${written} m${index}` : written)).join(', ')})`,
          value: all(({ value }) => value),
          shown: all(({ shown }) => shown),
          isHashed: true,
        };
      }),
  ),
}));

/** An event with values, of which at most three are indexed. */
const emitted = fc
  .array(fc.record({ sample, isIndexed: fc.boolean(), isNamed: fc.boolean() }), { maxLength: 6 })
  .map((all) => {
    let left = 3;
    return all.map(({ sample, isIndexed, isNamed }, position) => ({
      ...sample,
      name: isNamed ? `p${position}` : '',
      isIndexed: isIndexed && left-- > 0,
    }));
  });
type Argument = Sample & { name: string; isIndexed: boolean };

/** Encodes the log with viem. */
function encodeLog(all: readonly Argument[]): { topic0: Hex; topics: Hex[]; data: Hex } {
  const inputs = all.map(({ parameter, isIndexed }, index) => ({
    ...parameter,
    name: `a${index}`,
    indexed: isIndexed,
  }));
  const abi: AbiEvent = { type: 'event', name: 'Event', inputs };
  const args = all.flatMap(({ isIndexed, value, isHashed }) => (isIndexed ? [isHashed ? null : value] : []));
  const [topic0, ...topics] = encodeEventTopics({ abi: [abi], eventName: 'Event', args }) as (Hex | null)[];
  const rest = all.filter(({ isIndexed }) => !isIndexed);
  return {
    topic0: topic0 as Hex,
    topics: topics.map((topic, index) => topic ?? keccak256(toHex(index))),
    data:
      rest.length === 0
        ? '0x'
        : encodeAbiParameters(
            rest.map(({ parameter }) => parameter),
            rest.map(({ value }) => value),
          ),
  };
}

function expected(all: readonly Argument[]): Decoded {
  let topic = 0;
  const shown = all.map(({ isIndexed, isHashed, shown }) => {
    const hash = keccak256(toHex(topic));
    if (isIndexed) topic++;
    return isIndexed && isHashed ? hash : shown;
  });
  return Object.fromEntries([
    ...shown.map((value, position) => [`arg${position}`, value]),
    ...all.flatMap(({ name }, position) => (name ? [[name, shown[position]]] : [])),
  ]);
}

const numRuns = Number(process.env.SIGNATURE_RUNS ?? 300);

test('decodes every event that viem encodes', () => {
  fc.assert(
    fc.property(emitted, (all) => {
      const written = all.map(({ written, isIndexed, name }) =>
        [written, isIndexed ? 'indexed' : '', name].filter(Boolean).join(' '),
      );
      const event = parseEventSignature(`Event(${written.join(',')})`);
      const { topic0, topics, data } = encodeLog(all);
      expect(toTopic0(event)).toBe(topic0);
      expect(decodeLog(event, { topics, data })).toEqual(expected(all));
    }),
    { numRuns },
  );
});

test('decodes leading indexed arguments without indexed in the signature', () => {
  fc.assert(
    fc.property(emitted, fc.integer({ min: 0, max: 3 }), (all, count) => {
      const leading = all.map((each, position) => ({ ...each, isIndexed: position < count }));
      const written = leading.map(({ written, name }) => [written, name].filter(Boolean).join(' '));
      const event = parseEventSignature(`Event(${written.join(',')})`);
      const { topics, data } = encodeLog(leading);
      expect(decodeLog(event, { topics, data })).toEqual(expected(leading));
    }),
    { numRuns },
  );
});

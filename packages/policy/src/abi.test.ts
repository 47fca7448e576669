import fc from 'fast-check';
import { type AbiParameter, encodeAbiParameters, type Hex, parseAbiItem, toFunctionSelector } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  AbiError,
  type AbiMember,
  type AbiType,
  type AbiValue,
  decodeParameters,
  functionText,
  parseFunction,
  selectorText,
  typeText,
} from './abi.ts';

/** A type with a value of it. */
type Sample = { type: AbiType; value: AbiValue };

const word = (bits: number) => fc.bigInt(0n, (1n << BigInt(bits)) - 1n);
const hexOfLength = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const elementary: fc.Arbitrary<Sample> = fc.oneof(
  fc
    .integer({ min: 1, max: 32 })
    .chain((n) => word(8 * n).map((value): Sample => ({ type: { kind: 'uint', bits: 8 * n }, value }))),
  fc
    .integer({ min: 1, max: 32 })
    .chain((n) =>
      word(8 * n).map(
        (value): Sample => ({ type: { kind: 'int', bits: 8 * n }, value: BigInt.asIntN(8 * n, value) }),
      ),
    ),
  hexOfLength(20).map((value): Sample => ({ type: { kind: 'address' }, value })),
  fc.boolean().map((value): Sample => ({ type: { kind: 'bool' }, value })),
  fc
    .string({ unit: 'grapheme', maxLength: 70 })
    .map((value): Sample => ({ type: { kind: 'string' }, value })),
  fc
    .integer({ min: 0, max: 70 })
    .chain((n) => hexOfLength(n).map((value): Sample => ({ type: { kind: 'bytes' }, value }))),
  fc
    .integer({ min: 1, max: 32 })
    .chain((n) => hexOfLength(n).map((value): Sample => ({ type: { kind: 'fixed', length: n }, value }))),
);
/** Values of one type: the first sample's, repeated. */
const arrayOf = (of: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  fc.tuple(of, fc.integer({ min: 1, max: 3 }), fc.boolean()).map(([{ type, value }, length, isDynamic]) => ({
    type: { kind: 'array', of: type, length: isDynamic ? undefined : length },
    value: Array<AbiValue>(length).fill(value),
  }));
const tupleOf = (of: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  fc.array(of, { minLength: 1, maxLength: 3 }).map((members) => ({
    type: { kind: 'tuple', members: members.map(({ type }, index) => ({ name: `m${index}`, type })) },
    value: members.map(({ value }) => value),
  }));
const level1 = fc.oneof({ weight: 3, arbitrary: elementary }, arrayOf(elementary), tupleOf(elementary));
const sample = fc.oneof({ weight: 2, arbitrary: level1 }, arrayOf(level1), tupleOf(level1));
const parameters = fc.array(sample, { minLength: 1, maxLength: 4 });

function toViem(name: string, type: AbiType): AbiParameter {
  if (type.kind === 'array') {
    const inner = toViem(name, type.of);
    return { ...inner, type: `${inner.type}[${type.length ?? ''}]` };
  }
  if (type.kind === 'tuple')
    return {
      name,
      type: 'tuple',
      components: type.members.map((member) => toViem(member.name, member.type)),
    };
  return { name, type: typeText(type) };
}
/** viem takes structs with names as objects. */
function valueForViem(type: AbiType, value: AbiValue): unknown {
  if (type.kind === 'array') return (value as AbiValue[]).map((element) => valueForViem(type.of, element));
  if (type.kind === 'tuple')
    return Object.fromEntries(
      type.members.map((member, index) => [
        member.name,
        valueForViem(member.type, (value as AbiValue[])[index] as AbiValue),
      ]),
    );
  const isSmall = (type.kind === 'uint' || type.kind === 'int') && type.bits <= 48;
  return isSmall ? Number(value) : value;
}
const encode = (samples: Sample[]): Hex =>
  encodeAbiParameters(
    samples.map(({ type }, index) => toViem(`p${index}`, type)),
    samples.map(({ type, value }) => valueForViem(type, value)),
  );
const membersOf = (samples: Sample[]): AbiMember[] =>
  samples.map(({ type }, index) => ({ name: `p${index}`, type }));

describe('decodeParameters', () => {
  test('returns what viem encoded', () => {
    fc.assert(
      fc.property(parameters, (samples) => {
        expect(decodeParameters(membersOf(samples), encode(samples))).toEqual(
          samples.map(({ value }) => value),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('accepts no other bytes for the same values: each changed bit gives other values or an error', () => {
    fc.assert(
      fc.property(parameters, fc.nat(), fc.integer({ min: 0, max: 7 }), (samples, at, bit) => {
        const bytes = Buffer.from(encode(samples).slice(2), 'hex');
        bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ (1 << bit);
        let decoded: AbiValue[];
        try {
          decoded = decodeParameters(membersOf(samples), `0x${bytes.toString('hex')}`);
        } catch (error) {
          expect(error).toBeInstanceOf(AbiError);
          return;
        }
        const again = samples.map(({ type }, index) => ({ type, value: decoded[index] as AbiValue }));
        expect(encode(again)).toBe(`0x${bytes.toString('hex')}`);
      }),
      { numRuns: 2_000 },
    );
  });

  test('refuses bytes that are missing or follow', () => {
    fc.assert(
      fc.property(parameters, fc.integer({ min: 1, max: 64 }), (samples, count) => {
        const encoded = encode(samples);
        expect(() => decodeParameters(membersOf(samples), `${encoded}${'00'.repeat(count)}`)).toThrow(
          AbiError,
        );
        const cut = Math.max(2, encoded.length - 2 * count);
        expect(() => decodeParameters(membersOf(samples), encoded.slice(0, cut))).toThrow(AbiError);
      }),
      { numRuns: 300 },
    );
  });

  const bytesMembers = parseFunction('f(bytes a, bytes b)').inputs;
  const w = (value: number | string) =>
    typeof value === 'number' ? value.toString(16).padStart(64, '0') : value.padEnd(64, '0');
  test.each([
    ['shared tails', w(64) + w(64) + w(1) + w('aa')],
    ['tails in another order', w(128) + w(64) + w(1) + w('aa') + w(1) + w('bb')],
    ['a gap before the tails', w(96) + w(160) + w(0) + w(1) + w('aa') + w(1) + w('bb')],
    ['padding that is not zero', w(64) + w(128) + w(1) + w('aabb') + w(1) + w('bb')],
    ['a length beyond the bytes', w(64) + w(128) + w(1) + w('aa') + w('ff'.repeat(32))],
  ])('refuses %s', (_what, hex) => {
    expect(() => decodeParameters(bytesMembers, `0x${hex}`)).toThrow(AbiError);
  });

  test('refuses a long array before it makes room for it', () => {
    const members = parseFunction('f(uint256[] a)').inputs;
    expect(() => decodeParameters(members, `0x${w(32)}${w('ff'.repeat(32))}`)).toThrow(
      'longer than the bytes',
    );
  });
});

describe('parseFunction', () => {
  test.each([
    ['transfer(address to, uint256 amount)', 'transfer(address to,uint256 amount)'],
    [
      'function transfer(address to, uint amount) external returns (bool)',
      'transfer(address to,uint256 amount)',
    ],
    ['f()', 'f()'],
    [
      'f((uint256 a, (bytes32[2][] b) c)[] orders, string memory name)',
      'f((uint256 a,(bytes32[2][] b) c)[] orders,string name)',
    ],
    ['f(tuple(uint256 a) order)', 'f((uint256 a) order)'],
  ])('%s is %s, with the selector of viem', (text, canonical) => {
    const abi = parseFunction(text);
    expect(functionText(abi)).toBe(canonical);
    expect(functionText(parseFunction(canonical))).toBe(canonical);
    const item = parseAbiItem(text.includes('function') ? text : `function ${text.replace('tuple', '')}`);
    expect(toFunctionSelector(selectorText(abi))).toBe(toFunctionSelector(item as never));
  });

  test.each([
    '',
    'transfer',
    'transfer(address',
    'f(uint7 a)',
    'f(uint264 a)',
    'f(bytes33 a)',
    'f(bytes0 a)',
    'f(foo a)',
    'f(uint256[0] a)',
    'f(uint256 a, uint256 a)',
    'f(() a)',
    'f(uint256 1a)',
    'f(a b c d)',
    'f(uint08 a)',
    'f(uint256) { evil }',
    'f(address a))',
  ])('refuses "%s"', (text) => {
    expect(() => parseFunction(text)).toThrow(AbiError);
  });
});

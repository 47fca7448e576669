/** Types of the ABI, and a decoder that accepts only the encoding that every encoder makes. */
import { bytesOf, hexOf, textOf } from './values.ts';

export type AbiType =
  | { kind: 'uint' | 'int'; bits: number }
  | { kind: 'address' | 'bool' | 'string' | 'bytes' }
  | { kind: 'fixed'; length: number }
  | { kind: 'array'; of: AbiType; length: number | undefined }
  | { kind: 'tuple'; members: AbiMember[] };
export type AbiMember = { name: string; type: AbiType };
export type AbiFunction = { name: string; inputs: AbiMember[] };

/** A decoded value: addresses and bytes in hex, integers as bigint. */
export type AbiValue = string | boolean | bigint | AbiValue[];

export class AbiError extends Error {
  override readonly name = 'AbiError';
}

const MAX_DEPTH = 16;
const NAME = /^[A-Za-z_$][\w$]{0,99}$/;

/** Splits a list at the commas outside of its parentheses. */
function split(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < list.length; i++) {
    if (list[i] === '(') depth++;
    else if (list[i] === ')') depth--;
    else if (list[i] === ',' && depth === 0) {
      parts.push(list.slice(start, i));
      start = i + 1;
    }
  }
  return list.trim() === '' ? [] : [...parts, list.slice(start)];
}

/** Returns the type without its names, as selectors and EIP-712 have it. */
export function typeText(type: AbiType): string {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return `${type.kind}${type.bits}`;
    case 'fixed':
      return `bytes${type.length}`;
    case 'array':
      return `${typeText(type.of)}[${type.length ?? ''}]`;
    case 'tuple':
      return `(${type.members.map((member) => typeText(member.type)).join(',')})`;
    default:
      return type.kind;
  }
}

/** Returns an elementary type, undefined for another word. */
export function elementary(word: string): AbiType | undefined {
  if (word === 'address' || word === 'bool' || word === 'string' || word === 'bytes') return { kind: word };
  const [, kind, size = ''] = /^(u?int|bytes)(\d{0,3})$/.exec(word) ?? [];
  if (kind === undefined || size.startsWith('0')) return undefined;
  if (kind === 'bytes') return Number(size) <= 32 ? { kind: 'fixed', length: Number(size) } : undefined;
  const bits = size === '' ? 256 : Number(size);
  return bits % 8 === 0 && bits <= 256 ? { kind: kind as 'uint' | 'int', bits } : undefined;
}

/** Wraps a type into the arrays of a suffix like `[2][]`. */
export function arraysOf(of: AbiType, suffix: string): AbiType {
  let type = of;
  for (const [, length = ''] of suffix.matchAll(/\[(\d*)\]/g)) {
    if (length !== '' && !/^[1-9]\d{0,3}$/.test(length))
      throw new AbiError(`wrong length of an array: ${length}`);
    type = { kind: 'array', of: type, length: length === '' ? undefined : Number(length) };
  }
  return type;
}

function parseMember(text: string, depth: number): AbiMember {
  if (depth > MAX_DEPTH) throw new AbiError(`tuples are nested deeper than ${MAX_DEPTH}`);
  const trimmed = text.trim();
  const end = trimmed.lastIndexOf(')') + 1;
  const [, word = '', suffix = '', name = ''] =
    /^([a-z0-9]*)((?:\[\d*\])*)(?: +(?:(?:memory|calldata|payable) +)*(\S+))?$/.exec(trimmed.slice(end)) ??
    [];
  const isTuple = end > 0;
  const tuple = isTuple ? /^(?:tuple)? *\((.*)\)$/s.exec(trimmed.slice(0, end))?.[1] : undefined;
  const base =
    tuple === undefined ? elementary(word) : { kind: 'tuple' as const, members: parseMembers(tuple, depth) };
  const isWrong = isTuple ? tuple === undefined || word !== '' : false;
  if (!base || isWrong || (name !== '' && !NAME.test(name)))
    throw new AbiError(`"${trimmed}" is not a type and a name`);
  if (base.kind === 'tuple' && base.members.length === 0) throw new AbiError('a tuple has no members');
  return { name, type: arraysOf(base, suffix) };
}

function parseMembers(list: string, depth: number): AbiMember[] {
  const members = split(list).map((part) => parseMember(part, depth + 1));
  const names = members.map(({ name }) => name).filter((name) => name !== '');
  if (new Set(names).size < names.length) throw new AbiError('two parameters have the same name');
  return members;
}

/** Parses `[function ]transfer(address to,uint256 amount)`. Text after the parameters is ignored. Throws `AbiError`. */
export function parseFunction(text: string): AbiFunction {
  const [, name = '', rest = ''] = /^\s*(?:function\s+)?([A-Za-z_$][\w$]{0,99})\s*(\(.*)$/s.exec(text) ?? [];
  let depth = 0;
  let end = -1;
  for (let i = 0; i < rest.length && end < 0; i++) {
    if (rest[i] === '(') depth++;
    else if (rest[i] === ')' && --depth === 0) end = i;
  }
  const after = rest.slice(end + 1).trim();
  if (end < 0 || !/^((external|public|payable|view|pure|nonpayable|returns *\([^;]*\)) *)*;?$/.test(after))
    throw new AbiError(`"${text}" is not a function: write it as "transfer(address to, uint256 amount)"`);
  return { name, inputs: parseMembers(rest.slice(1, end), 0) };
}

const memberText = ({ name, type }: AbiMember): string => {
  const nameText = name === '' ? '' : ` ${name}`;
  return `${namedText(type)}${nameText}`;
};
function namedText(type: AbiType): string {
  if (type.kind === 'tuple') return `(${type.members.map(memberText).join(',')})`;
  if (type.kind === 'array') return `${namedText(type.of)}[${type.length ?? ''}]`;
  return typeText(type);
}

/** Returns the function with the names of its parameters, which `parseFunction` reads. */
export const functionText = ({ name, inputs }: AbiFunction): string =>
  `${name}(${inputs.map(memberText).join(',')})`;

/** Returns the text whose hash begins with the selector. */
export const selectorText = ({ name, inputs }: AbiFunction): string =>
  `${name}${typeText({ kind: 'tuple', members: inputs })}`;

function isDynamic(type: AbiType): boolean {
  if (type.kind === 'array') return type.length === undefined || isDynamic(type.of);
  if (type.kind === 'tuple') return type.members.some((member) => isDynamic(member.type));
  return type.kind === 'string' || type.kind === 'bytes';
}

function headBytes(type: AbiType): number {
  if (isDynamic(type)) return 32;
  if (type.kind === 'array') return (type.length as number) * headBytes(type.of);
  if (type.kind === 'tuple') return type.members.reduce((sum, member) => sum + headBytes(member.type), 0);
  return 32;
}

/**
 * Decodes the parameters of a call, without its selector. Throws `AbiError` unless the bytes are exactly the canonical encoding: no
 * extra bytes, no shared or reordered tails, and no bits outside of a value.
 */
export function decodeParameters(inputs: AbiMember[], hex: string): AbiValue[] {
  const bytes = bytesOf(hex);
  const [values, end] = decodeSequence(
    inputs.map(({ type }) => type),
    bytes,
    0,
  );
  if (end !== bytes.length) throw new AbiError(`${bytes.length - end} bytes follow the parameters`);
  return values;
}

const word = (bytes: Uint8Array, at: number): Uint8Array => {
  if (at + 32 > bytes.length) throw new AbiError('the bytes end before the parameters do');
  return bytes.subarray(at, at + 32);
};
const integer = (bytes: Uint8Array, at: number): bigint => BigInt(hexOf(word(bytes, at)));

/** Decodes values whose heads begin at `base` and whose tails follow the heads in their order. Returns them and their end. */
function decodeSequence(types: AbiType[], bytes: Uint8Array, base: number): [AbiValue[], number] {
  let head = base;
  let tail = base + types.reduce((sum, type) => sum + headBytes(type), 0);
  if (tail > bytes.length) throw new AbiError('the bytes end before the parameters do');
  const values = types.map((type) => {
    if (!isDynamic(type)) {
      const [value, end] = decodeValue(type, bytes, head);
      head = end;
      return value;
    }
    if (integer(bytes, head) !== BigInt(tail - base))
      throw new AbiError('an offset is not the canonical one');
    head += 32;
    const [value, end] = decodeValue(type, bytes, tail);
    tail = end;
    return value;
  });
  return [values, tail];
}

function decodeValue(type: AbiType, bytes: Uint8Array, at: number): [AbiValue, number] {
  switch (type.kind) {
    case 'array': {
      const { length } = type;
      const count = length ?? integer(bytes, at);
      const start = length === undefined ? at + 32 : at;
      if (BigInt(count) * BigInt(headBytes(type.of)) > BigInt(bytes.length - start))
        throw new AbiError('an array is longer than the bytes');
      return decodeSequence(Array<AbiType>(Number(count)).fill(type.of), bytes, start);
    }
    case 'tuple':
      return decodeSequence(
        type.members.map((member) => member.type),
        bytes,
        at,
      );
    case 'string':
    case 'bytes':
      return decodeBytes(type.kind, bytes, at);
    default:
      return [decodeWord(type, word(bytes, at)), at + 32];
  }
}

function decodeBytes(kind: 'string' | 'bytes', bytes: Uint8Array, at: number): [AbiValue, number] {
  const length = integer(bytes, at);
  if (length > BigInt(bytes.length)) throw new AbiError(`a ${kind} is longer than the bytes`);
  const start = at + 32;
  const end = start + Number(length);
  const padded = start + 32 * Math.ceil(Number(length) / 32);
  if (padded > bytes.length) throw new AbiError('the bytes end before the parameters do');
  if (bytes.subarray(end, padded).some((byte) => byte !== 0))
    throw new AbiError(`the padding of a ${kind} is not zero`);
  const content = bytes.subarray(start, end);
  const value = kind === 'bytes' ? hexOf(content) : textOf(content);
  if (value === undefined) throw new AbiError('a string is not UTF-8');
  return [value, padded];
}

function decodeWord(
  type: Exclude<AbiType, { kind: 'array' } | { kind: 'tuple' }>,
  bytes: Uint8Array,
): AbiValue {
  const value = BigInt(hexOf(bytes));
  const hex = hexOf(bytes);
  const fail = (): never => {
    throw new AbiError(`${hex} is not the encoding of a value of ${typeText(type)}`);
  };
  switch (type.kind) {
    case 'uint':
      return value >> BigInt(type.bits) === 0n ? value : fail();
    case 'int': {
      const signed = BigInt.asIntN(256, value);
      return BigInt.asIntN(type.bits, signed) === signed ? signed : fail();
    }
    case 'bool':
      return value <= 1n ? value === 1n : fail();
    case 'fixed':
      return /^0*$/.test(hex.slice(2 + 2 * type.length)) ? hex.slice(0, 2 + 2 * type.length) : fail();
    default:
      return value >> 160n === 0n ? `0x${hex.slice(26)}` : fail();
  }
}

/** Typed data (EIP-712) of a request: checked against its own types, with each value in one form. */
import { AbiError, type AbiMember, type AbiType, type AbiValue, arraysOf, elementary } from './abi.ts';
import {
  isRecord,
  RequestError,
  readAddress,
  readBytes,
  readInteger,
  readObject,
  readQuantity,
  readText,
} from './values.ts';

export type Field = { name: string; type: string };
type Domain = {
  name?: string;
  version?: string;
  /** Decimal. */
  chainId?: string;
  verifyingContract?: string;
  salt?: string;
};

export type TypedData = {
  domain: Domain;
  /** Only the types that the primary type uses. */
  types: Record<string, Field[]>;
  primaryType: string;
  message: Record<string, unknown>;
  /** `Mail(Person from,…)Person(…)`, as EIP-712 encodes the type. */
  encodedType: string;
  members: AbiMember[];
  values: AbiValue[];
};

/** `__proto__` would not be a member of an object. */
const NAME = /^(?!__proto__$)[A-Za-z_$][\w$:.-]{0,99}$/;
const MAX_TYPES = 50;
const MAX_DEPTH = 30;
const DOMAIN_FIELDS: Field[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
];

export type Types = Map<string, Field[]>;

/** Returns the types that `name` uses, itself first and the others in their order. Throws `RequestError`. */
function usedTypes(types: Types, name: string): string[] {
  const found = new Set<string>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    if (found.size > MAX_TYPES) throw new RequestError(`more than ${MAX_TYPES} types are used`);
    for (const { type } of types.get(next) ?? []) {
      const base = baseOf(type);
      if (types.has(base)) waiting.push(base);
      else if (!elementary(base) || base === 'uint' || base === 'int')
        throw new RequestError(`the type ${type.slice(0, 100)} is not known`);
    }
  }
  found.delete(name);
  return [name, ...[...found].sort()];
}

const baseOf = (type: string): string => type.replace(/(\[\d*\])+$/, '');

/** Returns the text of a type as EIP-712 encodes it. */
export const encodeType = (types: Types, name: string): string =>
  usedTypes(types, name)
    .map(
      (used) =>
        `${used}(${(types.get(used) ?? []).map(({ type, name: field }) => `${type} ${field}`).join(',')})`,
    )
    .join('');

function readFields(value: unknown, name: string): Field[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > 100)
    throw new RequestError(`types.${name} is not a list of 1 to 100 fields`);
  const fields = value.map((entry, index): Field => {
    const field = readObject(entry, `types.${name}.${index}`, ['name', 'type']);
    const read = {
      name: readText(field.name, `types.${name}.${index}.name`),
      type: readText(field.type, 'type'),
    };
    if (!/^(?!__proto__$)[A-Za-z_$][\w$]{0,99}$/.test(read.name))
      throw new RequestError(`types.${name}.${index}.name is not a name`);
    return read;
  });
  if (new Set(fields.map((field) => field.name)).size < fields.length)
    throw new RequestError(`types.${name} has two fields of the same name`);
  return fields;
}

function readTypes(value: unknown): Types {
  if (!isRecord(value)) throw new RequestError('types is not an object');
  const names = Object.keys(value);
  if (names.length > MAX_TYPES) throw new RequestError(`types has more than ${MAX_TYPES} types`);
  for (const name of names)
    if (!NAME.test(name) || elementary(name))
      throw new RequestError(`types has the wrong name ${name.slice(0, 100)}`);
  return new Map(names.map((name) => [name, readFields(value[name], name)]));
}

function readDomain(value: unknown): Domain {
  const domain = readObject(
    value,
    'domain',
    DOMAIN_FIELDS.map(({ name }) => name),
  );
  const { name, version, chainId, verifyingContract, salt } = domain;
  if (version === '') throw new RequestError('domain.version is empty');
  return {
    ...(name !== undefined && { name: readText(name, 'domain.name') }),
    ...(version !== undefined && { version: readText(version, 'domain.version') }),
    ...(chainId !== undefined && { chainId: String(readQuantity(chainId, 'domain.chainId')) }),
    ...(verifyingContract !== undefined && {
      verifyingContract: readAddress(verifyingContract, 'domain.verifyingContract'),
    }),
    ...(salt !== undefined && { salt: readBytes(salt, 'domain.salt', 32) }),
  };
}

/** The type of the domain must be the one that its fields have: another one would make another domain of the same values. */
function requireDomainType(fields: Field[], domain: Domain): void {
  const expected = DOMAIN_FIELDS.filter(({ name }) => Object.hasOwn(domain, name));
  if (JSON.stringify(fields.map(({ name, type }) => ({ name, type }))) !== JSON.stringify(expected))
    throw new RequestError('types.EIP712Domain is not the type of the domain: leave it out');
}

/** Returns the members of a struct. A struct that contains itself has members that are made when they are read. */
export function structMembers(types: Types, name: string): AbiMember[] {
  return (types.get(name) ?? []).map((field) => {
    let made: AbiType | undefined;
    return {
      name: field.name,
      get type() {
        made ??= typeOfField(types, field.type);
        return made;
      },
    };
  });
}

function typeOfField(types: Types, type: string): AbiType {
  const base = baseOf(type);
  const of: AbiType | undefined = types.has(base)
    ? { kind: 'tuple', members: structMembers(types, base) }
    : elementary(base);
  if (!of) throw new RequestError(`the type ${type.slice(0, 100)} is not known`);
  return arraysOf(of, type.slice(base.length));
}

/** Returns the value for conditions, and the same value as it is signed. */
function readValue(type: AbiType, value: unknown, field: string, depth: number): [AbiValue, unknown] {
  if (depth > MAX_DEPTH) throw new RequestError(`${field} is nested too deeply`);
  const same = <T extends AbiValue>(read: T): [T, T] => [read, read];
  switch (type.kind) {
    case 'uint':
    case 'int': {
      const read = type.kind === 'uint' ? readQuantity(value, field) : readInteger(value, field);
      const fits = type.kind === 'uint' ? BigInt.asUintN(type.bits, read) : BigInt.asIntN(type.bits, read);
      if (fits !== read) throw new RequestError(`${field} does not fit into ${type.kind}${type.bits}`);
      return [read, String(read)];
    }
    case 'address':
      return same(readAddress(value, field));
    case 'bool':
      if (typeof value !== 'boolean') throw new RequestError(`${field} is not a boolean`);
      return same(value);
    case 'string':
      return same(readText(value, field));
    case 'bytes':
      return same(readBytes(value, field));
    case 'fixed':
      return same(readBytes(value, field, type.length));
    case 'array': {
      if (!Array.isArray(value)) throw new RequestError(`${field} is not an array`);
      if (type.length !== undefined && value.length !== type.length)
        throw new RequestError(`${field} does not have ${type.length} elements`);
      const read = value.map((element, index) =>
        readValue(type.of, element, `${field}[${index}]`, depth + 1),
      );
      return [read.map(([element]) => element), read.map(([, element]) => element)];
    }
    case 'tuple':
      return readStruct(type.members, value, field, depth + 1);
  }
}

function readStruct(
  members: AbiMember[],
  value: unknown,
  field: string,
  depth: number,
): [AbiValue[], Record<string, unknown>] {
  const struct = readObject(
    value,
    field,
    members.map(({ name }) => name),
  );
  const read = members.map(({ name, type }) => {
    if (!Object.hasOwn(struct, name)) throw new RequestError(`${field}.${name} is missing`);
    return { name, value: readValue(type, struct[name], `${field}.${name}`, depth) };
  });
  return [
    read.map(({ value: [compared] }) => compared),
    Object.fromEntries(read.map(({ name, value: [, signed] }) => [name, signed])),
  ];
}

/** Throws `RequestError` for typed data that is malformed, or whose values have another form than their types. */
export function readTypedData(request: Record<string, unknown>): TypedData {
  const domain = readDomain(request.domain);
  const types = readTypes(request.types);
  const domainType = types.get('EIP712Domain');
  if (domainType) requireDomainType(domainType, domain);
  types.delete('EIP712Domain');
  const primaryType = readText(request.primaryType, 'primaryType');
  if (!types.has(primaryType)) throw new RequestError('types does not have the primaryType');
  const used = usedTypes(types, primaryType);
  const unused = [...types.keys()].find((name) => !used.includes(name));
  if (unused !== undefined) throw new RequestError(`types has ${unused}, which the primaryType does not use`);
  try {
    const members = structMembers(types, primaryType);
    const [values, message] = readStruct(members, request.message, 'message', 0);
    return {
      domain,
      types: Object.fromEntries(types),
      primaryType,
      message,
      encodedType: encodeType(types, primaryType),
      members,
      values,
    };
  } catch (error) {
    if (error instanceof AbiError) throw new RequestError(error.message);
    throw error;
  }
}

/** Parses event signatures and decodes logs. */
import { formatAbiItem } from 'abitype';
import {
  type AbiEvent,
  type AbiParameter,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  parseAbiItem,
  toEventSelector,
} from 'viem';

type EventParameter = AbiEvent['inputs'][number];

/** Log of an event. `topics` excludes topic0. */
type Emitted = { topics: readonly Hex[]; data: Hex };

/** JSON values. Integers of more than 48 bits are decimal strings, tuples with named fields are objects. */
export type Decoded = Record<string, unknown>;

/**
 * Parses a signature such as `Transfer(address indexed from, address, uint256 value)`, with or without `event`. Tuples are written
 * `(type name, …)` or `tuple(…)`. Also parses an ABI in JSON. Throws an error of viem or abitype for malformed signatures and anonymous events, which have no
 * topic0.
 */
export function parseEventSignature(signature: string): AbiEvent {
  const text = (/^\s*[[{]/.test(signature) ? signatureFromAbi(signature) : signature)
    .replace(/\s+/g, ' ')
    .replace(/\btuple ?\(/g, '(')
    .replace(/ ?([(),]) ?/g, (_, mark: string) => (mark === ')' ? ') ' : mark))
    .replace(/ (?=[),[])/g, '')
    .trim()
    .replace(/ ?;$/, '')
    .replace(/^event /, '');
  const [, ownType] = /[(,]([A-Z][\w.]*)[ ,)[]/.exec(text) ?? [];
  if (ownType !== undefined)
    throw new TypeError(
      `${ownType} is a type of the contract: write address for a contract or interface, uint8 for an enum, a tuple such as (uint256 id, address owner) for a struct, or the type that it stands for`,
    );
  const item = parseAbiItem(`event ${text}`) as AbiEvent;
  // parseAbiItem accepts unknown types.
  for (const { type, ...input } of item.inputs) requireKnownType({ ...input, type });
  if (item.inputs.filter(({ indexed }) => indexed).length > MAX_INDEXED)
    throw new TypeError(`an event has at most ${MAX_INDEXED} indexed parameters`);
  return item;
}

/** Throws for an elementary type that the ABI does not have, such as uint7. */
function requireKnownType(parameter: AbiParameter): void {
  const base = parameter.type.replace(/(\[\d*\])+$/, '');
  if ('components' in parameter) for (const component of parameter.components) requireKnownType(component);
  else if (!ELEMENTARY.test(base)) throw new TypeError(`${base} is not an ABI type`);
}

/** Nodes index three topics after topic0. */
const MAX_INDEXED = 3;

/** Returns the signature in an ABI, which has the event alone or in a list. */
function signatureFromAbi(text: string): string {
  const [item, ...others] = [JSON.parse(text)].flat() as AbiEvent[];
  if (item?.type !== 'event' || others.length > 0) throw new TypeError('expected an ABI with one event');
  return formatAbiItem(item);
}

const BITS = Array.from({ length: 32 }, (_, index) => 8 * (index + 1)).join('|');
const BYTES = Array.from({ length: 32 }, (_, index) => index + 1).join('|');
const ELEMENTARY = new RegExp(`^(address|bool|string|function|u?int(${BITS})|bytes(${BYTES})?)$`);

export const toTopic0 = (event: AbiEvent): Hex => toEventSelector(event);

/**
 * Decodes the arguments of a log as `arg0`, `arg1`, … and by their names. Uses the indexed positions of the signature when their
 * number matches the topics of the log. Otherwise uses the first combination of positions whose canonical encoding equals the log.
 * An indexed value that is stored as a hash (string, bytes, array, tuple) decodes to the hash. Returns {} when nothing matches.
 */
export function decodeLog({ inputs }: AbiEvent, { topics, data }: Emitted): Decoded {
  const declared = inputs.flatMap(({ indexed }, position) => (indexed ? [position] : []));
  if (declared.length === topics.length) {
    const values = decodeArguments(inputs, declared, { topics, data });
    if (values) return withNames(inputs, values);
  }
  for (const positions of combinations(inputs.length, topics.length)) {
    const values = decodeArguments(inputs, positions, { topics, data }, true);
    if (values) return withNames(inputs, values);
  }
  return {};
}

const isHashed = ({ type }: AbiParameter) => /^(string|bytes|tuple.*|.*\])$/.test(type);

/**
 * Decodes the arguments: the positions in `indexed` from the topics, the others from the data. Returns undefined on failure. `strict`
 * requires the canonical encoding.
 */
function decodeArguments(
  inputs: readonly EventParameter[],
  indexed: readonly number[],
  { topics, data }: Emitted,
  strict = false,
): unknown[] | undefined {
  const values = new Array<unknown>(inputs.length);
  try {
    for (const [index, position] of indexed.entries()) {
      const input = inputs[position] as EventParameter;
      const topic = topics[index] as Hex;
      values[position] = isHashed(input) ? topic : decode([input], topic, strict)[0];
    }
    const positions = inputs.flatMap((_, position) => (indexed.includes(position) ? [] : [position]));
    const inData = decode(
      positions.map((position) => inputs[position] as EventParameter),
      data,
      strict,
    );
    for (const [index, position] of positions.entries()) values[position] = inData[index];
    return values;
  } catch {
    return undefined;
  }
}

function decode(parameters: readonly AbiParameter[], data: Hex, strict: boolean): readonly unknown[] {
  const values = parameters.length === 0 && data === '0x' ? [] : decodeAbiParameters(parameters, data);
  if (strict && encodeAbiParameters(parameters, values) !== data.toLowerCase())
    throw new TypeError('not canonically encoded');
  return values;
}

/** Yields all combinations of `count` positions below `length`, in lexicographic order. */
function* combinations(length: number, count: number, from = 0): Generator<number[]> {
  if (count === 0) yield [];
  else
    for (let first = from; first + count <= length; first++)
      for (const rest of combinations(length, count - 1, first + 1)) yield [first, ...rest];
}

function withNames(inputs: readonly EventParameter[], values: readonly unknown[]): Decoded {
  const plain = values.map(toJson);
  return Object.fromEntries([
    ...inputs.flatMap(({ name }, position) => (name ? [[name, plain[position]]] : [])),
    ...plain.map((value, position) => [`arg${position}`, value]),
  ]);
}

/** Returns decoded arguments by position and by name, with integers as bigints, without those that are absent. */
export function toArguments({ inputs }: AbiEvent, decoded: Decoded): Record<string, unknown> {
  return Object.fromEntries(
    inputs.flatMap((input, position) => {
      const value = decoded[`arg${position}`] ?? decoded[input.name ?? ''];
      if (value === undefined) return [];
      const plain = toBigInts(input, value);
      return [[`arg${position}`, plain], ...(input.name ? [[input.name, plain]] : [])];
    }),
  );
}

function toBigInts(parameter: AbiParameter, value: unknown): unknown {
  const { type } = parameter;
  if (Array.isArray(value) && type.endsWith(']')) {
    const element = { ...parameter, type: type.replace(/\[\d*\]$/, '') };
    return value.map((each) => toBigInts(element, each));
  }
  if ('components' in parameter && typeof value === 'object' && value !== null) {
    const fields = parameter.components.map((component, position) => {
      const key = Array.isArray(value) ? position : (component.name ?? '');
      return [key, toBigInts(component, (value as Record<string, unknown>)[key])] as const;
    });
    return Array.isArray(value) ? fields.map(([, field]) => field) : Object.fromEntries(fields);
  }
  return /^u?int\d*$/.test(type) ? BigInt(value as string | number) : value;
}

function toJson(value: unknown): unknown {
  // NUL is replaced by U+FFFD, like bytes that are not UTF-8.
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]));
  return value;
}

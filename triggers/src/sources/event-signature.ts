/** Events of any contract: their signatures as people write them, and their logs decoded. */
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

/** `topics` without topic0. */
type Emitted = { topics: readonly Hex[]; data: Hex };

/** Values of JSON: integers of more than 48 bits are decimal strings, tuples with names objects. */
export type Decoded = Record<string, unknown>;

/**
 * The event of `Transfer(address indexed from, address, uint256 value)`, with or without `event` before it; tuples are
 * `(type name, …)` or `tuple(…)`. Throws viem's or abitype's error for what is no event, and for an anonymous one, which has no
 * topic of its own.
 */
export function parseEventSignature(signature: string): AbiEvent {
  const text = signature
    .replace(/\s+/g, ' ')
    .replace(/\btuple ?\(/g, '(')
    .replace(/ ?([(),]) ?/g, (_, mark: string) => (mark === ')' ? ') ' : mark))
    .replace(/ (?=[),[])/g, '')
    .trim()
    .replace(/ ?;$/, '')
    .replace(/^event /, '');
  const item = parseAbiItem(`event ${text}`) as AbiEvent;
  // A type that does not exist is only found by use.
  for (const { type, ...input } of item.inputs) encodesType({ ...input, type });
  return item;
}

/** Throws for an elementary type that the ABI does not have, such as uint7. */
function encodesType(parameter: AbiParameter): void {
  const base = parameter.type.replace(/(\[\d*\])+$/, '');
  if ('components' in parameter) for (const component of parameter.components) encodesType(component);
  else if (!ELEMENTARY.test(base)) throw new TypeError(`${base} is no type of the ABI`);
}

const BITS = Array.from({ length: 32 }, (_, index) => 8 * (index + 1)).join('|');
const BYTES = Array.from({ length: 32 }, (_, index) => index + 1).join('|');
const ELEMENTARY = new RegExp(`^(address|bool|string|function|u?int(${BITS})|bytes(${BYTES})?)$`);

export const topic0Of = (event: AbiEvent): Hex => toEventSelector(event);

/**
 * The arguments of a log: `arg0`, `arg1` … and, where the signature has names, those. Which arguments are indexed is as the signature
 * says when the log has that many topics; else the first choice of positions with which topics and data are what an ABI encoder
 * makes. A value that is indexed by its hash (text, bytes, arrays, tuples) is that hash. Empty for a log that no choice fits.
 */
export function decodeLog({ inputs }: AbiEvent, { topics, data }: Emitted): Decoded {
  const declared = inputs.flatMap(({ indexed }, position) => (indexed ? [position] : []));
  if (declared.length === topics.length) {
    const values = valuesOf(inputs, declared, { topics, data });
    if (values) return named(inputs, values);
  }
  for (const positions of choices(inputs.length, topics.length)) {
    const values = valuesOf(inputs, positions, { topics, data }, true);
    if (values) return named(inputs, values);
  }
  return {};
}

const isHashed = ({ type }: AbiParameter) => /^(string|bytes|tuple.*|.*\])$/.test(type);

/** The arguments when those at `indexed` are in the topics; `strict` refuses what an encoder would have written otherwise. */
function valuesOf(
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
    throw new TypeError('not as an encoder writes it');
  return values;
}

/** All ways to choose `count` of the positions below `length`, the ones with early positions first. */
function* choices(length: number, count: number, from = 0): Generator<number[]> {
  if (count === 0) yield [];
  else
    for (let first = from; first + count <= length; first++)
      for (const rest of choices(length, count - 1, first + 1)) yield [first, ...rest];
}

function named(inputs: readonly EventParameter[], values: readonly unknown[]): Decoded {
  const plain = values.map(toJson);
  return Object.fromEntries([
    ...inputs.flatMap(({ name }, position) => (name ? [[name, plain[position]]] : [])),
    ...plain.map((value, position) => [`arg${position}`, value]),
  ]);
}

function toJson(value: unknown): unknown {
  // The database's JSON has no NUL; bytes that are no UTF-8 were replaced by the same character.
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]));
  return value;
}

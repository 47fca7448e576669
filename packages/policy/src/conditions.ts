/**
 * Compares values with the operators of a rule. Each function returns why a value does not fit, undefined when it does, and throws
 * `UndecidableError` when that cannot be known: an allow rule then does not apply, and a deny rule does.
 */
import {
  AbiError,
  type AbiMember,
  type AbiType,
  type AbiValue,
  decodeParameters,
  parseFunction,
} from './abi.ts';
import { type Selected, select } from './paths.ts';
import { MAX_PATTERN_TEXT, matchesPattern } from './pattern.ts';
import {
  type Condition,
  type FunctionRule,
  type Operators,
  type Range,
  type Slice,
  type Values,
  WALLET,
} from './policy.ts';

export type Mismatch = string | undefined;

export class UndecidableError extends Error {
  override readonly name = 'UndecidableError';
}

/** Cut: values of requests can be long. */
export const shown = (value: unknown): string => {
  const text =
    typeof value === 'object'
      ? JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part))
      : `${value}`;
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
};

export function rangeMismatch(name: string, value: bigint, { min, max }: Range): Mismatch {
  if (min !== undefined && value < BigInt(min)) return `${name} ${value} is less than ${min}`;
  return max !== undefined && value > BigInt(max) ? `${name} ${value} is more than ${max}` : undefined;
}

/** Without a set, every value fits. A missing value fits only `any`. */
export function setMismatch(
  name: string,
  value: string | undefined,
  values: Values | undefined,
  wallet: string,
): Mismatch {
  if (values === undefined || values === 'any') return undefined;
  if (value === undefined) return `${name} is missing`;
  const list = Array.isArray(values) ? values : values.not_in;
  const isListed = list.includes(value) || (value === wallet && list.includes(WALLET));
  if (isListed === Array.isArray(values)) return undefined;
  return `${name} ${shown(value)} is ${isListed ? 'excluded' : 'not listed'}`;
}

export function slicesMismatch(name: string, value: string, slices: Slice[]): Mismatch {
  const wrong = slices.find(
    ({ offset, bytes }) => value.slice(2 + 2 * offset, 2 + 2 * offset + bytes.length - 2) !== bytes.slice(2),
  );
  return wrong && `${name} does not have ${wrong.bytes} at byte ${wrong.offset}`;
}

/** The length that `min_length` and `max_length` compare. */
function lengthOf(type: AbiType, value: AbiValue): number {
  if (Array.isArray(value)) return value.length;
  const text = String(value);
  return type.kind === 'string' ? [...text].length : (text.length - 2) / 2;
}

export function operatorsMismatch(
  name: string,
  { type, value }: Selected,
  operators: Operators,
  wallet: string,
): Mismatch {
  const { min_length, max_length, slices, call, any_of } = operators;
  const lengths = {
    ...(min_length !== undefined && { min: String(min_length) }),
    ...(max_length !== undefined && { max: String(max_length) }),
  };
  return (
    (typeof value === 'bigint' ? rangeMismatch(name, value, operators) : undefined) ??
    listsMismatch(name, value, operators, wallet) ??
    ('min' in lengths || 'max' in lengths
      ? rangeMismatch(`the length of ${name}`, BigInt(lengthOf(type, value)), lengths)
      : undefined) ??
    (typeof value === 'string' ? textMismatch(name, value, operators) : undefined) ??
    (slices && slicesMismatch(name, String(value), slices)) ??
    (call && callMismatch(name, String(value), call, wallet)) ??
    (any_of && anyMismatch(name, { type, value }, any_of, wallet))
  );
}

function listsMismatch(name: string, value: AbiValue, operators: Operators, wallet: string): Mismatch {
  const has = (list: string[]): boolean =>
    list.includes(String(value)) || (value === wallet && list.includes(WALLET));
  if (operators.in && !has(operators.in)) return `${name} ${shown(value)} is not listed`;
  return operators.not_in && has(operators.not_in) ? `${name} ${shown(value)} is excluded` : undefined;
}

function textMismatch(
  name: string,
  value: string,
  { prefix, suffix, contains, pattern }: Operators,
): Mismatch {
  if (prefix !== undefined && !value.startsWith(prefix))
    return `${name} does not begin with ${shown(prefix)}`;
  if (suffix !== undefined && !value.endsWith(suffix)) return `${name} does not end with ${shown(suffix)}`;
  if (contains !== undefined && !value.includes(contains))
    return `${name} does not contain ${shown(contains)}`;
  if (pattern !== undefined && value.length > MAX_PATTERN_TEXT)
    throw new UndecidableError(`${name} is longer than ${MAX_PATTERN_TEXT}, too long for a pattern`);
  return pattern !== undefined && !matchesPattern(pattern, value)
    ? `${name} does not match the pattern ${shown(pattern)}`
    : undefined;
}

function anyMismatch(
  name: string,
  { type, value }: Selected,
  lists: Condition[][],
  wallet: string,
): Mismatch {
  if (type.kind !== 'tuple') return `${name} is not a tuple`;
  const mismatches = lists.map((list) => conditionsMismatch(type.members, value as AbiValue[], list, wallet));
  return mismatches.every((mismatch) => mismatch !== undefined)
    ? `${name} fulfils none of any_of: ${mismatches[0]}`
    : undefined;
}

export function conditionsMismatch(
  members: AbiMember[],
  values: AbiValue[],
  conditions: Condition[],
  wallet: string,
): Mismatch {
  for (const condition of conditions) {
    const { path, some } = condition;
    const selected = select(members, values, path);
    if (!selected) return `${path} does not exist`;
    const mismatches = selected.map((found) => operatorsMismatch(path, found, condition, wallet));
    const isFulfilled = some
      ? mismatches.includes(undefined)
      : mismatches.every((found) => found === undefined);
    if (!isFulfilled) return mismatches.find((found) => found !== undefined) ?? `${path} has no value`;
  }
  return undefined;
}

/** The parameters of a call. */
export type DecodedCall = { members: AbiMember[]; values: AbiValue[] };

function decodeCall(name: string, data: string, rule: FunctionRule): DecodedCall {
  const { inputs } = parseFunction(rule.function);
  try {
    return { members: inputs, values: decodeParameters(inputs, `0x${data.slice(10)}`) };
  } catch (error) {
    if (!(error instanceof AbiError)) throw error;
    throw new UndecidableError(`${name} is not a canonical call of ${rule.function}: ${error.message}`);
  }
}

/** Returns the call when the data is one that a rule describes, or why it is none. Functions with one selector are alternatives. */
export function findCall(
  name: string,
  data: string,
  rules: FunctionRule[],
  wallet: string,
): DecodedCall | string {
  let reason: Mismatch;
  for (const rule of rules.filter(({ selector }) => data.startsWith(selector))) {
    const call = decodeCall(name, data, rule);
    const mismatch = conditionsMismatch(call.members, call.values, rule.args ?? [], wallet);
    if (mismatch === undefined) return call;
    reason ??= mismatch;
  }
  return reason ?? `${name} ${shown(data.slice(0, 10))} calls none of the functions`;
}

function callMismatch(name: string, data: string, rules: FunctionRule[], wallet: string): Mismatch {
  const call = findCall(name, data, rules, wallet);
  return typeof call === 'string' ? call : undefined;
}

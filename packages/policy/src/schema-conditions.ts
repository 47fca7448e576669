/** Parts of the schema of policies: conditions on decoded values, checked against their types. */
import { toFunctionSelector } from 'viem';
import { z } from 'zod';
import { type AbiMember, type AbiType, functionText, parseFunction, selectorText, typeText } from './abi.ts';
import { typeAt } from './paths.ts';
import type { Condition, FunctionRule } from './policy.ts';
import { addressOrWallet, bytes, length, pattern, quantity, slices, text } from './schema-values.ts';

const scalar = z.union([z.string(), z.int(), z.boolean()]);
const lists = {
  in: z.array(scalar).min(1).max(1_000).optional(),
  not_in: z.array(scalar).min(1).max(1_000).optional(),
};
const single = { equals: scalar.optional(), not_equals: scalar.optional() };
const operatorFields = {
  ...single,
  ...lists,
  min: z.union([z.string(), z.int()]).optional(),
  max: z.union([z.string(), z.int()]).optional(),
  prefix: text.optional(),
  suffix: text.optional(),
  contains: text.optional(),
  pattern: pattern.optional(),
  min_length: length.optional(),
  max_length: length.optional(),
  slices: slices.optional(),
};

/** A condition as it is written. Its values are checked when their type is known. */
export type WrittenCondition = z.infer<typeof writtenOperators> & {
  path: string;
  some?: true | undefined;
  call?: WrittenFunction[] | undefined;
  any_of?: WrittenCondition[][] | undefined;
};
export type WrittenFunction = {
  function: string | JsonFunction;
  /** Computed when it is absent. */
  selector?: string | undefined;
  args?: WrittenCondition[] | undefined;
};

type JsonParameter = { name?: string | undefined; type: string; components?: JsonParameter[] | undefined };
type JsonFunction = { type: 'function'; name: string; inputs: JsonParameter[] };
const jsonParameter: z.ZodType<JsonParameter> = z.lazy(() =>
  z.looseObject({
    name: z.string().optional(),
    type: z.string(),
    components: z.array(jsonParameter).optional(),
  }),
);
const jsonFunction: z.ZodType<JsonFunction> = z.looseObject({
  type: z.literal('function'),
  name: z.string(),
  inputs: z.array(jsonParameter),
});
const parameterText = ({ name = '', type, components }: JsonParameter): string => {
  const tuple = type.startsWith('tuple') ? `(${(components ?? []).map(parameterText).join(',')})` : '';
  return `${tuple}${tuple === '' ? type : type.slice('tuple'.length)} ${name}`;
};
const jsonText = ({ name, inputs }: JsonFunction): string =>
  `${name}(${inputs.map(parameterText).join(',')})`;

/** Operators of a text or of bytes that have no parts. */
export const writtenOperators = z.strictObject(operatorFields);
export const writtenCondition: z.ZodType<WrittenCondition> = z.lazy(() =>
  z.strictObject({
    path: z.string().max(500),
    some: z.literal(true).optional(),
    ...operatorFields,
    call: z.array(writtenFunction).min(1).max(100).optional(),
    any_of: z.array(z.array(writtenCondition).min(1).max(50)).min(1).max(50).optional(),
  }),
);
export const writtenFunction: z.ZodType<WrittenFunction> = z.lazy(() =>
  z.strictObject({
    function: z.union([z.string().max(4_096), jsonFunction], {
      error: 'expected a signature like "transfer(address to, uint256 amount)", or its JSON ABI',
    }),
    selector: z.string().optional(),
    args: z.array(writtenCondition).max(100).optional(),
  }),
);

/** An error in a condition, with the place where it is. */
export class ConditionError extends Error {
  readonly path: (string | number)[];

  constructor(message: string, path: (string | number)[]) {
    super(message);
    this.path = path;
  }
}

/** Runs `work` and puts `field` before the place of its error. */
export function at<T>(field: (string | number)[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    const inner = error instanceof ConditionError ? error.path : [];
    throw new ConditionError((error as Error).message, [...field, ...inner]);
  }
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Error(result.error.issues[0]?.message);
}

/** Returns a value of a type in the form in which it is compared. */
function comparedValue(type: AbiType, value: unknown): string {
  switch (type.kind) {
    case 'uint':
      return parsed(quantity, value);
    case 'int': {
      const negative = String(value).startsWith('-');
      return negative ? `-${parsed(quantity, String(value).slice(1))}` : parsed(quantity, value);
    }
    case 'address':
      return parsed(addressOrWallet, value);
    case 'bool':
      return String(
        parsed(z.union([z.boolean(), z.enum(['true', 'false'])], 'expected true or false'), value),
      );
    case 'bytes':
      return parsed(bytes, value);
    case 'fixed':
      return parsed(
        bytes.refine((hex) => hex.length === 2 + 2 * type.length, `expected ${type.length} bytes`),
        value,
      );
    case 'string':
      return parsed(z.string(), value);
    default:
      throw new Error(`${typeText(type)} has members: name one of them in the path`);
  }
}

const OPERATORS: Record<AbiType['kind'], readonly string[]> = {
  uint: ['in', 'not_in', 'min', 'max'],
  int: ['in', 'not_in', 'min', 'max'],
  address: ['in', 'not_in'],
  bool: ['in', 'not_in'],
  string: ['in', 'not_in', 'prefix', 'suffix', 'contains', 'pattern', 'min_length', 'max_length'],
  bytes: ['in', 'not_in', 'prefix', 'min_length', 'max_length', 'slices', 'call'],
  fixed: ['in', 'not_in', 'prefix', 'slices'],
  array: ['min_length', 'max_length'],
  tuple: ['any_of'],
};

const hasMembers = ({ kind }: AbiType): boolean => kind === 'array' || kind === 'tuple';

type Written = Omit<WrittenCondition, 'path' | 'some'>;

/** Checks operators against the type of their value, and returns them in one form. */
export function operatorsFor(type: AbiType, written: Written): Omit<Condition, 'path'> {
  const { equals, not_equals, call, any_of, ...rest } = written;
  if (equals !== undefined && rest.in)
    throw new ConditionError('equals and in exclude each other', ['equals']);
  if (not_equals !== undefined && rest.not_in)
    throw new ConditionError('not_equals and not_in exclude each other', ['not_equals']);
  const listed = {
    ...rest,
    in: equals === undefined ? rest.in : [equals],
    not_in: not_equals === undefined ? rest.not_in : [not_equals],
  };
  const given = Object.entries({ ...listed, call, any_of }).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw new Error('expected an operator, for example equals, in, min or max');
  for (const [operator] of given)
    if (!OPERATORS[type.kind].includes(operator))
      throw new ConditionError(
        `not an operator of ${typeText(type)}, which has ${OPERATORS[type.kind].join(', ')}`,
        [operator],
      );
  const result: Record<string, unknown> = Object.fromEntries(given);
  if (!hasMembers(type))
    for (const operator of ['in', 'not_in'] as const) {
      const values = listed[operator];
      if (values)
        result[operator] = [
          ...new Set(values.map((value, index) => at([operator, index], () => comparedValue(type, value)))),
        ].sort();
    }
  for (const operator of ['min', 'max', 'prefix'] as const)
    if (listed[operator] !== undefined && !(operator === 'prefix' && type.kind === 'string'))
      result[operator] = at([operator], () =>
        operator === 'prefix' ? parsed(bytes, listed.prefix) : comparedValue(type, listed[operator]),
      );
  if (call) result.call = call.map((entry, index) => at(['call', index], () => functionFor(entry)));
  if (any_of && type.kind === 'tuple')
    result.any_of = any_of.map((list, index) =>
      at(['any_of', index], () => conditionsFor(type.members, list)),
    );
  return result;
}

export function conditionsFor(members: AbiMember[], written: WrittenCondition[]): Condition[] {
  return written.map(({ path, some, ...operators }, index) =>
    at([index], () => {
      const type = at(['path'], () => typeAt(members, path));
      return { path, ...(some && { some }), ...operatorsFor(type, operators) };
    }),
  );
}

/** Returns the function with its selector. Accepts the JSON ABI too. */
export function functionFor({ function: written, selector: given, args }: WrittenFunction): FunctionRule {
  const abi = at(['function'], () =>
    parseFunction(typeof written === 'string' ? written : jsonText(written)),
  );
  const selector = toFunctionSelector(selectorText(abi));
  if (given !== undefined && given !== selector)
    throw new ConditionError(`the selector of ${selectorText(abi)} is ${selector}`, ['selector']);
  return {
    function: functionText(abi),
    selector,
    ...(args && args.length > 0 && { args: at(['args'], () => conditionsFor(abi.inputs, args)) }),
  };
}

/** Makes the canonical form of a policy, and refuses one that does not say everything that it allows. */
import type { z } from 'zod';
import { type AbiMember, parseFunction } from './abi.ts';
import { membersOfType } from './encoded-type.ts';
import { typeAt } from './paths.ts';
import type { DataRule, Limit, Operators, Policy, Rule, TransactionRule, TypedDataRule } from './policy.ts';
import { type WrittenData, type WrittenRule, writtenPolicy } from './schema.ts';
import { at, ConditionError, conditionsFor, functionFor, operatorsFor } from './schema-conditions.ts';

/** A policy is wrong. The message has a line per mistake, each with its field. */
export class PolicyFormatError extends Error {
  override readonly name = 'PolicyFormatError';
}

/** Returns the canonical form. Throws `PolicyFormatError`. */
export function parsePolicy(value: unknown): Policy {
  const result = writtenPolicy.safeParse(value);
  if (!result.success) throw new PolicyFormatError(describeIssues(result.error.issues, value).join('\n'));
  const { rules, ...policy } = result.data;
  try {
    const parsed = rules.map((rule, index) => at(['rules', index], () => canonicalRule(rule)));
    requireUniqueNames(parsed);
    return sorted({ ...policy, rules: parsed }) as Policy;
  } catch (error) {
    const { path, message } = error as ConditionError;
    throw new PolicyFormatError(`${fieldText(path ?? [])}: ${message}`);
  }
}

/** Returns JSON without white space, whose objects have their members in order. */
export const canonicalJson = (policy: Policy): string => JSON.stringify(sorted(policy));

function sorted<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sorted) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, sorted(member)]),
  ) as T;
}

const fieldText = (path: readonly PropertyKey[]): string => path.map(String).join('.') || 'the policy';

/** The best issue of a union is that of the alternative with the deepest one. */
function describeIssues(issues: z.core.$ZodIssue[], _root: unknown): string[] {
  return issues.map((issue) => {
    const { path, message } = deepest(issue);
    return `${fieldText(path)}: ${message}`;
  });
}

function deepest(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string } {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue;
  const inner = issue.errors.flatMap((errors) => errors.map(deepest));
  const best = inner.reduce((a, b) => (b.path.length > a.path.length ? b : a));
  if (best.path.length > 0) return { path: [...issue.path, ...best.path], message: best.message };
  const isOwn = issue.message !== 'Invalid input';
  return {
    path: issue.path,
    message: isOwn ? issue.message : [...new Set(inner.map(({ message }) => message))].join(', or '),
  };
}

function requireUniqueNames(rules: Rule[]): void {
  const limits = new Map<string, Limit>();
  rules.forEach(({ name, limits: own = [] }, index) => {
    if (rules.findIndex((rule) => rule.name === name) < index)
      throw new ConditionError(`another rule is named "${name}"`, ['rules', index, 'name']);
    own.forEach((limit, position) => {
      const place = ['rules', index, 'limits', position];
      if (own.findIndex((other) => other.name === limit.name) < position)
        throw new ConditionError(`another limit of the rule is named "${limit.name}"`, [...place, 'name']);
      const same = limits.get(limit.name) ?? limit;
      const isSame = same.max === limit.max && same.window === limit.window;
      if (!isSame || String(same.per) !== String(limit.per))
        throw new ConditionError(
          `"${limit.name}" of another rule has another max, window or per: rules share a limit of one name`,
          place,
        );
      limits.set(limit.name, same);
    });
  });
}

function canonicalRule(written: WrittenRule): Rule {
  const rule = withConditions(written);
  if (rule.effect === 'deny' && rule.limits)
    throw new ConditionError('only allow rules have limits', ['limits']);
  if ('create' in rule && rule.create && rule.to)
    throw new ConditionError('to and create exclude each other', ['create']);
  if (rule.effect === 'allow') requireNamed(rule);
  const members = membersOf(rule);
  rule.limits?.forEach((limit, index) => {
    at(['limits', index, 'of'], () => requireAmount(rule, limit.of, members));
    limit.per?.forEach((field, position) => {
      at(['limits', index, 'per', position], () => requirePart(rule, field, members));
    });
  });
  return rule;
}

function withConditions(written: WrittenRule): Rule {
  switch (written.kind) {
    case 'message': {
      const { text, bytes, ...rest } = written;
      return {
        ...rest,
        ...(text && { text: messageOperators('text', text) }),
        ...(bytes && { bytes: messageOperators('bytes', bytes) }),
      } as Rule;
    }
    case 'typed_data':
      return typedDataRule(written);
    case 'transaction':
    case 'sign_transaction':
    case 'send_transaction': {
      const { data, types, ...rest } = written;
      return {
        ...rest,
        ...(types && { types: [...new Set(types)].sort() }),
        ...(data && { data: canonicalData(data) }),
      } as Rule;
    }
    default:
      return written as Rule;
  }
}

type WrittenOperators = Parameters<typeof operatorsFor>[1] | 'any';
const messageOperators = (field: 'text' | 'bytes', operators: WrittenOperators): Operators | 'any' =>
  operators === 'any'
    ? operators
    : at([field], () => operatorsFor({ kind: field === 'text' ? 'string' : 'bytes' }, operators));

function typedDataRule({ fields, ...rest }: Extract<WrittenRule, { kind: 'typed_data' }>): Rule {
  const types = Array.isArray(rest.types) ? rest.types : [];
  const members = types.map((text, index) => at(['types', index], () => membersOfType(text)));
  if (!fields) return rest as Rule;
  if (members.length === 0 || members.some((found) => found === undefined))
    throw new ConditionError(
      'fields needs types with all of their fields, like "Permit(address owner,address spender,uint256 value)"',
      ['fields'],
    );
  const [conditions] = members.map((found) =>
    at(['fields'], () => conditionsFor(found as AbiMember[], fields)),
  );
  return { ...rest, fields: conditions } as Rule;
}

function canonicalData(data: WrittenData): DataRule {
  if (data === 'any' || !('functions' in data)) {
    if (data !== 'any' && Object.keys(data).length === 0)
      throw new ConditionError(
        'expected "any", functions, selectors, prefix, slices, min_length or max_length',
        ['data'],
      );
    return data as DataRule;
  }
  return {
    functions: data.functions.map((entry, index) =>
      at(['data', 'functions', index], () => functionFor(entry)),
    ),
  };
}

/** An allow rule says for each field what it allows, or `any`. */
function requireNamed(rule: Rule): void {
  const need = (field: string, isNamed: boolean, advice: string): void => {
    if (!isNamed) throw new ConditionError(`an allow rule must name it: ${advice}`, [field]);
  };
  switch (rule.kind) {
    case 'message':
      need(
        'text',
        rule.text !== undefined || rule.bytes !== undefined,
        'text or bytes, with operators or "any"',
      );
      break;
    case 'typed_data':
      need('chains', rule.chains !== undefined, 'a list of chain ids, or "any"');
      need('contracts', rule.contracts !== undefined, 'a list of verifying contracts, or "any"');
      need('types', rule.types !== undefined, 'a list of primary types, or "any"');
      break;
    case 'authorization':
      need('chains', rule.chains !== undefined, 'a list of chain ids, or "any"');
      need('contracts', rule.contracts !== undefined, 'a list of addresses, or "any"');
      break;
    case 'hash':
      need('hashes', rule.hashes !== undefined, 'a list of hashes, or "any"');
      break;
    default:
      need('chains', rule.chains !== undefined, 'a list of chain ids, or "any"');
      need(
        'to',
        rule.to !== undefined || rule.create === true,
        'a list of addresses, or "any"; or "create": true',
      );
      need('fee', rule.fee !== undefined, '{"max": "<wei>"}, or "any"');
  }
}

/** Parameters that the limits of a rule can name: those of each function or type. */
function membersOf(rule: Rule): AbiMember[][] {
  if (rule.kind === 'typed_data')
    return ((rule as TypedDataRule).types === 'any' ? [] : ((rule.types as string[] | undefined) ?? [])).map(
      (text) => membersOfType(text) ?? [],
    );
  const { data } = rule as TransactionRule;
  if (data === undefined || data === 'any' || !('functions' in data)) return [];
  return data.functions.map((entry) => parseFunction(entry.function).inputs);
}

const isTransaction = ({ kind }: Rule): boolean => kind.endsWith('transaction');

/** Returns the types at a path of `args.` or `fields.`, in each function or type of the rule. */
function typesAt(rule: Rule, field: string, members: AbiMember[][]) {
  const prefix = rule.kind === 'typed_data' ? 'fields.' : 'args.';
  if (!field.startsWith(prefix) || members.length === 0)
    throw new Error(
      `expected count${isTransaction(rule) ? ', value, fee' : ''}, or a path after "${prefix}" of a rule with its functions or types`,
    );
  return members.map((list) => typeAt(list, field.slice(prefix.length)));
}

function requireAmount(rule: Rule, of: string, members: AbiMember[][]): void {
  if (of === 'count' || (isTransaction(rule) && (of === 'value' || of === 'fee'))) return;
  if (typesAt(rule, of, members).some(({ kind }) => kind !== 'uint'))
    throw new Error(`${of} is not of an unsigned integer`);
}

const PARTS: Record<string, readonly string[]> = {
  typed_data: ['chain', 'contract'],
  authorization: ['chain', 'contract'],
  transaction: ['chain', 'to'],
};

function requirePart(rule: Rule, field: string, members: AbiMember[][]): void {
  if (PARTS[isTransaction(rule) ? 'transaction' : rule.kind]?.includes(field)) return;
  const types = typesAt(rule, field, members);
  if (
    field.includes('[*]') ||
    types.some(({ kind }) => kind === 'array' || kind === 'tuple' || kind === 'string' || kind === 'bytes')
  )
    throw new Error(`${field} is not one address, integer, boolean or bytes32`);
}

/**
 * `if` of a trigger: an expression in CEL (Common Expression Language) that decides whether an event fires a run. Its time grows with
 * the length of the expression times that of the event, because it calls only the functions below, and the body of a macro reads
 * nothing but the element.
 */
import { badRequest } from '@latchkey/http';
import { type ASTNode, Environment, ParseError, TypeError as TypeFault } from '@marcbachmann/cel-js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ChainEventConfig } from './chain-config.ts';
import { parseEventSignature, toArguments } from './event-signature.ts';
import type { StoredConfig } from './source.ts';

const MAX_CHARACTERS = 1_000;
const limits = {
  maxAstNodes: 100,
  maxDepth: 24,
  maxListElements: 50,
  maxMapEntries: 10,
  maxCallArguments: 4,
};

const variables = {
  webhook: ['event', 'form', 'query', 'headers'],
  chain_event: ['event', 'args'],
  chain_block: ['event', 'args'],
} as const;
export type Filtered = keyof typeof variables;

/** Neither `matches`, whose regular expressions can take for ever, nor functions that make longer values. */
const FUNCTIONS = new Set([
  ...['has', 'size', 'int', 'uint', 'double', 'string', 'bool', 'type', 'dyn', 'orValue', 'hasValue'],
  ...['startsWith', 'endsWith', 'contains', 'lowerAscii', 'upperAscii', 'trim'],
]);
const MACROS = new Set(['all', 'exists', 'exists_one', 'filter']);

/** Length of an expression with a macro, times the number of values in the event: at most about 50 ms. */
const MAX_STEPS = 500_000;
const MACRO = new RegExp(`\\b(${[...MACROS].join('|')})\\s*\\(`);

export const filterFields = { if: z.string().min(1).max(MAX_CHARACTERS).optional() };

type Expression = (values: Record<string, unknown>) => unknown;

const environments = Object.fromEntries(
  Object.entries(variables).map(([kind, names]) => {
    const environment = new Environment({
      enableOptionalTypes: true,
      homogeneousAggregateLiterals: false,
      limits,
    });
    for (const name of names) environment.registerVariable(name, 'dyn');
    return [kind, environment];
  }),
) as Record<Filtered, Environment>;

/** Returns the first node that takes more time than its length, with the reason. `element` is the variable of a macro around it. */
function findFault(node: ASTNode, element?: string): { node: ASTNode; reason: string } | undefined {
  const visit = (nodes: readonly ASTNode[], within = element) => {
    for (const each of nodes) {
      const fault = findFault(each, within);
      if (fault) return fault;
    }
    return undefined;
  };
  switch (node.op) {
    case 'value':
      return undefined;
    case 'id':
      if (element === undefined || node.args === element) return undefined;
      return { node, reason: `only ${element} can be used for each element` };
    case '.':
    case '.?':
      return visit([node.args[0]]);
    case '!_':
    case '-_':
      return visit([node.args]);
    case 'list':
      return visit(node.args);
    case 'map':
      return visit(node.args.flat());
    case 'call':
      if (!FUNCTIONS.has(node.args[0])) return { node, reason: `${node.args[0]} is not available` };
      return visit(node.args[1]);
    case 'rcall': {
      const [name, receiver, given] = node.args;
      const [variable, ...body] = given;
      if (MACROS.has(name) && variable?.op === 'id') return visit([receiver]) ?? visit(body, variable.args);
      if (!FUNCTIONS.has(name)) return { node, reason: `${name} is not available` };
      return visit([receiver, ...given]);
    }
    default:
      return visit(node.args as readonly ASTNode[]);
  }
}

/** Throws an error whose `summary` tells what is wrong, and its `range` where. */
function parse(kind: Filtered, text: string): Expression {
  const expression = environments[kind].parse(text);
  const fault = findFault(expression.ast);
  if (fault) throw new ParseError({ message: fault.reason, node: fault.node });
  const { type, error } = expression.check();
  if (error) throw error;
  if (type !== 'bool' && type !== 'dyn')
    throw new ParseError({ message: `expected true or false, not ${type}`, node: expression.ast });
  return expression;
}

/** Throws 400 for an expression that is malformed or too long, with the position of the fault. */
export function requireFilter(kind: Filtered, text: string | undefined): void {
  if (text === undefined) return;
  try {
    parse(kind, text);
  } catch (error) {
    if (!(error instanceof ParseError || error instanceof TypeFault)) throw error;
    const at = error.range === undefined ? '' : `, at character ${error.range.start + 1}`;
    throw badRequest(`body.config.if: ${error.summary}${at}.`, {
      fix: `Write an expression in CEL over ${variables[kind].join(', ')}, such as event.type == "push".`,
    });
  }
}

/** Parsed expressions of deliveries and logs. */
const parsed = new LRUCache<string, Expression>({ max: 1_000 });

/** An event that fires no run. `error`: the expression could not be evaluated. */
export type Ignored = { error?: string };

/** Returns why an event fires no run; undefined when it fires one. `input` is the input of the run. */
export function findIgnored(
  { kind, config }: { kind: Filtered; config: StoredConfig },
  input: Record<string, unknown>,
): Ignored | undefined {
  const { if: text } = config as { if?: string };
  if (text === undefined) return undefined;
  try {
    const key = `${kind} ${text}`;
    const expression = parsed.get(key) ?? parse(kind, text);
    parsed.set(key, expression);
    const values = valuesOf(kind, config, input);
    if (MACRO.test(text) && countValues(values, MAX_STEPS / text.length) * text.length > MAX_STEPS)
      throw new RangeError('the event has too many values to look at each');
    const result = expression(values);
    if (typeof result !== 'boolean') throw new TypeError('the result is neither true nor false');
    return result ? undefined : {};
  } catch (error) {
    const { summary, message } = error as Error & { summary?: string };
    return { error: summary ?? message };
  }
}

function valuesOf(kind: Filtered, config: StoredConfig, input: Record<string, unknown>) {
  if (kind === 'webhook') return fromDelivery(input);
  return kind === 'chain_event' ? fromLog(config, input) : fromBlock(input);
}

/** Returns the number of values in a JSON value, and a greater number than `limit` as soon as there are more. */
function countValues(value: unknown, limit: number): number {
  let count = 1;
  if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) {
      if (count > limit) break;
      count += countValues(each, limit - count);
    }
  return count;
}

const fromDelivery = ({ event = null, form = {}, query = {}, headers = {} }: Record<string, unknown>) => ({
  event,
  form,
  query,
  headers,
});

function fromLog(config: StoredConfig, { event = null }: Record<string, unknown>) {
  const { event_signature: signature } = config as ChainEventConfig;
  const { decoded = {} } = (event ?? {}) as { decoded?: Record<string, unknown> };
  return { event, args: toArguments(parseEventSignature(signature), decoded) };
}

/** Integers of a block, any of which can be absent in the input of a test. */
const INTEGERS = ['block_number', 'timestamp', 'base_fee', 'above', 'below', 'balance'];

function fromBlock({ event = null }: Record<string, unknown>) {
  const given = (event ?? {}) as Record<string, unknown>;
  const args = INTEGERS.flatMap((name) => {
    const text = String(given[name]);
    return /^\d+$/.test(text) ? [[name, BigInt(text)]] : [];
  });
  return { event, args: Object.fromEntries(args) };
}

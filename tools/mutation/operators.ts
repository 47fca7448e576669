/** The mutation operators and their replacement values. */
import type { Node } from './ast.ts';

export const comparisons: Record<string, string[]> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '==': ['!='],
  '!=': ['=='],
};
export const arithmetic: Record<string, string[]> = {
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['/'],
  '&': ['|'],
  '|': ['&'],
  '^': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
};
export const assignments: Record<string, string> = { '+=': '-=', '-=': '+=', '|=': '&=', '&=': '|=' };
export const opcodes: Record<string, string> = {
  add: 'sub',
  sub: 'add',
  mul: 'add',
  div: 'mul',
  mod: 'div',
  and: 'or',
  or: 'and',
  xor: 'and',
  shl: 'shr',
  shr: 'shl',
  lt: 'gt',
  gt: 'lt',
  eq: 'sub', // "differs"
};
export const typeOf = (node: Node): string => node.typeDescriptions?.typeString ?? '';
export const isRational = (node: Node): boolean => /^(int|rational)_const/.test(typeOf(node));
/** Returns the zero of a value type, or undefined for a type whose zero is not an expression. */
export function zeroOf(type: string): string | undefined {
  if (type === 'bool') return 'false';
  if (/^(uint|int|bytes)\d+$/.test(type) || type === 'address') return `${type}(0)`;
  return undefined;
}

function literal(text: string, value: bigint): string {
  return /^0x/i.test(text) ? `0x${value.toString(16).padStart(text.length - 2, '0')}` : value.toString();
}

/** Returns the two adjacent numbers of a literal, and 0. */
export function neighbours(text: string): string[] {
  const value = BigInt(text.replaceAll('_', ''));
  const values = [value + 1n, value - 1n, 0n].filter((v) => v >= 0n && v !== value);
  return [...new Set(values)].map((v) => literal(text, v));
}

import { describe, expect, test } from 'vitest';
import { findSyntaxFault } from './syntax.ts';

const never = new AbortController().signal;
const find = (code: string) => findSyntaxFault(code, never);

test.each([
  ['a classic script', 'function main() { with ({ a: 1 }) { return a + 010 } }'],
  [
    'reserved words of strict code as names',
    'var let = 1, static = 2, yield = 3, await = 4; const main = () => let',
  ],
  ['an HTML comment', 'const main = () => 1 <!-- 2'],
  ['a hashbang', '#!/usr/bin/env node\nconst main = () => 1'],
  ['a module', 'import x from "y"; export default async () => x'],
  ['top-level await', 'const value = await Promise.resolve(1); const main = () => value'],
  ['await of a call in parentheses', 'await (async () => {})(); const main = () => 1'],
  ['no code but a comment', '// later'],
  ['1 MB', 'function f(a) { return a + 1 }\n'.repeat(33_000)],
])('accepts %s', async (_what, code) => {
  expect(await find(code)).toBeUndefined();
});

describe('returns line and column', () => {
  test.each([
    ['const main = () =>\n  1 +;', 2, 6],
    ['const a = "ü𝟘"; let b = ;', 1, 26],
    ['\r\n\r\n\tlet a; let a;', 3, 6],
    ['return 1', 1, 1],
    ['const main = async () => 1; export const x = ;', 1, 46],
    ['const x: number = 1', 1, 7],
    ['(', 1, 2],
  ])('%j: %i:%i', async (code, line, column) => {
    expect(await find(code)).toEqual({ line, column, message: expect.any(String) });
  });
});

test('code that overflows the stack of the parser rejects, and the next code is parsed', async () => {
  const deep = find('('.repeat(1_000_000));
  const next = find('let a = ;');
  await expect(deep).rejects.toThrow();
  expect(await next).toMatchObject({ line: 1 });
});

test('an abort ends the parser', async () => {
  const stop = new AbortController();
  const parsing = findSyntaxFault('let a;', stop.signal);
  setTimeout(() => stop.abort(), 1);
  await expect(parsing).rejects.toThrow();
  await expect(findSyntaxFault('let a;', stop.signal)).rejects.toThrow();
});

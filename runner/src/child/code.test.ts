import { describe, expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';

const run = await startRuntime();
const outcome = async (code: string) => {
  const { response, error } = await run(code);
  return error ? `${error.name}: ${error.message}` : response;
};

describe('a classic script', () => {
  test.each([
    ['an implicit global', 'function main() { count = 1; return count + globalThis.count }', 2],
    ['this at the top level', 'this.x = 1; function main() { return x }', 1],
    ['this in a function', 'function main() { return this === globalThis }', true],
    ['with', 'function main() { with ({ a: 1 }) { return a } }', 1],
    ['the same parameter twice', 'function f(a, a) { return a } function main() { return f(1, 2) }', 2],
    ['an octal literal', 'const main = () => 010', 8],
    ['delete of a variable', 'function main() { var a = 1; return delete a }', false],
    ['arguments.callee', 'function main() { return arguments.callee === main }', true],
    [
      'a reserved word of strict code',
      'var let = 1, static = 2, yield = 3; const main = () => let + static',
      3,
    ],
    ['await as a name', 'var await = (a) => a + 1; const main = () => await(1)', 2],
    ['an HTML comment', 'const main = () => 1 <!-- 2', 1],
    ['a hashbang', '#!/usr/bin/env node\nconst main = () => 1', 1],
    ['var on the global object', 'var a = 1; const main = () => globalThis.a', 1],
    [
      'let not on the global object',
      'let a = 1; const main = () => [a, typeof globalThis.a]',
      [1, 'undefined'],
    ],
    ['a global with another meaning', 'const fetch = 1, ethers = 2; const main = () => fetch + ethers', 3],
    [
      'a use of main before its declaration',
      'const again = main; function main() { return again === main }',
      true,
    ],
    ['strict code when it says so', '"use strict"; function main() { return this === undefined }', true],
  ])('has %s', async (_name, code, expected) => {
    expect(await outcome(code)).toEqual(expected);
  });

  test('can redeclare any name of the language and the web without breaking ethers and keys', async () => {
    const names = (await run('const main = () => Object.getOwnPropertyNames(globalThis)'))
      .response as string[];
    const own = ['Infinity', 'NaN', 'undefined', 'globalThis', 'eval', 'ethers', 'Svc', 'fetch', 'console'];
    const others = names.filter((name) => !own.includes(name));
    expect(others.length).toBeGreaterThan(90);
    const code = `class Own {}; const ${others.map((name) => `${name} = Own`)};
      async function main({ pkpId }) {
        const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }));
        console.log('signed', await wallet.signMessage('x'));
        return fetch('http://127.0.0.1/').catch((error) => [wallet.address === pkpId, error.name, URL === Own]);
      }`;
    const { response, error, logs } = await run(code);
    expect(error).toBeUndefined();
    expect(response).toEqual([true, 'FetchBlockedError', true]);
    expect(logs).toMatch(/^signed 0x[0-9a-f]{130}\n$/);
  });

  test.each([
    'const main = () => 1',
    'let main = () => 1',
    'var main = () => 1',
    'function main() { return 1 }',
    'async function main() { return 1 }',
    'main = () => 1',
    'globalThis.main = () => 1',
    'self.main = () => 1',
    'this.main = async () => 1',
    'class main_ {} ; const { main } = { main: () => 1 }',
    'if (true) { function main() { return 1 } }',
    '(0, eval)("var main = () => 1")',
    'const main = () => 1 // the end',
    'const main = () => 1 /* the end */',
  ])('defines main: %s', async (code) => {
    expect(await outcome(code)).toBe(1);
  });

  test.each([
    ['a string', `const text = "import x from 'y'; export default 1"; var main = () => this === globalThis`],
    ['a template', 'const text = `\nimport x from "y"\nexport {}`; var main = () => this === globalThis'],
    ['a comment', '// import x from "y"\n/*\nexport default 1\n*/\nvar main = () => this === globalThis'],
    [
      'a regular expression',
      'const a = /import x from "y"/, b = /export {}/; var main = () => this === globalThis',
    ],
    [
      'a property',
      'const a = { import: 1, export: 2 }; var main = () => a.import === 1 && this === globalThis',
    ],
    [
      'a dynamic import after a hashbang',
      '#!/usr/bin/env node\nvar main = () => this === globalThis; const later = () => import("x")',
    ],
    ['a dynamic import', 'var main = () => this === globalThis; const later = () => import("x")'],
    [
      'an await in a function',
      'var main = async () => (await (async () => this)()) === globalThis && (await [1])[0] === 1',
    ],
    ['an await in a comment', 'var main = () => this === globalThis // await (x)'],
  ])('stays a script with the words of a module in %s', async (_where, code) => {
    expect(await outcome(code)).toBe(true);
  });
});

test('an error of a script with a dynamic import has its position', async () => {
  const { error } = await run(`const later = () => import("x");\n  throw new RangeError("early")`);
  expect(error).toMatchObject({ name: 'RangeError', stack: 'RangeError: early\n    at action.js:2:9' });
  expect(await outcome('const later = () => import("x");\nlet a; let a;')).toBe(
    "SyntaxError: Identifier 'a' has already been declared (action.js:2:12)",
  );
});

describe('a module', () => {
  test.each([
    ['export const', 'export const main = () => typeof this'],
    ['export function', 'export function main() { return typeof this }'],
    ['export async function', 'export async function main() { return typeof this }'],
    ['export default of main', 'export default function main() { return typeof this }'],
    ['export default of a nameless function', 'export default async () => typeof this'],
    ['export default of another function', 'export default function handler() { return typeof this }'],
    ['an export list', 'const main = () => typeof this; export { main }'],
    ['an export under the name main', 'const run = () => typeof this; export { run as main }'],
    ['an empty export list', 'const main = () => typeof this; export {}'],
    ['an export after a comment', '/* export */ // import\nexport {}; var main = () => typeof this'],
    ['import.meta', 'const meta = import.meta; const main = () => typeof this'],
    ['await of a value', 'const value = await Promise.resolve(1); const main = () => typeof this'],
    ['await of a call in parentheses', 'await (async () => {})(); const main = () => typeof this'],
    ['await of a list', 'await [1]; const main = () => typeof this'],
    ['await of a template', 'await `1`; const main = () => typeof this'],
    ['await before a line end', 'await\nPromise.resolve(); const main = () => typeof this'],
    ['for await', 'for await (const x of []) {} const main = () => typeof this'],
    ['a global main', 'globalThis.main = () => typeof undefined; export {}'],
  ])('is detected by %s', async (_name, code) => {
    expect(await outcome(code)).toBe('undefined');
  });

  test('prefers main to the default export', async () => {
    expect(await outcome('export default () => 1; export const main = () => 2')).toBe(2);
  });

  test('is strict', async () => {
    expect(await outcome('export const main = () => { undeclared = 1 }')).toBe(
      'ReferenceError: undeclared is not defined',
    );
  });

  test('returns an ImportError for a static import where the runner has no CDN', async () => {
    expect(await outcome('import { z } from "zod@4.0.0"; export const main = () => 1')).toBe(
      'ImportError: this runner has no imports',
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { migrations } from '../../test/migrations.ts';
import { FUNCTIONS, GLOBALS, OLD_FUNCTIONS, PATHS } from './names.ts';
import { ParseError, rewrite } from './rewrite.ts';

describe('rewrites', () => {
  test.each(migrations)('$title', ({ file, before, after, notes = [] }) => {
    const { code, changes, notes: found } = rewrite(file, before);
    expect(code).toBe(after);
    expect(found.map(({ line, column, name }) => [line, column, name])).toEqual(notes);
    for (const { reason } of found) expect(reason).toMatch(/^[a-zS].+[^.]$/);
    const lines = before.split('\n');
    for (const { line, column, from } of changes)
      expect(lines[line - 1]?.slice(column - 1, column - 1 + from.length)).toBe(from);
  });

  test.each(migrations)('$title, once', ({ file, after, notes = [] }) => {
    const again = rewrite(file, after);
    expect([again.code, again.changes]).toEqual([after, []]);
    expect(again.notes.length).toBeLessThanOrEqual(notes.length);
  });
});

const codeOf = (before: string, file = 'action.js'): string => rewrite(file, before).code;

describe('a name of the program itself stays', () => {
  test.each([
    'import { Lit } from "lamp"; Lit.Actions.getPrivateKey();',
    'import * as Lit from "lamp"; Lit.Actions;',
    'function f({ Lit }) { return Lit.Actions; }',
    'function f([Lit = 1]) { return Lit; }',
    'const f = (...Lit) => Lit.Actions;',
    'try {} catch (Lit) { Lit.Actions; }',
    'Lit.Actions; var Lit;',
    'f(); { function Lit() {} } function f() { return Lit.Actions; }',
    '{ class Lit {} Lit.Actions; }',
    'const C = class Lit { static a = Lit.Actions; };',
    'const f = function Lit() { return Lit.Actions; };',
    'for (const Lit of []) Lit.Actions;',
    'switch (1) { case 1: let Lit; Lit.Actions; }',
    'Lit: for (;;) { break Lit; }',
    'const a = { Lit: 1, b() {} }; a.Lit; a.LitActions;',
    'class A { Lit() {} static LitActions = 1; #Lit = 2; }',
    'with (a) { Lit.Actions; }',
    'Lit = { Actions: {} }; Lit.Actions.getLitActionPrivateKey();',
    'export { Lit } from "lamp";',
    'const { Lit: a } = b; const c = { ["x"]: 1 };',
  ])('%s', (source) => expect(codeOf(source)).toBe(source));

  test.each([
    'enum Lit { A }; Lit.A;',
    'namespace Lit { export const Actions = 1 }; Lit.Actions;',
    'type A = Lit.Actions;',
    'enum A { Lit = 1, B = Lit }',
    'declare function f(Lit: number): void;',
  ])('%s', (source) => expect(codeOf(source, 'action.ts')).toBe(source));
});

test.each([
  ['const a = { Lit };', 'const a = { Lit: Svc };'],
  ['({ x = Lit.Actions }) => x;', '({ x = Svc.Actions }) => x;'],
  [
    'const { Actions: { getLitActionPublicKey } } = Lit;',
    'const { Actions: { getActionPublicKey: getLitActionPublicKey } } = Svc;',
  ],
  [
    'const { getLitActionPublicKey = 1 } = LitActions;',
    'const { getActionPublicKey: getLitActionPublicKey = 1 } = SvcActions;',
  ],
  ['self["Lit"].Actions["getLitActionPublicKey"]', 'self["Svc"].Actions["getActionPublicKey"]'],
  ['(Lit).Actions.getLitActionPublicKey', '(Svc).Actions.getActionPublicKey'],
  ['function f() { return Lit; } { let Lit; }', 'function f() { return Svc; } { let Lit; }'],
  ['function f(a = Lit) { var Lit; }', 'function f(a = Svc) { var Lit; }'],
])('%s becomes %s', (before, after) => expect(codeOf(before)).toBe(after));

test('values of templates are code', () => {
  const template = (name: string): string => `\`$\{${name}}\``;
  expect(codeOf(template('Lit.Actions.getLitActionPublicKey'))).toBe(
    template('Svc.Actions.getActionPublicKey'),
  );
});

test('line ends, a hashbang and a byte order mark stay', () => {
  const source = '#!/usr/bin/env node\r\n// ä 🔥\r\nLit.Actions.getLitActionPrivateKey();\r\n';
  expect(codeOf(source)).toBe(source.replace('Lit.', 'Svc.').replace('getLitAction', 'getAction'));
  const marked = '\ufeffconst main = () => Lit.Actions.getPrivateKey({});\n';
  expect(codeOf(marked)).toBe(marked.replace('Lit.', 'Svc.'));
});

test('a file that does not parse is refused, with the place', () => {
  expect(() => codeOf('const main = 1;\nfunction (')).toThrow(ParseError);
  expect(() => codeOf('const main = 1;\nfunction (')).toThrow(/^2:\d+: /);
});

test('a constant that refers to itself ends', () => {
  const source = 'const a = a.Actions, { Actions: b } = b; a.getLitActionPrivateKey(b);';
  expect(codeOf(source)).toBe(source);
});

test('the tables have no chain of names, and each old name one answer', () => {
  for (const table of [GLOBALS, FUNCTIONS, PATHS])
    for (const [from, to] of Object.entries(table)) if (from !== to) expect(table).not.toHaveProperty([to]);
  for (const name of Object.keys(OLD_FUNCTIONS)) expect(FUNCTIONS).not.toHaveProperty([name]);
});

test('texts with any content stay valid, and change in no other place', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...Object.keys(PATHS)), (text, path) => {
      const [whole, part] = [JSON.stringify(`/core/v1/${path}`), JSON.stringify(`${text} ${path} ${text}`)];
      const { code } = rewrite('client.js', `f(${whole}); g(${part});`);
      expect(code).toBe(`f(${JSON.stringify(`/core/v1/${PATHS[path]}`)}); g(${part});`);
    }),
  );
});

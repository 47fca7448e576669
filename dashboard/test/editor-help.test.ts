/** Help of the editor, without a browser. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { javascript } from '@codemirror/lang-javascript';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { readEnvironment } from '../action-environment.ts';
import { findSyntaxErrors } from '../src/pages/actions/syntax-errors.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const errorsOf = (doc: string) => findSyntaxErrors(EditorState.create({ doc, extensions: [javascript()] }));

const examples = [...read('docs/actions.md').matchAll(/^```js(?: [^\n]*)?\n(.*?)\n```$/gms)].map(
  ([, code = '']) => code,
);
const standard = readdirSync(join(root, 'actions'))
  .filter((name) => name.endsWith('.js'))
  .map((name) => read(`actions/${name}`));

test.each([...examples, ...standard])('marks nothing in code that runs: %s', (code) => {
  expect(errorsOf(code)).toEqual([]);
});

test.each([
  ['const main = (', 13, 14],
  ['function main() { return { a: 1 ; }', 32, 33],
  ['const main = () => 1 2', 21, 22],
  ['', undefined, undefined],
])('marks where %s does not parse', (code, from, to) => {
  expect(errorsOf(code).map((error) => [error.from, error.to])[0]).toEqual(
    from === undefined ? undefined : [from, to],
  );
});

test('marks at most 20 places', () => {
  expect(errorsOf(') ( }'.repeat(100)).length).toBeLessThanOrEqual(20);
});

test('the completions are the functions of the documentation, with their types, and ethers', () => {
  const environment = readEnvironment();
  const table = read('docs/actions.md').split('\n## Svc.Actions\n')[1]?.split('\n- ')[0] ?? '';
  const documented = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const own = environment['Svc.Actions'] ?? [];
  expect(own.map(({ name }) => name).sort()).toEqual(documented.sort());
  expect(own.find(({ name }) => name === 'signHash')).toEqual({
    name: 'signHash',
    type: 'signHash(parameters: { pkpId: string; hash: string }): Promise<string>',
    about: expect.stringMatching(/^Resolves to the signature of a hash .*[^*/]$/),
  });
  for (const { type, about } of own) expect([type, about]).not.toContain(undefined);
  for (const [expression, name] of [
    ['ethers', 'Contract'],
    ['ethers.utils', 'parseEther'],
    ['ethers.constants', 'MaxUint256'],
    ['ethers.providers', 'StaticJsonRpcProvider'],
  ] as const)
    expect(environment[expression]?.map((member) => member.name)).toContain(name);
});

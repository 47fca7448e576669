import { expect, test } from 'vitest';
import { findCasts } from './casts.ts';
import { findDuplicates, findTwins } from './duplicates.ts';
import { findCycles, findUndeclared, findUpward, importsOf } from './imports.ts';
import { findOverLimits, findOversize } from './sizes.ts';
import { type Manifest, parseScript } from './sources.ts';
import { findUnusedDependencies, findUnusedExports } from './unused.ts';

const manifests = new Map([
  ['', manifest('root', ['vitest'])],
  ['packages/http', manifest('@latchkey/http', ['express'])],
  ['relayer', manifest('@latchkey/relayer', ['@latchkey/http'])],
  ['triggers', manifest('@latchkey/triggers', ['@latchkey/relayer'])],
]);

function manifest(name: string, dependencies: string[], rest?: Partial<Manifest>): Manifest {
  const none = { isPublished: false, optional: new Set<string>(), settings: '' };
  return { name, dependencies: new Set(dependencies), ...none, ...rest };
}

/** Files, given by path and text. */
function scriptsOf(files: Record<string, string>) {
  return Object.entries(files).map(([path, text]) => {
    const owner = [...manifests.keys()].find((folder) => folder !== '' && path.startsWith(`${folder}/`));
    return parseScript(path, text, owner);
  });
}

function importsIn(files: Record<string, string>) {
  return importsOf({ scripts: scriptsOf(files) });
}

test('finds cycles through types, exports and dynamic imports', () => {
  const imports = importsIn({
    'relayer/a.ts': `import type { B } from './b.ts'; export const a = 1;`,
    'relayer/b.ts': `export { c } from './c.ts';`,
    'relayer/c.ts': `export const c = () => import('./a.ts');`,
    'relayer/d.ts': `import { a } from './a.ts';`,
    'relayer/e.ts': `export type E = import('./f.ts').F;`,
    'relayer/f.ts': `export type F = import('./e.ts').E;`,
  });
  expect(findCycles(imports)).toEqual([
    ['relayer/a.ts', 'relayer/b.ts', 'relayer/c.ts'],
    ['relayer/e.ts', 'relayer/f.ts'],
  ]);
});

test('finds no cycle where two files import a third one', () => {
  const imports = importsIn({
    'relayer/a.ts': `import './b.ts'; import './c.ts';`,
    'relayer/b.ts': `import './c.ts';`,
    'relayer/c.ts': '',
  });
  expect(findCycles(imports)).toEqual([]);
});

test('finds undeclared packages and imports by path', () => {
  const imports = importsIn({
    'relayer/a.ts': `import 'node:fs'; import '@latchkey/http/x'; import 'express'; import '../packages/http/b.ts';`,
    'relayer/a.test.ts': `import 'vitest'; import 'pg';`,
    'packages/http/b.ts': `import 'express'; import 'vitest'; import 'ponder:schema';`,
  });
  expect(findUndeclared(imports, { manifests })).toEqual([
    'relayer/a.ts imports express, which relayer/package.json does not declare',
    'relayer/a.ts imports packages/http/b.ts by its path',
    'relayer/a.test.ts imports pg, which relayer/package.json does not declare',
    'packages/http/b.ts imports vitest, which packages/http/package.json does not declare',
  ]);
});

test('finds imports of services, of root folders by packages and of test folders', () => {
  const imports = importsIn({
    'relayer/src/a.ts': `import '@latchkey/http'; import '../../packages/http/test/t.ts'; import '../test/own.ts';`,
    'relayer/test/own.ts': '',
    'triggers/src/b.ts': `import '@latchkey/relayer';`,
    'packages/http/test/t.ts': `import '../../../tools/x.ts';`,
    'tools/x.ts': '',
  });
  expect(findUpward(imports, { manifests })).toEqual([
    'relayer/src/a.ts imports packages/http/test/t.ts',
    'triggers/src/b.ts imports @latchkey/relayer',
    'packages/http/test/t.ts imports tools/x.ts',
  ]);
});

test('finds dependencies that no import, string, command or setting names', () => {
  const used = [
    'express',
    '@types/express',
    'vite',
    'typedoc-plugin',
    'deno',
    'react-peer',
    '@a/b',
    '@types/a__b',
  ];
  const unused = ['ws', '@types/ws', '@a/c', 'deno-types', 'commented'];
  const scripts = scriptsOf({
    'relayer/a.ts': `import 'express/x'; import { type B } from '@a/b'; resolve('deno/package.json'); // commented`,
    'triggers/b.ts': `import 'ws';`,
  });
  const relayer = manifest('@latchkey/relayer', [...used, ...unused, 'platform'], {
    optional: new Set(['platform']),
    settings: '{"build":"vite build"}\n{"plugin":["typedoc-plugin"]}',
  });
  const found = findUnusedDependencies(importsOf({ scripts }), {
    scripts,
    manifests: new Map([
      ['', manifest('root', ['solady'])],
      ['relayer', relayer],
    ]),
    peers: new Map([['express', ['react-peer']]]),
  });
  expect(found).toEqual(unused.map((name) => `relayer/package.json: ${name}`));
});

test('finds exports that no other file uses', () => {
  const scripts = scriptsOf({
    'relayer/a.ts': `export const used = 1; export function unused() { return unused; } export class Un {} export type T = 1;`,
    'relayer/b.ts': `// unused\nexport { Un } from './a.ts'; import * as a from './a.ts'; export default a.used;`,
    'relayer/schema.ts': 'export const table = 1;',
    'packages/http/p.ts': 'export const published = 1;',
  });
  const published = new Map([['packages/http', manifest('@latchkey/http', [], { isPublished: true })]]);
  expect(findUnusedExports({ scripts, manifests: published })).toEqual([
    'relayer/a.ts: unused',
    'relayer/a.ts: Un',
  ]);
});

test('finds casts that switch the type checker off', () => {
  const text = `const a = x as never;\nconst b = x as unknown;\nconst c = x as unknown as Y;\nconst d = x as Y;\nconst e = x as any;`;
  expect(findCasts(parseScript('a.ts', text))).toEqual(['a.ts:1', 'a.ts:3', 'a.ts:5']);
});

test('finds runs of equal tokens in two packages, across layout and comments', () => {
  const body = (name: string) =>
    `export function ${name}(a: number) { return [a, a + 1].map((b) => b * 2); }`;
  const scripts = [
    parseScript('relayer/a.ts', `import 'x';\n${body('one')}`, 'relayer'),
    parseScript('relayer/b.ts', body('one'), 'relayer'),
    parseScript(
      'triggers/c.ts',
      `// c\n\n${body('one').replace('[a', '[ /* a */\n a')}\nconst z = 1;`,
      'triggers',
    ),
    parseScript('triggers/d.ts', body('two'), 'triggers'),
  ];
  expect(findDuplicates(scripts, 30)).toEqual([
    { left: 'relayer/a.ts:2', right: 'triggers/c.ts:3', tokens: 31 },
    { left: 'relayer/b.ts:1', right: 'triggers/c.ts:3', tokens: 31 },
  ]);
  expect(findTwins(scripts)).toEqual(['one: relayer/a.ts, relayer/b.ts, triggers/c.ts']);
});

test('finds modules, routes and functions over their size', () => {
  const lines = (count: number) => 'f();\n'.repeat(count);
  const over = (path: string, text: string) => findOversize(parseScript(path, text)).map(({ name }) => name);
  expect(over('a/src/m.ts', lines(300))).toEqual([]);
  expect(over('a/src/m.ts', lines(301))).toEqual(['a/src/m.ts']);
  const route = `export const r = defineRoute({});\n${lines(60)}`;
  expect(over('a/src/routes/r.ts', route)).toEqual(['a/src/routes/r.ts']);
  expect(over('a/src/routes/shared.ts', lines(61))).toEqual([]);
  expect(over('a/src/routes/r.test.ts', route)).toEqual([]);
  expect(over('a/src/m.ts', `\nconst long = () => {\n${lines(59)}};\nfunction short() {}`)).toEqual([
    'a/src/m.ts:2 long',
  ]);
});

test('refuses functions of 61 and files of 301 lines', () => {
  const functionOf = (lines: number) => `function f() {\n${'f();\n'.repeat(lines - 2)}}\n`;
  const { functions, files } = findOverLimits([
    parseScript('a.ts', functionOf(61)),
    parseScript('b.ts', functionOf(60)),
    parseScript('c.ts', 'f();\n'.repeat(301)),
    parseScript('routes/d.ts', `export const d = defineRoute({});\n${'f();\n'.repeat(299)}`),
  ]);
  expect(functions.map(({ name }) => name)).toEqual(['a.ts:1 f']);
  expect(files.map(({ name }) => name)).toEqual(['c.ts']);
});

import { expect, test } from 'vitest';
import { findCasts } from './casts.ts';
import { findCycles, findUndeclared, findUpward, importsOf } from './imports.ts';
import { catalogueOf, findStale, findUntranslated } from './messages.ts';
import { findOverLimits, findOversize } from './sizes.ts';
import { parseScript } from './sources.ts';

const manifests = new Map([
  ['', manifest('root', ['vitest'])],
  ['packages/http', manifest('@latchkey/http', ['express'])],
  ['relayer', manifest('@latchkey/relayer', ['@latchkey/http'])],
  ['triggers', manifest('@latchkey/triggers', ['@latchkey/relayer'])],
]);

function manifest(name: string, dependencies: string[]) {
  return { name, dependencies: new Set(dependencies) };
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

test('finds casts that switch the type checker off', () => {
  const text = `const a = x as never;\nconst b = x as unknown;\nconst c = x as unknown as Y;\nconst d = x as Y;\nconst e = x as any;`;
  expect(findCasts(parseScript('a.ts', text))).toEqual(['a.ts:1', 'a.ts:3', 'a.ts:5']);
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

test.each([
  ['text', '<p>Two words</p>'],
  ['text between elements', '<>{icon} Credit</>'],
  ['a branch of a condition', '<p>{isOn ? t("On") : "Off"}</p>'],
  ['an alternative', '<p>{name || "No name"}</p>'],
  ['a template', '<p>{`Page $' + '{number}`}</p>'],
  ['an attribute', '<Field aria-label="Search" />'],
  ['an attribute in braces', '<Field placeholder={isAll ? "All" : ""} />'],
  ['a member that is a text', '<Table columns={[{ title: "Status", cell }]} />'],
  ['the name of a fact', '<Facts facts={{ Status: status }} />'],
  ['a message that is not a literal', '<p>{t(message)}</p>'],
  ['a part of a message', '<p>{t("Runs")}{t(" of this key")}</p>'],
])('finds a text of the dashboard that is not in the catalogue: %s', (_name, code) => {
  const [script] = scriptsOf({ 'dashboard/src/a.tsx': `export const a = () => ${code};` });
  expect(script && findUntranslated(script)).toHaveLength(1);
});

test.each([
  ['a message', '<p>{t("Two words")}</p>'],
  ['what has no words', '<p>{count} · 5 %</p>'],
  ['code', '<Code>npm run keys</Code>'],
  ['values of other attributes', '<Group align="start" title={t("Title")} />'],
  ['facts by messages', '<Facts facts={{ [t("Status")]: status }} />'],
  ['the name of the product', '<p>Latchkey</p>'],
])('takes for no text: %s', (_name, code) => {
  const [script] = scriptsOf({ 'dashboard/src/a.tsx': `export const a = () => ${code};` });
  expect(script && findUntranslated(script)).toEqual([]);
});

test('the catalogue is not current when a message was added, changed or removed', () => {
  const stored = catalogueOf(
    scriptsOf({ 'dashboard/src/a.ts': `t('One'); t('{count} of {all}', { count, all });` }),
  );
  expect(JSON.parse(stored)).toEqual({ One: 'One', '{count} of {all}': '{count} of {all}' });
  const findIn = (text: string) => findStale(stored, scriptsOf({ 'dashboard/src/a.ts': text }));
  expect(findIn(`t('{count} of {all}', { count, all }); t('One');`)).toEqual([]);
  expect(findIn(`t('One');`)).toHaveLength(1);
  expect(findIn(`t('Two'); t('{count} of {all}', { count, all });`)).toHaveLength(1);
});

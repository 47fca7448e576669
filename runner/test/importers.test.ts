/** Every way to evaluate text, with every specifier: no action imports a module of the host, from any importer that V8 finds. */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { denoBinary } from '@latchkey/fork-server';
import { describe, expect, test, vi } from 'vitest';
import { COUNT, callbacks, SEARCH } from './importers.ts';
import { startRuntime } from './runtime.ts';

const run = await startRuntime({ poolSize: 4 });
const directories = readdirSync(tmpdir()).filter((name) =>
  name.startsWith(`latchkey-runtime-${process.pid}-`),
);
/** URL of the program on the host, which an action cannot know. */
const programUrl = pathToFileURL(join(tmpdir(), directories.at(-1) as string, 'runtime.js')).href;
// Work that an action does not await is waited for: requests of its providers to hosts that do not exist.
vi.setConfig({ testTimeout: 240_000 });

type Found = { fired: number; imported: string[]; refusals: string[] };
const limits = { timeoutMs: 300_000, maxFetches: 10_000, maxKeyOperations: 10_000, maxKeyCalls: 10_000 };
const find = async (code: string, jsParams: { specifiers: string[] }): Promise<Found> => {
  const { response, error } = await run(code, { jsParams, limits });
  expect(error).toBeUndefined();
  const found = response as Found;
  // A refusal may contain the specifier, which the action has given.
  for (const text of found.refusals)
    expect(text.replaceAll(programUrl, '')).not.toMatch(
      /latchkey-runtime-|\/tmp\b|file:\/\/\/(?!undefined|etc\/passwd)\w/,
    );
  return found;
};

/** Each gets the text of `import()` as an expression, and returns a text whose evaluation calls `hit`. */
const TEXTS = [
  '(code) => code',
  '(code) => "Function(" + JSON.stringify("return " + code) + ")()"',
  '(code) => "(async () => {}).constructor(" + JSON.stringify("return " + code) + ")()"',
  '(code) => "(function* () {}).constructor(" + JSON.stringify("yield " + code) + ")().next().value"',
  '(code) => "(async function* () {}).constructor(" + JSON.stringify("yield await " + code) + ")().next()"',
  '(code) => "(0, eval)(" + JSON.stringify(code) + ")"',
];

/** Functions that evaluate their argument, to be called back. */
const CONSTRUCTORS = ['', 'async ', '*', 'async *'].map(
  (kind) => `Object.getPrototypeOf({ ${kind}f() {} }.f).constructor`,
);
const EVALUATORS = [
  'eval',
  'new Proxy(eval, {})',
  'eval.bind(undefined)',
  'Function',
  ...CONSTRUCTORS.map(
    (kind) => `new Proxy(${kind}, { apply(target, self, args) {
      const made = Reflect.apply(target, self, args)(); made?.next?.(); return made } })`,
  ),
];

/** Runs the body with each evaluator, text and specifier. */
const codeOf = (body: string): string => `const main = async ({ specifiers }) => {
  ${COUNT}
  for (const run of [${EVALUATORS.join(', ')}]) for (const wrap of [${TEXTS.join(', ')}]) for (const specifier of specifiers) {
    const name = JSON.stringify(specifier);
    // V8 keeps the importer of a text that it has compiled: each is another one.
    const get = () => \`hit(\${name}, \${wrap(\`import(\${name})\`)}) // \${++texts}\`;
    Object.defineProperty(globalThis, 'text', { get, configurable: true });
    globalThis.dispatchEvent = quiet;
    try { await (async () => { ${body} })() } catch {}
  }
  await new Promise((done) => later(done, 20));
  globalThis.dispatchEvent = quiet;
  return counted();
}`;

describe('text that is evaluated by', () => {
  test.concurrent.each(Object.entries(callbacks))('%s imports nothing of the host', async (_, body) => {
    const found = await find(codeOf(body), {
      specifiers: ['node:vm', 'ext:core/ops', './runtime.js', programUrl],
    });
    expect(found.imported).toEqual([]);
    // Control: the text was evaluated.
    expect(found.fired).toBeGreaterThan(0);
  });
});

test('no function that an action reaches imports a module of the host when it calls back', async () => {
  const parts = 20;
  const all = await Promise.all(
    Array.from({ length: parts }, async (_, part) => {
      const jsParams = { part, parts, specifiers: ['node:vm', './runtime.js'] };
      return (await find(SEARCH, jsParams)) as Found & {
        functions: number;
        calls: number;
        calledBack: number;
      };
    }),
  );
  const total = (name: 'calls' | 'calledBack' | 'fired') => all.reduce((sum, part) => sum + part[name], 0);
  const [{ functions = 0 } = {}] = all;
  console.log(
    `${functions} functions, ${total('calls')} calls: ${total('calledBack')} functions called back, ${total('fired')} texts evaluated`,
  );
  expect(all.flatMap(({ imported }) => imported)).toEqual([]);
  expect(functions).toBeGreaterThan(2_000);
  expect(total('calledBack')).toBeGreaterThan(400);
}, 400_000);

/** A module of WebAssembly that imports a function of `node:fs`. */
const WASM = Buffer.from([
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 13, 1, 7],
  ...Buffer.from('node:fs'),
  ...[1, 120, 0, 0],
]).toString('base64');
/** Text that an action has. */
const OWN = [
  'data:text/javascript,export default 1',
  'data:application/json,{"a":1}',
  'data:application/wasm;base64,AGFzbQEAAAA=',
];
const OTHERS = [
  ...[
    './runtime.js',
    '../runtime.js',
    '/etc/passwd',
    '//etc/passwd',
    'runtime.js',
    '#x',
    '',
    ' ',
    '.',
    'x:y',
  ],
  ...[
    'file:///etc/passwd',
    'file:/etc/passwd',
    'FILE:///etc/passwd',
    'file://localhost/etc/passwd',
    'file:///',
  ],
  ...[
    'NODE:fs',
    'node:',
    'node:/fs',
    'node:fs?x',
    'node:fs#x',
    'node:FS',
    'node: fs',
    'node:fs/',
    'node:internal/url',
  ],
  ...['npm:ms', 'npm:/ms@2.1.3', 'jsr:@std/fs', 'jsr:/@std/fs', 'https://esm.sh/ms', 'http://127.0.0.1/x.js'],
  ...['checkin:core', 'internal:deno/core', 'deno:core', 'bun:ffi', 'cloudflare:sockets', 'wasm:js-string'],
  ...[
    'not-available:vm',
    'run:action.js',
    'action.js',
    'evalmachine.<anonymous>',
    'vm:module(0)',
    'about:blank',
  ],
  ...['blob:null/6f3d9d0e-0000-4000-8000-000000000000', 'javascript:1', 'filesystem:x', 'ws://127.0.0.1/'],
  `data:application/wasm;base64,${WASM}`,
  ...[
    'node:fs',
    'node:vm',
    'ext:core/ops',
    'file:///etc/passwd',
    './x',
    'npm:ms',
    'https://esm.sh/ms',
  ].flatMap((name) => [
    `data:text/javascript,import "${name}"`,
    `data:text/javascript,export * from "${name}"`,
    `data:text/javascript,import x from "${name}" with { type: "text" }`,
    `data:text/javascript,export const got = await import("${name}")`,
  ]),
];
/** Modules of Node and of Deno, by the names in Deno's binary. */
const builtins = (): string[] => {
  const binary = readFileSync(denoBinary(), 'latin1');
  const names = [...builtinModules, ...(binary.match(/node:[a-z_0-9]+(?:\/[a-z_0-9]+)?/g) ?? [])];
  const own = binary.match(/ext:[a-z_]+\/[\w/.]+\.(?:js|ts|mjs)/g) ?? [];
  return [
    ...new Set([
      ...names.flatMap((name) => [name, `node:${name.replace('node:', '')}`]),
      ...own,
      'ext:core/ops',
    ]),
  ];
};

/** Ways to evaluate a text, each with another importer. */
const IMPORTERS: Record<string, string> = {
  'the action': '(text) => eval(text)',
  'text of the action': '(text) => (0, eval)(text)',
  'a function that is made of text': '(text) => Function(text)()',
  'no code': '(text) => Promise.resolve(text).then(eval)',
  'code of the program': '(text) => setTimeout(eval, 0, text)',
  'code of Deno': '(text) => new WritableStream({ write: eval }).getWriter().write(text)',
  'a data: module': `(await import('data:text/javascript,export const run = (text) => eval(text)')).run`,
  'a blob: module': `(await import(URL.createObjectURL(new Blob(['export const run = (text) => eval(text)'], { type: 'text/javascript' })))).run`,
};

/** Kinds of code, and a text before it that makes it one. */
const KINDS: Record<string, string> = {
  'a script': '',
  'a script with import()': '/* import() */ ',
  'a module': 'export const x = import.meta; ',
};

/** Evaluates `import()` of every specifier, in each phase and with each kind of attributes. */
const importAll = (
  evaluate: string,
  prefix: string,
): string => `${prefix}const main = async ({ specifiers }) => {
  ${COUNT}
  globalThis.dispatchEvent = quiet;
  const evaluate = ${evaluate};
  const short = ${JSON.stringify(['node:fs', 'file:///etc/passwd', './x', 'ext:core/ops'])};
  for (const specifier of specifiers)
    for (const form of ['import', 'import.defer', 'import.source'])
      for (const type of short.includes(specifier) ? ['', 'json', 'text', 'bytes', 'css'] : ['']) {
        const name = JSON.stringify(specifier);
        const options = type === '' ? '{}' : \`{ with: { type: '\${type}' } }\`;
        try { await evaluate(\`hit(\${name}, \${form}(\${name}, \${options})) // \${++texts}\`) } catch {}
      }
  return counted();
}`;

describe('no specifier imports a module of the host', () => {
  const cases = Object.entries(KINDS).flatMap(([kind, prefix]) =>
    Object.entries(IMPORTERS).map(
      ([importer, evaluate]) => [`${importer} (${kind})`, evaluate, prefix] as const,
    ),
  );
  test.concurrent.each(cases)('with %s as the importer', async (importer, evaluate, prefix) => {
    const specifiers = [...OWN, ...OTHERS, ...builtins(), programUrl];
    const found = await find(importAll(evaluate, prefix), { specifiers });
    expect(found.fired).toBeGreaterThan(specifiers.length);
    const own = importer.startsWith('code of the program') ? [] : [OWN[0]];
    expect([...new Set(found.imported)].filter((specifier) => !OWN.includes(specifier))).toEqual([]);
    // Control: importers other than the program do import the action's own text.
    expect(found.imported).toEqual(expect.arrayContaining(own));
  });
});

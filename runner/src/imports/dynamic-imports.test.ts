/** `import()` of an action, from a stand-in for the CDN. */
import { describe, expect, test } from 'vitest';
import { versionOf } from '../../test/cdn.ts';
import { startRuntimeWithCdn } from '../../test/runtime.ts';
import { hashOfModule } from './module-store.ts';

const counter = 'export let count = 0; export const add = () => { count += 1 }';
const chain = Object.fromEntries(
  Array.from({ length: 100 }, (_, i) => [
    `/npm/chain@1.0.0/${i}.js`,
    { body: i < 99 ? `export { default } from './${i + 1}.js'` : 'export default "end"' },
  ]),
);
const { run, cdn } = await startRuntimeWithCdn({
  '/npm/counter@1.0.0/+esm': { body: counter },
  '/npm/user@1.0.0/+esm': { body: `import { add } from '/npm/counter@1.0.0/+esm'; export const use = add` },
  '/npm/effect@1.0.0/+esm': { body: 'globalThis.evaluated = (globalThis.evaluated ?? 0) + 1' },
  '/npm/meta@1.0.0/+esm': { body: 'export default import.meta.url' },
  '/npm/lazy@1.0.0/a.js': { body: `export const load = () => import('./b.js')` },
  '/npm/lazy@1.0.0/b.js': { body: `export default import('/npm/counter@1.0.0/+esm')` },
  '/npm/slow@1.0.0/+esm': {
    body: `await 1; export const late = (await import('/npm/meta@1.0.0/+esm')).default`,
  },
  '/npm/cycle@1.0.0/a.js': {
    body: `export let b; import('./b.js').then((got) => { b = got }); export const a = 1`,
  },
  '/npm/cycle@1.0.0/b.js': {
    body: `import * as a from './a.js'; export { a }; export const again = import('./a.js')`,
  },
  '/npm/waits@1.0.0/a.js': { body: `export const b = await import('./b.js')` },
  '/npm/waits@1.0.0/b.js': { body: `export const a = await import('./a.js')` },
  '/npm/throws@1.0.0/+esm': { body: 'throw globalThis.thrown = new RangeError("at its start")' },
  '/npm/node@1.0.0/+esm': { body: `export const load = () => import('node:fs'); export default 1` },
  '/npm/broken@1.0.0/+esm': { body: 'export const = 1' },
  '/npm/unknown@1.0.0/+esm': { body: `import { none } from '/npm/counter@1.0.0/+esm'` },
  '/npm/holed@1.0.0/+esm': { body: `import '/npm/counter@1.0.0/+esm'; import '/npm/absent@1.0.0/+esm'` },
  '/npm/wide@1.0.0/+esm': {
    body: `import '/npm/holed@1.0.0/+esm'; ${Array.from({ length: 6_000 }, (_, i) => `import '/npm/${i}/../counter@1.0.0/+esm'`).join(';')}`,
  },
  '/npm/wider@1.0.0/+esm': { body: `import '/npm/wide@1.0.0/+esm'` },
  ...chain,
});
const outcome = async (code: string) => {
  const { response, error } = await run(code);
  return error ? `${error.name}: ${error.message}` : response;
};
const zod = `zod@${versionOf('zod')}`;
const use = `const { z } = await import("${zod}"); return z.int().safeParse(1.5).success`;

test.each([
  ['a script', `const main = async () => { ${use} }`],
  ['a module', `export const main = async () => { ${use} }`],
  [
    'a module, at its top level',
    `const { z } = await import("${zod}"); export const main = () => z.int().safeParse(1.5).success`,
  ],
  [
    'a text in backticks, after a comment',
    `const main = async () => { ${use.replaceAll('"', '`').replace('(', '( /* a */ ')} }`,
  ],
  ['an argument after the specifier', `const main = async () => { ${use.replace('")', '", undefined)')} }`],
  [
    'a text that is evaluated',
    `const main = () => eval(${JSON.stringify(`(async () => { ${use} })()`)})`.replaceAll('\\"', "'"),
  ],
  [
    'a function that is made of text',
    `const main = () => Function('use', 'return use()')(async () => { ${use} })`,
  ],
  [
    'a specifier that is computed, when another import() has its text',
    `const later = () => import("${zod}");
    const main = async () => { ${use.replace(`"${zod}"`, `"zod" + "@${versionOf('zod')}"`)} }`,
  ],
  [
    'an object whose text is the specifier',
    `const later = () => import("${zod}"); let asked = 0;
    const main = async () => { ${use.replace(`"${zod}"`, `{ toString: () => (asked++ ? 'node:fs' : '${zod}') }`)} }`,
  ],
])('imports a package in %s', async (_where, code) => {
  expect(await outcome(code)).toBe(false);
});

describe('a module that is imported dynamically', () => {
  test('is the one that static imports and packages have', async () => {
    const code = `import * as first from 'counter@1.0.0'; import { load } from 'lazy@1.0.0/a.js';
      export const main = async () => {
        const [a, b, user] = await Promise.all([import('counter@1.0.0'), import('${cdn.cdnUrl}/counter@1.0.0/+esm'), import('user@1.0.0')]);
        user.use(); a.add();
        return [first.count, a === first, b === first, (await (await load()).default) === first];
      }`;
    expect(await outcome(code)).toEqual([2, true, true, true]);
  });

  test('is evaluated once, at the first import(), and loaded before the run', async () => {
    const code = `const main = async () => {
      const before = [globalThis.evaluated, Svc.Actions.showImportDetails().length];
      const [a, b] = await Promise.all([import('effect@1.0.0'), import('effect@1.0.0')]);
      return [...before, globalThis.evaluated, a === b]; }`;
    expect(await outcome(code)).toEqual([null, 1, 1, true]);
  });

  test('is not evaluated when only a comment or a text names it', async () => {
    const code = `// import('effect@1.0.0')\nconst text = "import('effect@1.0.0')"; const main = () => typeof evaluated`;
    expect(await outcome(code)).toBe('undefined');
  });

  test('can await, and import itself', async () => {
    const code = `const main = async () => {
      const [a, b] = await Promise.all([import('slow@1.0.0'), import('slow@1.0.0')]); return [a.late, a === b] }`;
    expect(await outcome(code)).toEqual([`${cdn.cdnUrl}/meta@1.0.0/+esm`, true]);
  });

  test('can import in a cycle, while V8 evaluates it', async () => {
    const code = (imports: string) => `${imports} const main = async () => {
      const a = await import('cycle@1.0.0/a.js'); const b = await import('cycle@1.0.0/b.js');
      return [a.b === b, b.a === a, (await b.again) === a, a.a]; }`;
    for (const imports of ['', `import 'cycle@1.0.0/a.js';`, `import 'cycle@1.0.0/b.js';`])
      expect(await outcome(code(imports))).toEqual([true, true, true, 1]);
  });

  test('waits for ever when it awaits the import of a module that awaits its own', async () => {
    const code = `const main = () => import('waits@1.0.0/a.js')`;
    expect(await outcome(code)).toMatch(/^NeverSettledError: /);
  });

  test('rejects every import() with the error that it throws', async () => {
    const code = `const main = async () => {
      const errors = [];
      for (let i = 0; i < 2; i++) await import('throws@1.0.0').catch((error) => errors.push(error));
      return [...errors.map((error) => error === thrown), thrown.message]; }`;
    expect(await outcome(code)).toEqual([true, true, 'at its start']);
  });

  test('ends the run with its error when nothing awaits the import, and logs it once main has returned a value', async () => {
    expect(await outcome(`const main = async () => { import('throws@1.0.0') }`)).toBe(
      'RangeError: at its start',
    );
    const late = await run(`const main = async () => { import('throws@1.0.0'); return 1 }`);
    expect(late).toMatchObject({ response: 1, logs: expect.stringContaining('at its start') });
  });

  test('is the same when the code has changed the prototypes', async () => {
    const code = `const main = async () => {
      for (const key of ['get', 'set', 'value', 'with', 'type', 'then'])
        Object.defineProperty(Object.prototype, key, { __proto__: null, get: () => undefined, set() {}, configurable: true });
      Map.prototype.get = RegExp.prototype.exec = String.prototype.slice = Reflect.ownKeys = Reflect.apply = () => { throw 1 };
      const { count } = await import('counter@1.0.0');
      const { default: text } = await import('data:text/javascript,export default "text"');
      for (const key of ['get', 'set', 'value', 'with', 'type', 'then']) delete Object.prototype[key];
      return [count, text] }`;
    expect(await outcome(code)).toEqual([0, 'text']);
  });

  test('has the hash in its specifier, or is refused', async () => {
    const hash = hashOfModule(Buffer.from(counter));
    const code = (hash: string) => `const main = async () => (await import('counter@1.0.0#${hash}')).count`;
    expect(await outcome(code(hash))).toBe(0);
    expect(await outcome(code(hashOfModule(Buffer.from('other'))))).toMatch(
      /^TypeError: .*\/counter@1\.0\.0\/\+esm has the hash sha384-.*, the import has sha384-/,
    );
  });
});

describe('import() rejects with a TypeError that names the fix', () => {
  test.each([
    ['"zod"', 'has no exact version: write zod@1.2.3'],
    ['"zod@latest"', 'has no exact version: write zod@1.2.3'],
    ['"zod@^4.0.0"', 'has no exact version'],
    [
      '"z" + "od@4.0.0"',
      'import("zod@4.0.0") names no module that was loaded before the run: write the package',
    ],
    ['name', 'import("computed@1.0.0") names no module that was loaded before the run'],
    [`\`zod@\${1}.0.0\``, 'import("zod@1.0.0") names no module that was loaded before the run'],
    ['{ toString: () => "node:fs" }', 'import("node:fs") names no module'],
    ['"node:fs"', 'is a module of Node'],
    ['"fs"', 'is a module of Node'],
    ['"./runtime.js"', 'is a file: an action is one file'],
    ['"file:///etc/passwd"', 'is not a module of'],
    ['"http://127.0.0.1/x.js"', 'is not a module of'],
    ['"https://evil.example/x.js"', 'is not a module of'],
    ['"npm:zod@4.0.0"', 'is not a module of'],
    ['"absent@1.0.0"', 'does not exist on the CDN'],
    ['"broken@1.0.0"', 'is not an ES module'],
    ['"unknown@1.0.0"', "does not provide an export named 'none'"],
    ['"holed@1.0.0"', '/absent@1.0.0/+esm does not exist on the CDN'],
    ['"counter@1.0.0", { with: { type: "json" } }', 'takes no attributes: remove the second argument'],
    [`"${'a'.repeat(2_001)}"`, 'names no module'],
  ])('for %s', async (specifier, message) => {
    const code = `const name = 'computed@1.0.0'; const main = async () => {
      let error; try { await import(${specifier}) } catch (caught) { error = caught }
      return [error instanceof TypeError, error.message, /\\n    at main \\(action\\.js:2:\\d+\\)$/.test(error.stack)]; }`;
    for (const each of [code, `${code}; export { main }`])
      expect(await outcome(each)).toEqual([true, expect.stringContaining(message), true]);
  });

  test('in code that is a module of a package', async () => {
    const code = `import one, { load } from 'node@1.0.0'; export const main = async () => [one, await load().catch(String)]`;
    expect(await outcome(code)).toEqual([
      1,
      expect.stringMatching(/^TypeError: the import "node:fs" in .* is a module of Node/),
    ]);
  });

  test('and the run goes on without it', async () => {
    const code = `import { count } from 'counter@1.0.0'; const later = () => [import('broken@1.0.0'), import('holed@1.0.0')]; export const main = () => count`;
    expect(await outcome(code)).toBe(0);
  });

  test('for each specifier of a module that cannot be loaded', async () => {
    const code = `const main = () => Promise.all([import('broken@1.0.0'), import('${cdn.cdnUrl}/broken@1.0.0/+esm')].map((each) => each.catch(String)))`;
    const refused = expect.stringMatching(/^TypeError: .*\/broken@1\.0\.0\/\+esm is not an ES module/);
    expect(await outcome(code)).toEqual([refused, refused]);
  });

  test('and modules that it shares with others are imported all the same', async () => {
    const code = (names: string[]) =>
      `const main = () => Promise.all([${names.map((name) => `import('${name}@1.0.0')`)}].map((each) => each.then(() => 1, () => 0)))`;
    expect(await outcome(code(['unknown', 'counter', 'holed', 'user']))).toEqual([0, 1, 0, 1]);
    expect(await outcome(code(['user', 'holed', 'counter', 'unknown']))).toEqual([1, 0, 1, 0]);
  });

  test('and does not load again what another import() has loaded in vain', async () => {
    const code = `const main = () => Promise.all([import('wide@1.0.0'), import('wider@1.0.0')].map((each) => each.catch(({ message }) => message)))`;
    const refused = expect.stringContaining('/absent@1.0.0/+esm does not exist on the CDN');
    expect(await outcome(code)).toEqual([refused, refused]);
  });

  test('of a text: it cannot import a package', async () => {
    const text = (code: string) => JSON.stringify(`data:text/javascript,${encodeURIComponent(code)}`);
    const code = (of: string) => `const main = async () => (await import(${text(of)})).default; `;
    for (const suffix of ['', 'export { main }']) {
      expect(await outcome(code('export default 7') + suffix)).toBe(7);
      expect(await outcome(code('export * from "zod@4.0.0"') + suffix)).toMatch(/^TypeError: /);
      expect(await outcome(code('export default await import("zod@4.0.0")') + suffix)).toMatch(
        /^TypeError: /,
      );
    }
  });
});

describe('the limits of modules', () => {
  test('count modules that are imported dynamically: 100 with the static ones, which are loaded first', async () => {
    const code = (index: number) => `import { count } from 'counter@1.0.0';
      export const main = async () => [count, (await import('chain@1.0.0/${index}.js')).default]`;
    expect(await outcome(code(1))).toEqual([0, 'end']);
    expect(await outcome(code(0))).toBe('TypeError: the action imports more than 100 modules');
  });

  test('count refused ones, of which a run can have many', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => `import("absent${i}@1.0.0")`).join();
    const code = (count: number, name: string) =>
      `const later = () => [${many(count)}]; const main = () => import('absent' + ${name} + '@1.0.0')`;
    expect(await outcome(code(99, '98'))).toContain('/absent98@1.0.0/+esm does not exist on the CDN');
    const before = cdn.requests.length;
    expect(await outcome(code(12_000, '999'))).toBe('TypeError: the action imports more than 100 modules');
    expect(cdn.requests.length - before).toBeLessThan(105);
    expect(await outcome(code(12_000, '1000'))).toContain(
      'import("absent1000@1.0.0") names no module that was loaded before the run',
    );
  });

  test('loading is time of the run', async () => {
    cdn.replies['/npm/late@1.0.0/+esm'] = { delayMs: 10_000, body: '' };
    const { error } = await run(`const main = () => import('late@1.0.0')`, { limits: { timeoutMs: 500 } });
    expect(error?.name).toBe('TimeLimitError');
  });
});

import { describe, expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';

const run = await startRuntime();

/** Asserts that no text names the process around the action. */
const HOST = /latchkey|runtime\.js|ext:|node:|file:|deno|vm\.js|\/tmp|Script\.|SourceTextModule|core\.js/i;
const failure = async (code: string) => {
  const { error, logs } = await run(code);
  expect(error).toBeDefined();
  expect(`${error?.name} ${error?.message} ${error?.stack} ${logs}`).not.toMatch(HOST);
  return error as { name: string; message: string; stack: string };
};

describe('a syntax error names its line and column', () => {
  test.each([
    ['in the first line', 'function main( {', '1:17'],
    ['at the start', ')', '1:1'],
    ['in the middle', 'const a = 1;\n\n  const b = ;\nfunction main() {}', '3:13'],
    ['in the last line', 'function main() {\n  return 1;\n}\n}', '4:1'],
    ['at the end', 'function main() {\n  return {\n', '3:1'],
    ['in a function that is not called', 'const main = () => 1;\nfunction f() { return 1 +; }', '2:26'],
    ['after characters of more than one unit', 'const a = "ü🔑"; const b = ;', '1:28'],
    ['after a CRLF line end', 'const a = 1;\r\nconst b = ;', '2:11'],
    ['a template without an end', 'const main = () => `abc', '1:24'],
    ['a regular expression', 'const main = () => /(/', '1:20'],
    ['a name declared twice', 'let a = 1;\nlet a = 2;', '2:5'],
    ['of a script with `with` before it', 'with ({}) {}\nlet b = ;', '2:9'],
    ['of a module', 'export const a = 1;\n const b = ;', '2:12'],
    ['of a module, in its last line', 'export const a = 1;\nfunction main( {', '2:17'],
    ['of a module, before its first export', 'const b = ;\nexport const a = 1;', '1:11'],
    ['of a module that imports', 'import a from "b";\n\nconst c = ;', '3:11'],
    ['an export of what is not there', 'const main = () => 1;\nexport { missing }', '2:10'],
    ['await in a function that is not async', 'function main() {\n  await 1\n}', '2:3'],
    ['return outside of a function', 'const a = 1;\n return a', '2:2'],
  ])('%s', async (_where, code, position) => {
    const { name, message, stack } = await failure(code);
    expect(name).toBe('SyntaxError');
    expect(message).toMatch(new RegExp(`^.+ \\(action\\.js:${position}\\)$`));
    expect(stack).toBe(`SyntaxError: ${message}\n    at action.js:${position}`);
  });
});

const MODULE = '; export {}';
const THROWS: [string, string, string[]][] = [
  ['at load', '\n\n  throw new Error("late"); function main() {}', ['action.js:3:9']],
  ['in main', 'function main() {\n    throw new Error("late") }', ['main (action.js:2:11)']],
  ['by the language', 'function main() {\n  return null.x }', ['main (action.js:2:15)']],
  [
    'in a function called by a built-in function',
    'const f = () => {\n throw new Error("late") };\nconst main = () => [1].map(f)',
    ['f (action.js:2:8)', 'Array.map (<anonymous>)', 'main (action.js:3:24)'],
  ],
  [
    'after an await',
    'async function f() { await 1;\n throw new Error("late") }\nasync function main() { await f() }',
    ['f (action.js:2:8)', 'async main (action.js:3:25)'],
  ],
  [
    'in a timer',
    'const main = () => new Promise(() =>\n setTimeout(function late() { throw new Error("late") }, 1))',
    ['late (action.js:2:37)'],
  ],
  [
    'in a microtask',
    'const main = () => { queueMicrotask(function late() {\nthrow new Error("late") }); return new Promise(() => {}) }',
    ['late (action.js:2:7)'],
  ],
  [
    'in a listener',
    'function main() { const t = new EventTarget(); t.addEventListener("x", function late() {\n throw new Error("x") });\n t.dispatchEvent(new Event("x")); return new Promise(() => {}) }',
    ['EventTarget.late (action.js:2:8)', 'main (action.js:3:4)'],
  ],
  [
    'in an unhandled promise',
    'const main = () => { Promise.reject(\nnew Error("late")); return new Promise(() => setTimeout(() => {}, 5000)) }',
    ['main (action.js:2:1)'],
  ],
  [
    'in a method',
    'class A { constructor() { this.go() }\n go() { throw new Error("x") } }\nconst main = () => new A()',
    ['A.go (action.js:2:15)', 'new A (action.js:1:32)', 'main (action.js:3:20)'],
  ],
  [
    'by a promise function',
    'const main = () => new Promise(() =>\n JSON.parse("{"))',
    ['JSON.parse (<anonymous>)'],
  ],
  ['by a web function', 'function main() {\n  return new URL("x") }', ['main (action.js:2:10)']],
  ['by ethers', 'const main = () =>\n ethers.utils.getAddress("0x1")', ['main (action.js:2:15)']],
  ['by a key function', 'const main = () =>\n Svc.Actions.getPrivateKey({})', ['main (action.js:2:14)']],
  [
    'by a key function, later',
    'const main = async () => { await 1;\n await Svc.Actions.getPrivateKey({}) }',
    ['main (action.js:2:20)'],
  ],
  [
    'by setResponse',
    'const main = () =>\n Svc.Actions.setResponse({ response: 1n })',
    ['main (action.js:2:14)'],
  ],
  ['by fetch', 'const main = () =>\n fetch("http://127.0.0.1/")', ['main (action.js:2:2)']],
  ['by fetch, for its arguments', 'const main = () =>\n fetch("no url")', ['main (action.js:2:2)']],
  [
    'in eval',
    'const main = () =>\n eval("\\n throw new Error(`late`)")',
    ['eval (eval at main (action.js:2:2), <anonymous>:2:8)'],
  ],
  [
    'in a function created from text',
    'const main = () =>\n new Function("throw new Error(`late`)")()',
    ['eval (eval at main (action.js:2:2), <anonymous>:3:7)', 'main (action.js:2:41)'],
  ],
  ['by a syntax error of eval', 'const main = () =>\n eval("1 +")', ['main (action.js:2:2)']],
  [
    'in code with a sourceURL comment',
    'const main = () => {\n throw new Error("x") }\n//# sourceURL=file:///a.ts',
    ['main (action.js:2:8)'],
  ],
];

describe.each([
  ['a script', ''],
  ['a module', MODULE],
])('a throw of %s names line and column', (_kind, suffix) => {
  test.each(THROWS)('%s', async (_where, code, frames) => {
    const { stack } = await failure(`${code}\n${suffix}`);
    for (const frame of frames) expect(stack.split('\n')).toContain(`    at ${frame}`);
  });
});

test.each([
  ['"text"', 'text'],
  ['null', 'null'],
  ['undefined', 'undefined'],
  ['{ a: 1 }', '{ a: 1 }'],
  ['Object.create(null)', '[Object: null prototype] {}'],
  ['() => 1', '[Function (anonymous)]'],
])('shows a thrown %s, which has no stack', async (value, message) => {
  const error = await failure(`const main = () => { throw ${value} }`);
  expect(error).toMatchObject({ name: 'Error', message });
});

test('an error that the action logs has only frames of the action', async () => {
  const { logs } = await run(
    'const main = () => { console.log(new Error("x"));\n console.trace(); try { ethers.utils.getAddress("1") } catch (error) { console.log(error.stack) } }',
  );
  expect(logs).toMatch(/Error: x\n {4}at main \(action\.js:1:34\)\nTrace\n {4}at main \(action\.js:2:10\)/);
  expect(logs).toMatch(/ {4}at main \(action\.js:2:38\)\n$/);
  expect(logs).not.toMatch(HOST);
});

test('an action that formats stacks itself gets its own frames, however it restores the formatter', async () => {
  const code = `const main = () => {
    const before = Error.prepareStackTrace;
    Error.prepareStackTrace = (error, sites) => sites.map((site) => site.getFileName()).join();
    const own = new Error('x').stack;
    Error.prepareStackTrace = before;
    return [own, new Error('y').stack];
  }`;
  expect((await run(code)).response).toEqual(['run:action.js', 'Error: y\n    at main (action.js:6:18)']);
});

test('a deep stack keeps the frames next to the throw', async () => {
  const code = 'const f = (n) => { if (n === 0) throw new Error("x"); f(n - 1) }\nconst main = () => f(100)';
  const lines = (await failure(code)).stack.split('\n');
  expect(lines[1]).toBe('    at f (action.js:1:39)');
  expect(lines).toHaveLength(16);
});

describe('names of the environment', () => {
  test.each(['TimeLimitError', 'MemoryLimitError', 'CreditError', 'NoMainError', 'WalletNotPermittedError'])(
    'an error of the action cannot claim %s',
    async (name) => {
      const code = `const main = () => { throw Object.assign(new Error('mine'), { name: '${name}' }) }`;
      expect(await failure(code)).toMatchObject({ name: 'Error', message: 'mine' });
    },
  );

  test('an error of the environment keeps its name, even when the action changes it', async () => {
    const code = `const main = async ({ pkpId }) => {
      const wallet = '0x0000000000000000000000000000000000000001';
      const error = await Svc.Actions.getPrivateKey({ pkpId: wallet }).catch((thrown) => thrown);
      error.name = 'CreditError';
      throw error;
    }`;
    expect((await failure(code)).name).toBe('WalletNotPermittedError');
  });
});

test('reportError ends the run like an uncaught error', async () => {
  const { name, message } = await failure(
    `const main = () => new Promise(() => { setTimeout(() => {}, 60_000); reportError(new RangeError('reported')) })`,
  );
  expect({ name, message }).toEqual({ name: 'RangeError', message: 'reported' });
});

test.each([
  ['a script', ''],
  ['a module', 'export {};'],
])('no text tells %s a path or a process id of the host', async (_, module) => {
  const { response, error } = await run(`${module} const main = async () => {
    const texts = [];
    const add = (error) => texts.push(String(error), error?.stack, error?.fileName, error?.filename, JSON.stringify(error));
    const seen = (event) => { event.preventDefault(); add(event); add(event.error); return false };
    globalThis.dispatchEvent = seen;
    globalThis.add = add;
    // V8 keeps the importer of a text that it has compiled: each is another one.
    let pending = 0;
    globalThis.end = (error) => { pending -= 1; add(error); };
    Error.prepareStackTrace = (error, sites) => {
      for (const site of sites) texts.push(site.getFileName(), site.getScriptNameOrSourceURL(), String(site.getEvalOrigin()), String(site));
      return sites.map(String).join();
    };
    const evaluate = [
      (text) => eval(text), (text) => (0, eval)(text), (text) => Promise.resolve(text).then(eval), (text) => setTimeout(eval, 0, text),
      (text) => new WritableStream({ write: eval }).getWriter().write(text),
    ];
    for (const run of evaluate) for (const name of ['./x', 'x', '../x', '/x', 'file:///x', 'node:fs', 'npm:x', '#x', 'x:y', ''])
      for (const options of ['{}', '{ with: { type: "json" } }', '{ with: { type: "text" } }'])
        try { pending += 1; run('import(' + JSON.stringify(name) + ', ' + options + ').then(end, end) // ' + pending) } catch (error) { end(error) }
    while (pending > 0) await new Promise((done) => setTimeout(done, 10));
    for (const run of evaluate) run('add(new Error("x")) // ' + run);
    reportError(new Error('reported'));
    setTimeout(() => { throw new Error('thrown') });
    for (const fail of [() => new URL('./x'), () => new Request('./x'), () => new WebAssembly.Module(new Uint8Array(1)), () => structuredClone(() => {})])
      try { fail() } catch (error) { add(error) }
    await fetch('./x').catch(add);
    await new Promise((done) => setTimeout(done));
    return texts;
  }`);
  expect(error).toBeUndefined();
  const texts = (response as (string | null)[]).filter((text) => text !== null);
  expect(texts.length).toBeGreaterThan(300);
  const told = texts.filter((text) => /latchkey|\/tmp|\/proc|file:\/\/\/(?!undefined|x\b)\w/.test(text));
  expect([...new Set(told)]).toEqual([]);
});

describe('what an error was caused by', () => {
  test('is in the stack of the run, with its own stack', async () => {
    const code = `const main = async () => {
      try { null.x } catch (cause) {
        throw new Error('outer', { cause: new RangeError('middle', { cause }) }) } }`;
    const { message, stack } = await failure(code);
    expect(message).toBe('outer');
    expect(stack.split('\n').filter((line) => !line.startsWith('    at '))).toEqual([
      'Error: outer',
      '[cause]: RangeError: middle',
      "[cause]: TypeError: Cannot read properties of null (reading 'x')",
    ]);
    expect(stack).toContain('    at main (action.js:2:18)');
  });

  test('of an AggregateError is each of its errors', async () => {
    const code = `const main = () => Promise.any([
      Promise.reject(new RangeError('first')), Promise.reject('text'), Promise.reject({ code: 7 })])`;
    const { name, stack } = await failure(code);
    expect(name).toBe('AggregateError');
    expect(stack).toMatch(/^\[errors\]\[0\]: RangeError: first$/m);
    expect(stack).toMatch(/^\[errors\]\[1\]: text$/m);
    expect(stack).toMatch(/^\[errors\]\[2\]: \{ code: 7 \}$/m);
  });

  test.each([
    ['a circle', 'const e = new Error("x"); e.cause = e; throw e'],
    ['a getter that throws', 'throw Object.defineProperty(new Error("x"), "cause", { get() { throw 1 } })'],
    [
      'a getter of an endless number',
      'const next = () => Object.defineProperty(new Error("x"), "cause", { get: next }); throw next()',
    ],
    ['a long text', 'throw new Error("x", { cause: "y".repeat(1e6) })'],
    ['many errors', 'throw new AggregateError(Array.from({ length: 1e5 }, () => new Error("y")), "x")'],
    [
      'errors of errors',
      'let e = new Error("y"); for (let i = 0; i < 8; i++) e = new AggregateError(Array(10).fill(e), "x"); throw e',
    ],
  ])('is cut for %s', async (_what, code) => {
    const { message, stack } = await failure(`const main = () => { ${code} }`);
    expect(message).toBe('x');
    expect(stack.length).toBeLessThanOrEqual(16_000);
  });
});

describe('code for CommonJS', () => {
  test.each([
    'const { z } = require("zod"); module.exports = { main: () => 1 }',
    'module.exports.main = () => 1',
    'exports.main = () => 1',
    'const main = () => require("fs")',
  ])('%s fails with a hint', async (code) => {
    const { name, message } = await failure(code);
    expect(name).toBe('ReferenceError');
    expect(message).toContain('--format=esm');
  });

  test('a bundle that hides main fails with a hint', async () => {
    const { name, message } = await failure('(() => { async function main() { return 1 } })();');
    expect(name).toBe('NoMainError');
    expect(message).toContain('--format=esm');
  });

  test('that the action handles stays as it is', async () => {
    const code = 'const main = () => { try { require("x") } catch (error) { return error.message } }';
    expect((await run(code)).response).toBe('require is not defined');
  });
});

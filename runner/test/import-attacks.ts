/**
 * An action that replaces what the language has before it calls `import()` in every way, and reports which objects of the host its
 * replacements got.
 */

/** `note` takes the list of values that a replacement got. `mine` marks a function of the action. */
const WATCH = `
  const { apply, construct, ownKeys, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Reflect;
  const { setTimeout, Promise, Proxy, dispatchEvent } = globalThis;
  const { toString } = Function.prototype;
  const { values, get: valueOf } = Map.prototype;
  const { description } = Object.getOwnPropertyDescriptors(Symbol.prototype);
  const own = new Set();
  const { add, has } = Set.prototype;
  const mine = (f) => { apply(add, own, [f]); return f };
  const noted = [];
  let count = 0;
  let isOver = false;
  const note = (list) => {
    for (let i = 0; !isOver && i < list.length; i++) defineProperty(noted, count++, { __proto__: null, value: list[i] });
  };
  const traps = { __proto__: null };
  const spyTarget = mine({});
  for (const trap of ownKeys(Reflect)) {
    const real = Reflect[trap];
    if (typeof real === 'function' && trap !== 'apply' && trap !== 'construct') traps[trap] = mine((...list) => { note(list); return apply(real, undefined, list) });
  }
  globalThis.spy = mine(new Proxy(spyTarget, traps));
  const undo = [];
  const replace = (target, key, change) => {
    const before = getOwnPropertyDescriptor(target, key);
    if (before?.configurable === false) return;
    if (before) setPrototypeOf(before, null);
    if (defineProperty(target, key, { __proto__: null, configurable: true, ...change(before) }))
      undo[undo.length] = () => (before ? defineProperty(target, key, before) : deleteProperty(target, key));
  };
  const replacePrototype = (target, prototype) => {
    const before = getPrototypeOf(target);
    if (setPrototypeOf(target, prototype(before))) undo[undo.length] = () => setPrototypeOf(target, before);
  };
  const hostObjects = () => {
    const found = new Set();
    const look = (value, depth) => {
      if (typeof value === 'symbol' && /^k[A-Z]/.test(value.description)) found.add('the symbol ' + value.description);
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || own.has(value) || depth > 3) return;
      for (const key of ownKeys(value)) if (typeof key === 'symbol') look(key, depth);
      const name = getPrototypeOf(value)?.constructor?.name;
      if (/Module$|^Script$|^Contextify/.test(name)) found.add('a ' + name);
      if (typeof value === 'function' && !/\\[native code\\]|\\/\\*own\\*\\//.test(apply(toString, value, [])))
        found.add('the function ' + apply(toString, value, []).slice(0, 100));
      if (value instanceof Map) for (const each of apply(values, value, [])) look(each, depth + 1);
      if (Array.isArray(value)) for (const each of value.slice(0, 100)) look(each, depth + 1);
    };
    for (let i = 0; i < count; i++) look(noted[i], 0);
    return [...found];
  };`;

const KEYS = `['then', 'catch', 'finally', 'constructor', 'value', 'get', 'set', 'writable', 'enumerable', 'configurable', 'evaluate', 'namespace',
  'status', 'link', 'error', 'context', 'identifier', 'with', 'type', 'assert', 'attributes', 'specifier', 'phase', 'length', '0', '1', '2', 'done',
  'next', 'return', 'toJSON', 'toString', 'stack', 'message', 'name', 'cause', 'code', 'url', 'default', 'importModuleDynamically',
  ...ownKeys(Symbol).map((key) => Symbol[key]).filter((key) => typeof key === 'symbol')]`;

/** Statements that replace something, by what they replace. */
export const replacements: Record<string, string> = {
  'getters and setters of Object.prototype': `for (const key of ${KEYS}) {
    const value = Object.prototype[key];
    replace(Object.prototype, key, () => ({
      get: mine(function () { note([this]); return value }),
      set: mine(function (value) { note([this, value]); defineProperty(this, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true }) }),
    }));
  }`,
  'getters of Object.prototype that return a proxy': `for (const key of ['then', 'with', 'type', 'evaluate', 'namespace', 'status', Symbol.species])
    replace(Object.prototype, key, () => ({ get: mine(function () { note([this]); return this === globalThis ? undefined : spy }), set: undefined }));`,
  'the prototypes of prototypes': `for (const { prototype } of [Promise, Function, Array, Map, RegExp, String, TypeError])
    replacePrototype(prototype, (before) => new Proxy(before, {
      get: mine((target, key, receiver) => { note([receiver, key]); return target[key] }),
      has: mine((target, key) => { note([key]); return key in target }),
      getOwnPropertyDescriptor: mine((target, key) => { note([key]); return getOwnPropertyDescriptor(target, key) }),
    }));`,
  'then of Promise.prototype': `const { then } = Promise.prototype;
    replace(Promise.prototype, 'then', () => ({ value: mine(function (...list) { note([this, ...list]); return apply(then, this, list) }) }));`,
  'then of Promise.prototype, to resolve to a proxy': `const { then } = Promise.prototype;
    replace(Promise.prototype, 'then', () => ({ value: mine(function (...list) {
      note([this, ...list]); list[0]?.(spy); return apply(then, this, [mine((value) => note([value])), mine((error) => note([error]))]);
    }) }));`,
  'the constructor of Promise.prototype': `const Fake = mine(function (executor) {
      note([executor]); const promise = new Promise(() => {}); executor(mine((value) => note([value])), mine((error) => note([error]))); return promise;
    });
    replace(Promise.prototype, 'constructor', () => ({ get: mine(function () { note([this]); return Fake }), set: undefined }));`,
  'constructor and then of Promise.prototype': `replace(Promise.prototype, 'constructor', () => ({ value: spy }));
    replace(Promise.prototype, 'then', () => ({ value: mine(function (...list) { note([this, ...list]); list[0]?.(spy); return spy }) }));`,
  'the constructor of Promise.prototype, to change a namespace before it is returned': `const { then } = Promise.prototype;
    let isBusy = false;
    replace(Promise.prototype, 'constructor', () => ({ set: undefined, get: mine(function () {
      note([this]);
      if (isBusy) return Promise;
      isBusy = true;
      try { apply(then, this, [mine((value) => { note([value]); value?.arm?.() }), mine(() => {})]) } catch {}
      isBusy = false;
      return Promise;
    }) }));`,
  'the species of Promise': `const Fake = mine(function (executor) {
      note([executor, new.target]); const held = Promise.withResolvers();
      executor(mine((value) => { note([value]); held.resolve(value) }), mine((error) => { note([error]); held.reject(error) })); return held.promise;
    });
    replace(Promise, Symbol.species, () => ({ get: mine(function () { note([this]); return Fake }), set: undefined }));`,
  'functions that read their callers': `const calling = mine(Function('mine', 'note', 'apply', 'before', \`
      return mine(function own(...list) { /*own*/
        try { for (let f = own.caller, depth = 0; f && depth < 20; f = f.caller, depth++) note([f]) } catch {}
        return apply(before, this, list);
      })\`));
    const spied = mine((before) => calling(mine, note, apply, before));
    replace(Promise.prototype, 'then', ({ value }) => ({ value: spied(value), writable: true }));
    for (const [holder, key, value] of [[Promise.prototype, 'constructor', Promise], [Promise, Symbol.species, Promise],
      ...['then', 'with', 'type', 'get', 'value'].map((key) => [Object.prototype, key])])
      replace(holder, key, () => ({ get: spied(mine(() => value)), set: undefined }));`,
  'every function of the language': `for (const holder of [Reflect, JSON, ...[Object, Function, Promise, Array, Map, Set, WeakMap, String, RegExp, Symbol, Error, TypeError, Iterator]
      .flatMap((each) => [each, each.prototype]), getPrototypeOf(async () => {}), getPrototypeOf(function* () {})])
    for (const key of ownKeys(holder)) {
      const value = getOwnPropertyDescriptor(holder, key)?.value;
      if (typeof value === 'function' && key !== 'constructor')
        replace(holder, key, () => ({ value: mine(function (...list) { note([this]); note(list); const got = apply(value, this, list); note([got]); return got }), writable: true }));
    }`,
  'the globals of the program': `for (const name of ['Promise', 'Map', 'Reflect', 'RegExp', 'String', 'TypeError', 'Object'])
    replace(globalThis, name, ({ value }) => ({ get: mine(() => { note([name]); return value }), set: undefined }));`,
  'the space on the stack': `let left = 300;
    const dive = mine(() => {
      try { dive() } catch (error) { note([error]) }
      if (left-- > 0) try { note([import('plain@1.0.0'), import('data:text/javascript,export const a = 1'), import('zod')]) } catch (error) { note([error]) }
    });
    dive();`,
  'the stack of errors': `Error.prepareStackTrace = mine((error, sites) => { for (const site of sites) note([site.getThis(), site.getFunction()]); return 'x' });
    undo[undo.length] = () => { Error.prepareStackTrace = undefined };`,
};

/** Modules of the CDN. */
export const modules: Record<string, { body: string; delayMs?: number }> = {
  '/npm/plain@1.0.0/+esm': { body: 'export const a = 1' },
  '/npm/user@1.0.0/+esm': {
    body: `export * from '/npm/plain@1.0.0/+esm'; export const load = () => import('/npm/plain@1.0.0/+esm')`,
  },
  '/npm/awaits@1.0.0/+esm': {
    body: `import '/npm/plain@1.0.0/+esm'; export const b = await import('/npm/user@1.0.0/+esm')`,
  },
  '/npm/throws@1.0.0/+esm': { body: 'throw new RangeError("at its start")' },
  '/npm/meta@1.0.0/+esm': { body: 'export default import.meta' },
  // Its second import is still on its way when the first one is refused.
  '/npm/holed@1.0.0/+esm': { body: `import '/npm/absent@1.0.0/+esm'; import '/npm/late@1.0.0/+esm'` },
  '/npm/late@1.0.0/+esm': { body: '', delayMs: 200 },
  '/npm/thenable@1.0.0/+esm': { body: 'export function then(resolve) { /*own*/ resolve(globalThis.spy) }' },
  '/npm/armed@1.0.0/+esm': {
    body: 'export let then; export const arm = () => { /*own*/ then = (resolve) => { /*own*/ resolve(globalThis.spy) } }',
  },
};

const IMPORTS = [
  ...['plain', 'user', 'awaits', 'throws', 'meta', 'holed', 'thenable', 'armed'].map(
    (name) => `import('${name}@1.0.0')`,
  ),
  `import('user@1.0.0').then(mine(({ load }) => load()))`,
  `import('zod')`,
  `import('node:fs')`,
  `import('plain@1.0.0', { with: { type: 'json' } })`,
  `import({ toString: () => 'plain@1.0.0' })`,
  `import.defer('plain@1.0.0')`,
  `import.source('plain@1.0.0')`,
  `eval("import('plain@1.0.0')")`,
  `Function("return import('user@1.0.0')")()`,
  `import('data:text/javascript,export const a = 1')`,
  `import('data:text/javascript,throw 1')`,
  `import('data:application/json,{"a":1}', { with: { type: 'json' } })`,
  `import('data:text/javascript,export function then(resolve) { /*own*/ resolve(globalThis.spy) }')`,
  `import('data:text/javascript,export let then; export const arm = () => { /*own*/ then = (resolve) => { /*own*/ resolve(globalThis.spy) } }')`,
];

/** Returns the code. Its response has what was `found`, and the number of values that the replacements got. */
export const attackOf = (replacement: string): string => `const main = () => {
  ${WATCH}
  // The replacements are not asked about this promise.
  const { promise, resolve } = Promise.withResolvers();
  defineProperty(promise, 'constructor', { value: Promise });
  const end = () => {
    isOver = true;
    for (let i = undo.length - 1; i >= 0; i--) undo[i]();
    const settled = (value) => { noted[count++] = value };
    for (const value of noted.slice()) if (value instanceof Promise) value.then(settled, settled);
    setTimeout(() => {
      globalThis.dispatchEvent = dispatchEvent;
      resolve({ found: hostObjects(), count });
    });
  };
  globalThis.dispatchEvent = mine((event) => { note([event.reason, event.promise]); event.preventDefault(); return true });
  setTimeout(end, 500);
  ${replacement}
  const begin = mine((start) => { try { note([start()]) } catch (error) { note([error]) } });
  ${IMPORTS.map((each) => `begin(mine(() => ${each}));`).join('\n  ')}
  return promise;
}`;

/**
 * Ways out of an action, by the technique that published escapes used, and what an escape would reach. Each probe is the
 * body of an async function that returns what it got hold of: `use` then tries what that can do.
 */

export type Probe = { title: string; body: string };

/** Parameters of `main` for a probe. */
export type Bait = {
  /** Path of a file with a secret. */
  secretPath: string;
  /** Path at which nothing is. */
  markPath: string;
  /** URL of a server on the loopback, which no action can reach. */
  url: string;
  port: number;
};

const named = (category: string, probes: Record<string, string>): Probe[] =>
  Object.entries(probes).map(([title, body]) => ({ title: `${category}: ${title}`, body }));
const each = (category: string, values: readonly string[], body: (value: string) => string): Probe[] =>
  values.map((value) => ({ title: `${category}: ${value}`, body: body(value) }));

/** Values of the environment that code of the host made, or that are made by it. */
const HOST_VALUES = [
  'globalThis',
  'console',
  'console.log',
  'fetch',
  'setTimeout',
  'setInterval',
  'clearTimeout',
  'queueMicrotask',
  'structuredClone',
  'atob',
  'btoa',
  'Svc',
  'Svc.Actions',
  'SvcActions.getPrivateKey',
  'SvcActions.setResponse',
  'SvcActions.showImportDetails()',
  'ethers',
  'ethers.utils.keccak256',
  'new ethers.Wallet(ethers.utils.id("x"))',
  'crypto',
  'crypto.subtle',
  'crypto.subtle.digest',
  'crypto.getRandomValues(new Uint8Array(1))',
  'performance',
  'new URL("https://a.example")',
  'new URLSearchParams("a=b")',
  'new URLPattern({ pathname: "/a" })',
  'new Headers({ a: "b" })',
  'new Request("https://a.example")',
  'new Response("x")',
  'new Response("x").body',
  'new Response("x").body.getReader()',
  'new FormData()',
  'new Blob(["x"])',
  'new Blob(["x"]).stream()',
  'new TextEncoder()',
  'new TextDecoder()',
  'new TextDecoderStream().readable',
  'new CompressionStream("gzip").writable',
  'new DecompressionStream("gzip")',
  'new AbortController()',
  'AbortSignal.timeout(1000)',
  'AbortSignal.abort().reason',
  'new Event("x")',
  'new EventTarget()',
  'new DOMException("x")',
  'new ReadableStream()',
  'new WritableStream().getWriter()',
  'new TransformStream()',
  'new WebAssembly.Memory({ initial: 1 })',
  'new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))',
  'dispatchEvent',
  'await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, true, ["sign"])',
  'await fetch("http://127.0.0.1/").catch((error) => error)',
  'await Svc.Actions.getPrivateKey({}).catch((error) => error)',
  'params',
];

/** Modules of the host, of Deno, of Node and of the network. */
const MODULES = [
  'node:fs',
  'node:fs/promises',
  'node:child_process',
  'node:process',
  'node:module',
  'node:vm',
  'node:worker_threads',
  'node:inspector',
  'node:net',
  'node:dns',
  'node:v8',
  'node:sqlite',
  'node:wasi',
  'node:ffi',
  'node:test',
  'fs',
  'process',
  'bun:ffi',
  'cloudflare:workers',
  'cloudflare:sockets',
  'cloudflare:email',
  'ext:core/mod.js',
  'ext:core/ops',
  'ext:deno_fs/30_fs.js',
  'ext:deno_process/40_process.js',
  'ext:runtime/98_global_scope_shared.js',
  'ext:deno_node/internal_binding/mod.ts',
  'checkin:core',
  'internal:deno/core',
  'deno:core',
  'npm:ms',
  'npm:/ms@2.1.3',
  'jsr:@std/fs',
  'file:///etc/passwd',
  'file:///proc/self/environ',
  './runtime.js',
  '../runtime.js',
  '/etc/passwd',
  'data:text/javascript,import "node:fs"',
  'data:text/javascript,export * from "node:process"',
  'data:application/json,{"a":1}',
  'data:application/wasm;base64,AGFzbQEAAAA=',
  'blob:null/6f3d9d0e-0000-4000-8000-000000000000',
  'about:blank',
  'javascript:1',
  'vbscript:1',
  'wasm:js-string',
];

const NAMES = [
  'Deno',
  'process',
  'require',
  'module',
  'Worker',
  'SharedWorker',
  'ShadowRealm',
  'WebSocket',
  'EventSource',
  'XMLHttpRequest',
  'BroadcastChannel',
  'MessageChannel',
  'caches',
  'localStorage',
  'navigator',
  'document',
  'SharedArrayBuffer',
  'Atomics',
  '__bootstrap',
  'Bun',
  'chrome',
  'std',
  'java',
  'ivm',
];

/** Names under which runtimes keep their inner objects. */
const SYMBOLS = [
  'Deno.internal',
  'Deno.customInspect',
  'Deno.privateCustomInspect',
  'Deno.symbols',
  'nodejs.util.inspect.custom',
  'nodejs.util.promisify.custom',
  'nodejs.worker_threads',
  'nodejs.rejection',
  'nodejs.stream.readable',
  'undici.globalDispatcher.1',
  'kEmptyObject',
];

export const probes: Probe[] = [
  ...each(
    'the constructor chain of',
    HOST_VALUES,
    (value) =>
      `const value = ${value}; return [value.constructor, value.constructor?.constructor?.('return this')(), Object.getPrototypeOf(value)?.constructor?.constructor?.('return this')()]`,
  ),
  ...each('import()', MODULES, (module) => `return import(${JSON.stringify(module)})`),
  ...each(
    'the global',
    NAMES,
    (name) =>
      `return [(0, eval)('typeof ${name} === "undefined" ? undefined : ${name}'), globalThis[${JSON.stringify(name)}], Function('return typeof ${name} === "undefined" ? undefined : ${name}')()]`,
  ),
  ...each(
    'the registered symbol',
    SYMBOLS,
    (name) => `const key = Symbol.for(${JSON.stringify(name)});
    return [globalThis[key], console[key], Function.prototype[key], Object.prototype[key], Promise[key], fetch[key], Reflect.ownKeys(globalThis).filter((own) => typeof own === 'symbol').map((own) => globalThis[own])]`,
  ),

  ...named('an error of the host (vm2)', {
    'from a stack overflow in a host function': `let caught; const dive = () => { try { dive() } catch { try { new URL('::') } catch (error) { caught ??= error } } }; dive(); return [caught?.constructor, caught]`,
    'from a stack overflow in structuredClone': `let caught; const dive = (depth) => { try { structuredClone({}); dive(depth + 1) } catch (error) { caught ??= error } }; dive(0); return [caught, caught?.constructor]`,
    'from a stack overflow in JSON': `let deep = []; for (let i = 0; i < 1e5; i++) deep = [deep]; try { JSON.stringify(deep) } catch (error) { return [error, error.constructor] }`,
    'from a rejected host promise': `return fetch('x:').catch((error) => [error, error.constructor])`,
    'from a key function': `return Svc.Actions.getPrivateKey(1).catch((error) => [error, error.constructor])`,
    'from an invalid argument': `try { new Headers([['a']]) } catch (error) { return [error, error.constructor] }`,
    'an AggregateError': `return Promise.any([fetch('x:')]).catch((error) => [error, ...error.errors])`,
    'a SuppressedError': `try { using a = { [Symbol.dispose]() { new URL('::') } }; new URL(':') } catch (error) { return [error, error.error, error.suppressed] }`,
    'with a stack that is read by the host': `const error = new Error(); Object.defineProperty(error, 'stack', { get() { return this } }); console.log(error); return error.stack`,
    'with a name that is a proxy': `const error = new Error('x'); error.name = new Proxy({}, { get: (_, key) => { throw globalThis } }); try { console.log(error) } catch (thrown) { return thrown === globalThis ? undefined : thrown }`,
    'with a cause that calls back': `let got; const cause = { get stack() { got = arguments.callee.caller; return '' } }; console.log(new Error('x', { cause })); return got`,
    'in a finalizer': `let got; using stack = new DisposableStack(); stack.defer(function () { got = [this, arguments.callee.caller] }); stack.dispose(); return got?.filter((value) => value !== globalThis)`,
  }),
  ...named('a text that code of the host evaluates', {
    'imports node:vm': `const any = new Proxy(function () {}, { get: (_, key) => (key === Symbol.toPrimitive ? () => '' : any), apply: () => any, construct: () => any });
      globalThis.Atomics = any; globalThis.Deno = any;
      const got = await new Promise((done) => { globalThis.done = done; setTimeout(eval, 0, "import('node:vm').then(done, done)") });
      delete globalThis.Atomics; delete globalThis.Deno; return got`,
    'imports the program': `return new Promise((done) => { globalThis.done = done;
      setTimeout(eval, 0, "import('./runtime.js').then((program) => done([program, 'SECRET']), done)") })`,
  }),
  ...named('call sites', {
    'getThis and getFunction': `const got = []; Error.prepareStackTrace = (_, sites) => { for (const site of sites) got.push(site.getThis(), site.getFunction()); return '' }; new Error().stack; return got.filter((value) => value !== globalThis)`,
    'of a host function that calls back': `const got = []; Error.prepareStackTrace = (_, sites) => { for (const site of sites) got.push(site.getThis(), site.getFunction()); return '' }; structuredClone({ get a() { new Error().stack; return 1 } }); return got.filter((value) => value !== globalThis)`,
    'of the console': `const got = []; Error.prepareStackTrace = (_, sites) => { for (const site of sites) got.push(site.getThis(), site.getFunction()); return '' }; console.log({ get a() { new Error().stack; return 1 }, toString() { new Error().stack; return '' } }); return got.filter((value) => value !== globalThis)`,
    'of a timer': `const got = []; Error.prepareStackTrace = (_, sites) => { for (const site of sites) got.push(site.getThis(), site.getFunction(), site.getEvalOrigin()); return '' }; await new Promise((done) => setTimeout(() => { new Error().stack; done() })); return got.filter((value) => value !== globalThis)`,
    'of an event': `const got = []; Error.prepareStackTrace = (_, sites) => { for (const site of sites) got.push(site.getThis(), site.getFunction()); return '' }; const target = new EventTarget(); target.addEventListener('x', () => { new Error().stack }); target.dispatchEvent(new Event('x')); return got.filter((value) => value !== globalThis && value !== target)`,
    'by captureStackTrace of a host object': `const got = []; Error.prepareStackTrace = (_, sites) => { got.push(...sites.map((site) => site.getFunction())); return '' }; Error.captureStackTrace(globalThis); globalThis.stack; return got`,
    'by a stackTraceLimit that is an object': `Error.stackTraceLimit = { valueOf() { throw this } }; try { new URL('::') } catch (error) { return error.constructor } finally { Error.stackTraceLimit = 10 }`,
    'by Function.caller': `function callee() { return callee.caller } return [callee(), callee.caller?.caller]`,
    'by arguments.callee.caller of a callback': `let got; [1].sort(function () { got = arguments.callee.caller }); structuredClone({ get a() { got ??= arguments.callee.caller; return 1 } }); return got`,
    'by arguments of a host function': `let got; console.log({ get a() { got = console.log.arguments; return 1 } }); return got`,
    'of an async host function': `const got = []; Error.prepareStackTrace = (error, sites) => { for (const site of sites) got.push(site.getThis(), site.getFunction(), site.getPromiseIndex?.()); return '' }; await fetch('http://127.0.0.1').catch((error) => error.stack); return got.filter((value) => value !== globalThis)`,
    'of a failure of main': `Error.prepareStackTrace = (_, sites) => { globalThis.sites = sites.map((site) => site.getFunction()); return '' }; await Svc.Actions.getPrivateKey(0).catch((error) => error.stack); return globalThis.sites`,
  }),
  ...named('a proxy or getter that the host reads', {
    'init of fetch': `const got = []; const spy = new Proxy(function () {}, { get: (target, key, receiver) => (got.push(receiver), undefined), apply: (_, self, list) => { got.push(self, ...list) }, has: () => false }); await fetch('https://a.invalid', spy).catch(() => {}); return got.filter((value) => value !== spy)`,
    'input of fetch': `const got = []; const spy = { toString() { got.push(arguments.callee.caller, this); return 'x:' } }; await fetch(spy).catch(() => {}); return got.filter((value) => value !== spy)`,
    'headers of fetch': `const got = []; await fetch('https://a.invalid', { headers: { get a() { got.push(this, arguments.callee.caller); return 'b' } } }).catch(() => {}); return got.map((value) => value?.constructor)`,
    'body of fetch': `const got = []; await fetch('https://a.invalid', { method: 'POST', body: { toString() { got.push(arguments.callee.caller); return 'x' } } }).catch(() => {}); return got`,
    'signal of fetch': `const got = []; await fetch('https://a.invalid', { get signal() { got.push(arguments.callee.caller); return null } }).catch(() => {}); return got`,
    'arguments of a key function': `const got = []; const spy = new Proxy({}, { get: (_, key, receiver) => (got.push(receiver), undefined), ownKeys: () => (got.push(new Error().stack), []) }); await Svc.Actions.Encrypt(spy).catch(() => {}); return got.filter((value) => value !== spy && typeof value !== 'string')`,
    'toJSON of a response': `const got = []; Svc.Actions.setResponse({ response: { toJSON() { got.push(this?.constructor, arguments.callee.caller); return 1 } } }); return got`,
    'toJSON of the arguments of a key function': `let got; await Svc.Actions.getPrivateKey({ toJSON() { got = arguments.callee.caller; return {} } }).catch(() => {}); return got`,
    'custom inspection': `const got = []; for (const name of ['nodejs.util.inspect.custom', 'Deno.customInspect', 'Deno.privateCustomInspect']) console.log({ [Symbol.for(name)](...list) { got.push(...list, this) } }); return got.flatMap((value) => [value, value?.constructor, value?.stylize])`,
    'console with a proxy of a function': `const got = []; console.log(new Proxy(function () {}, { get: (_, key, receiver) => { got.push(receiver); return undefined }, getPrototypeOf: () => (got.push('x'), null) })); return got.filter((value) => typeof value === 'object')`,
    'console with a format': `const got = []; console.log('%o %O %c %s', { toString() { got.push(arguments.callee.caller); return '' } }, {}, { toString() { got.push(arguments.callee.caller); return '' } }, { toString() { got.push(arguments.callee.caller); return '' } }); return got`,
    'console.table': `const got = []; console.table(new Proxy([[1]], { get: (target, key, receiver) => (got.push(receiver), target[key]) })); return got.map((value) => value.constructor)`,
    'a thenable that main returns': `let got; const thenable = { then(resolve, reject) { got = [resolve, reject]; resolve(1) } }; await thenable; return got.flatMap((value) => [value.constructor('return this')(), value])`,
    'structuredClone with a transfer': `const got = []; try { structuredClone(1, { get transfer() { got.push(arguments.callee.caller); return [globalThis] } }) } catch (error) { got.push(error.constructor) } return got`,
    'a species': `class Spy extends Promise { static get [Symbol.species]() { return function (executor) { globalThis.executor = executor; executor(() => {}, () => {}) } } } await Promise.race([Spy.resolve(1).then(() => 1), 1]); return globalThis.executor`,
    'a stream source': `const got = []; const stream = new ReadableStream({ start(controller) { got.push(this, controller, controller.constructor); controller.close() } }); await stream.getReader().read(); return got.slice(1)`,
    'a transformer': `const got = []; new TransformStream({ start(controller) { got.push(controller, controller.constructor.constructor) } }); return got`,
    'an event listener object': `const got = []; const target = new EventTarget(); target.addEventListener('x', { handleEvent(event) { got.push(event.composedPath(), event.currentTarget, event.target) } }); target.dispatchEvent(new Event('x')); return got.flat().filter((value) => value !== target)`,
    'an iterable of Headers': `const got = []; new Headers({ *[Symbol.iterator]() { got.push(arguments.callee?.caller); yield ['a', 'b'] } }); return got`,
    'an iterable of FormData values': `const form = new FormData(); const got = []; form.append('a', { toString() { got.push(arguments.callee.caller); return 'x' } }); return got`,
    'parts of a Blob': `const got = []; new Blob(new Proxy(['x'], { get: (target, key, receiver) => (got.push(receiver), Reflect.get(target, key)) })); return got.map((value) => value.constructor)`,
    'imports of WebAssembly': `const got = []; try { new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])), new Proxy({}, { get: (_, key, receiver) => got.push(receiver) })) } catch {} return got`,
  }),
  ...named('prototypes that the host uses', {
    'a setter of an index': `const got = []; Object.defineProperty(Array.prototype, 0, { set(value) { got.push(value) }, get() {}, configurable: true }); console.log('x'); await fetch('http://127.0.0.1').catch(() => {}); delete Array.prototype[0]; return got`,
    'a getter on Object.prototype': `const got = []; for (const key of ['ok', 'id', 'value', 'type', 'name', 'reply', 'signal', 'headers', 'then', 'get', 'set', 'writable', 'constructor2']) Object.defineProperty(Object.prototype, key, { get() { got.push(this); return undefined }, set(value) { got.push(value) }, configurable: true }); await Svc.Actions.getPrivateKey({}).catch(() => {}); for (const key of ['ok', 'id', 'value', 'type', 'name', 'reply', 'signal', 'headers', 'then', 'get', 'set', 'writable', 'constructor2']) delete Object.prototype[key]; return got.slice(0, 50)`,
    'then of Promise': `const got = []; const then = Promise.prototype.then; Promise.prototype.then = function (...list) { got.push(this, ...list); return then.apply(this, list) }; await fetch('http://127.0.0.1').catch(() => {}); Promise.prototype.then = then; return got.slice(0, 50)`,
    'call and apply of Function': `const got = []; const { call, apply, bind } = Function.prototype; Function.prototype.call = function (...list) { got.push(this, ...list) }; Function.prototype.apply = function (...list) { got.push(this, ...list) }; try { console.log('x'); new URL('https://a.example') } finally { Object.assign(Function.prototype, { call, apply, bind }) } return got`,
    'push and iterator of Array': `const got = []; const { push } = Array.prototype; const iterator = Array.prototype[Symbol.iterator]; Array.prototype.push = function (...list) { got[got.length] = list; return 0 }; console.log('x', {}); await Svc.Actions.getPrivateKey({}).catch(() => {}); Array.prototype.push = push; Array.prototype[Symbol.iterator] = iterator; return got.flat()`,
    'JSON.stringify': `const got = []; const { stringify, parse } = JSON; JSON.stringify = (value) => { got.push(value); return stringify(value) }; JSON.parse = (text) => { got.push(text); return parse(text) }; await Svc.Actions.getPrivateKey({}).catch(() => {}); Object.assign(JSON, { stringify, parse }); return got`,
    'Map and WeakMap': `const got = []; const { get, set } = Map.prototype; Map.prototype.set = function (...list) { got.push(this, ...list); return set.apply(this, list) }; WeakMap.prototype.set = Map.prototype.set; await fetch('http://127.0.0.1').catch(() => {}); Map.prototype.set = set; return got.slice(0, 50)`,
    'TextEncoder and DataView': `const got = []; const { encode } = TextEncoder.prototype; TextEncoder.prototype.encode = function (text) { got.push(this, text); return encode.call(this, text) }; console.log('x'); TextEncoder.prototype.encode = encode; return got`,
    Uint8Array: `const got = []; const { set, subarray } = Object.getPrototypeOf(Uint8Array.prototype); Object.getPrototypeOf(Uint8Array.prototype).set = function (...list) { got.push(this, ...list); return set.apply(this, list) }; console.log('x'); Object.getPrototypeOf(Uint8Array.prototype).set = set; return got`,
    'Symbol.hasInstance': `const got = []; Object.defineProperty(Error, Symbol.hasInstance, { value(thrown) { got.push(thrown, arguments.callee.caller); return false }, configurable: true }); await fetch('http://127.0.0.1').catch(() => {}); console.log(new Error('x')); delete Error[Symbol.hasInstance]; return got`,
    'Proxy as the prototype of the global': `const got = []; try { Object.setPrototypeOf(globalThis, new Proxy({}, { get: (_, key, receiver) => { got.push(receiver) }, has: (_, key) => { got.push(key); return false } })) } catch {} try { (0, eval)('typeof Deno') } catch {} Object.setPrototypeOf(globalThis, Object.prototype); return got.filter((value) => typeof value !== 'string' && value !== globalThis)`,
    '__defineGetter__ on the global': `globalThis.__defineGetter__('Deno', function () { return undefined }); const got = Deno; delete globalThis.Deno; return [got, globalThis.__lookupGetter__('Deno'), globalThis.Deno]`,
    'RegExp exec': `const got = []; const { exec } = RegExp.prototype; RegExp.prototype.exec = function (text) { got.push(this, text); return exec.call(this, text) }; new URL('https://a.example'); console.log('%s', 'x'); await Svc.Actions.getPrivateKey({}).catch((error) => error.stack); RegExp.prototype.exec = exec; return got`,
  }),
  ...named('compiled text', {
    'eval in the global scope': `return (0, eval)('this')`,
    Function: `return [Function('return this')(), Function('return typeof Deno !== "undefined" && Deno')()]`,
    AsyncFunction: `return (async () => {}).constructor('return this')()`,
    GeneratorFunction: `return (function* () {}).constructor('yield this')().next().value`,
    AsyncGeneratorFunction: `return (await (async function* () {}).constructor('yield this')().next()).value`,
    'Reflect.construct with another target': `return Reflect.construct(Function, ['return this'], fetch)()`,
    'Function with parameters that close it': `return Function('a = (() => { return globalThis.Deno })()', 'return a')()`,
    'with and unscopables': `return Function('return (function () { with (globalThis) { return typeof Deno === "undefined" ? undefined : Deno } })()')()`,
    'a comment that names a source map': `return (0, eval)('new Error().stack\\n//# sourceMappingURL=file://' + params.secretPath)`,
    'a comment that names a source': `return (0, eval)('new Error().stack\\n//# sourceURL=file://' + params.secretPath)`,
    'import.meta in eval': `return (0, eval)('import.meta')`,
    'import.meta in a data module': `return (await import('data:text/javascript,export default import.meta')).default`,
    'this of a data module': `return (await import('data:text/javascript,export default [this, typeof Deno, (0, eval)("this")]')).default.filter((value) => typeof value === 'object')`,
    'a data module that imports the script': `return import('data:text/javascript,export * from "' + new Error().stack.match(/file:[^:)]*/)?.[0] + '"')`,
    'a blob module that imports node': `return import(URL.createObjectURL(new Blob(['export * from "node:fs"'], { type: 'text/javascript' })))`,
    'a blob module that imports a file': `return import(URL.createObjectURL(new Blob(['import text from "file://' + params.secretPath + '" with { type: "text" }; export default text'], { type: 'text/javascript' })))`,
    'import with type text': `return import('file://' + params.secretPath, { with: { type: 'text' } })`,
    'import with type bytes': `return import('file://' + params.secretPath, { with: { type: 'bytes' } })`,
    'import with type json': `return import('file://' + params.secretPath, { with: { type: 'json' } })`,
    'deferred import': `return Function('return import.defer("node:fs")')()`,
    'source import': `return Function('return import.source("file://" + ' + JSON.stringify(params.secretPath) + ')')()`,
    'import of the server': `return import(params.url + '/module.js')`,
    'import in a timer': `return new Promise((done) => setTimeout(() => import('node:fs').then(done, () => done()), 1))`,
    'import in a microtask of a host promise': `return fetch('x:').catch(() => import('node:process'))`,
    'import in a getter that the host reads': `let got; console.log({ get a() { got = import('node:fs').catch(() => undefined); return 1 } }); return got`,
    'import with an object as its name': `return import({ toString: () => 'node:fs' })`,
    'import that changes its name': `let asked = 0; return import({ toString: () => (asked++ ? 'node:fs' : 'data:text/javascript,1') })`,
    'a timer with text': `globalThis.got = undefined; try { setTimeout('globalThis.got = typeof Deno === "undefined" ? undefined : Deno', 0) } catch {} await new Promise((done) => setTimeout(done, 20)); return globalThis.got`,
    'a host function as a constructor': `try { return new fetch('x:') } catch (error) { return error.constructor }`,
    'new.target of a host class': `return Reflect.construct(URL, ['https://a.example'], Function)`,
    'a subclass of a host class': `class Spy extends EventTarget { constructor() { super(); this.got = new.target } } return new Spy().got`,
    'a private name stamped on a host object': `class Stamp extends (function (value) { return value }) { #mark = 1; static read(value) { return #mark in value } } new Stamp(globalThis); return Stamp.read(globalThis) ? undefined : globalThis`,
    'a label as a realm': `return new (class ShadowRealm2 {})().constructor.constructor('return typeof ShadowRealm')() === 'undefined' ? undefined : ShadowRealm`,
  }),
  ...named('objects of other realms', {
    'the buffer of a shared memory': `const buffer = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer; return [buffer.constructor.constructor('return this')()]`,
    'a cloned error': `return [structuredClone(new Error('x')).constructor, structuredClone(new TypeError('x')).constructor.constructor('return this')()]`,
    'a cloned map': `return structuredClone(new Map()).constructor.constructor('return this')()`,
    'a table of WebAssembly': `return new WebAssembly.Table({ initial: 1, element: 'anyfunc' }).get(0)`,
    'an exception of WebAssembly': `try { new WebAssembly.Module(new Uint8Array(1)) } catch (error) { return error.constructor.constructor('return this')() }`,
    'a file of a form': `const form = new FormData(); form.set('a', new Blob(['x'])); const file = form.get('a'); return [file.constructor, file.constructor.constructor('return this')()]`,
    'a formatter of Intl': `return new Intl.DateTimeFormat().constructor.constructor('return this')()`,
    'a segmenter of Intl': `return [...new Intl.Segmenter().segment('ab')][0].constructor.constructor('return this')()`,
    'an iterator helper': `return Iterator.from([1]).map((value) => value).constructor.constructor('return this')()`,
    'a finalization callback': `let got; const registry = new FinalizationRegistry(function () { got = this }); registry.register({}, 1); await new Promise((done) => setTimeout(done, 20)); return got`,
    'an uncaught rejection event': `let got; globalThis.onunhandledrejection = (event) => { got = event }; globalThis.addEventListener?.('unhandledrejection', (event) => { got = event }); return got`,
    'an event that the host dispatches': `let got; const original = dispatchEvent; try { dispatchEvent(new Event('x')) } catch (error) { got = error.constructor } return got`,
    'a load event': `const got = []; for (const name of ['load', 'unload', 'beforeunload', 'error']) { try { globalThis['on' + name] = (event) => got.push(event) } catch {} } return got`,
    'the abort reason of a host signal': `const signal = AbortSignal.timeout(1); await new Promise((done) => signal.addEventListener('abort', done)); return [signal.reason, signal.reason.constructor.constructor('return this')()]`,
    'a key of WebCrypto': `const key = await crypto.subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', true, ['encrypt']); return [key.constructor, key.constructor.constructor('return this')()]`,
  }),
  ...named('the network', {
    'fetch of the server': `return fetch(params.url).then((response) => response.text())`,
    'fetch of the server by a redirect of a data URL': `return fetch('data:text/html,<meta http-equiv=refresh content="0;url=' + params.url + '">').then((response) => response.text())`,
    'fetch of a file': `return fetch('file://' + params.secretPath).then((response) => response.text())`,
    'Request of a file': `return fetch(new Request('file://' + params.secretPath)).then((response) => response.text())`,
    'a blob URL of another origin': `return fetch('blob:' + params.url + '/x').then((response) => response.text())`,
    'fetch with a dispatcher': `return fetch(params.url, { dispatcher: {}, client: {}, agent: {} }).then((response) => response.text())`,
    'fetch with a Deno client': `return fetch(params.url, { client: { rid: 0 } }).then((response) => response.text())`,
    'fetch with a host header': `return fetch('http://localhost:' + params.port, { headers: { host: 'a.example' } }).then((response) => response.text())`,
    'fetch by a name of the loopback': `return fetch('http://localhost:' + params.port).then((response) => response.text())`,
    'fetch by ::1': `return fetch('http://[::1]:' + params.port).then((response) => response.text())`,
    'fetch by 0.0.0.0': `return fetch('http://0.0.0.0:' + params.port).then((response) => response.text())`,
    'fetch by a number': `return fetch('http://2130706433:' + params.port).then((response) => response.text())`,
    'a provider of ethers': `return new ethers.providers.JsonRpcProvider(params.url).getBlockNumber()`,
    'a WebSocket provider of ethers': `return new ethers.providers.WebSocketProvider(params.url.replace('http', 'ws')).getBlockNumber()`,
    'fetchJson of ethers with a file': `return ethers.utils.fetchJson('file://' + params.secretPath)`,
    'fetchJson of ethers with the server': `return ethers.utils.fetchJson({ url: params.url, timeout: 1000, throttleLimit: 1 })`,
    'WebSocket by its name': `const Socket = (0, eval)('typeof WebSocket === "undefined" ? undefined : WebSocket'); return Socket && new Socket(params.url.replace('http', 'ws'))`,
    'compileStreaming of the server': `return WebAssembly.compileStreaming?.(fetch(params.url))`,
    'compileStreaming of a file': `return WebAssembly.compileStreaming?.(fetch('file://' + params.secretPath))`,
    'a source map of the server': `(0, eval)('throw new Error()\\n//# sourceMappingURL=' + params.url)`,
  }),
];

/** Run one after the other: the first leaves something for the second, which belongs to another account. */
export const pairs: { title: string; leave: string; find: string }[] = [
  ['a global', 'globalThis.left = params.secret', 'return globalThis.left'],
  ['a prototype', 'Object.prototype.left = params.secret', 'return ({}).left'],
  [
    'a property of a host object',
    'ethers.left = Svc.left = fetch.left = params.secret',
    'return [ethers.left, Svc.left, fetch.left]',
  ],
  [
    'a registered symbol',
    'Symbol.for("left").description; globalThis[Symbol.for("left")] = params.secret',
    'return globalThis[Symbol.for("left")]',
  ],
  [
    'a blob URL',
    'const url = URL.createObjectURL(new Blob([params.secret])); console.log(url)',
    'return fetch(seen.match(/blob:[^\\s]+/)?.[0] ?? "blob:null/x").then((response) => response.text())',
  ],
  [
    'a performance mark',
    'performance.mark(params.secret)',
    'return performance.getEntries?.().map(({ name }) => name)',
  ],
  [
    'a data module',
    'await import("data:text/javascript,globalThis.left = 1; export let left; export const set = (value) => { left = value }").then((module) => module.set(params.secret))',
    'return (await import("data:text/javascript,globalThis.left = 1; export let left; export const set = (value) => { left = value }")).left',
  ],
  [
    'a cache of the web',
    'await globalThis.caches?.open("x").then((cache) => cache.put("https://a.example", new Response(params.secret)))',
    'return globalThis.caches?.match("https://a.example").then((found) => found?.text())',
  ],
  [
    'local storage',
    'globalThis.localStorage?.setItem("left", params.secret)',
    'return globalThis.localStorage?.getItem("left")',
  ],
  [
    'a broadcast',
    'globalThis.BroadcastChannel && new BroadcastChannel("x").postMessage(params.secret)',
    'return globalThis.BroadcastChannel && new Promise((done) => { new BroadcastChannel("x").onmessage = ({ data }) => done(data) })',
  ],
  [
    'a shared memory',
    'globalThis.memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }); new Uint8Array(memory.buffer).set(new TextEncoder().encode(params.secret))',
    'const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }); return new TextDecoder().decode(new Uint8Array(memory.buffer).slice(0, 100))',
  ],
  [
    'fresh memory',
    'globalThis.kept = Array.from({ length: 1000 }, () => params.secret.repeat(10))',
    'return new TextDecoder().decode(new Uint8Array(1e6))',
  ],
  ['the response of another run', 'Svc.Actions.setResponse({ response: params.secret })', 'return undefined'],
  [
    'a timer',
    'setTimeout(() => { globalThis.left = params.secret }, 50)',
    'await new Promise((done) => setTimeout(done, 100)); return globalThis.left',
  ],
].map(([title = '', leave = '', find = '']) => ({ title, leave, find }));

/**
 * Tries what a value can do, and returns evidence of power: the secret, or an object of the host that no action should
 * have. Follows arrays, and what functions return for the text `return this`.
 */
export const USE = `
const use = async (value, { secretPath, markPath, port }) => {
  const evidence = [];
  const seen = new Set();
  const attempt = async (what, act) => {
    try {
      const got = await act();
      if (got !== undefined && got !== null && got !== false) evidence.push(what + ': ' + String(got).slice(0, 80));
    } catch {}
  };
  const look = async (value, depth) => {
    if (typeof value === 'string') return void (value.includes('SECRET') && evidence.push('read: ' + value.slice(0, 80)));
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value) || depth > 4) return;
    seen.add(value);
    if (Array.isArray(value)) for (const part of value.slice(0, 60)) await look(part, depth + 1);
    for (const name of ['readTextFileSync', 'readFileSync'])
      await attempt(name, () => value[name]?.(secretPath, 'utf8'));
    await attempt('Deno', () => value.Deno);
    await attempt('core', () => value.core?.ops ?? value.ops?.op_read_file_sync);
    await attempt('process', () => value.process?.versions ?? value.binding?.('fs') ?? value.mainModule);
    await attempt('require', () => value.require?.('fs') ?? value.createRequire?.('/'));
    await attempt('spawn', () => value.execSync?.('id') ?? value.spawnSync?.('id'));
    await attempt('write', () => value.writeTextFileSync?.(markPath, 'x'));
    await attempt('connect', () => value.connect?.({ hostname: '127.0.0.1', port })?.then(() => true));
    await attempt('Script', () => value.Script ?? value.SourceTextModule);
    await attempt('environment', () => typeof value.env === 'object' && value.env.PATH);
    await attempt('default', () => value[Symbol.toStringTag] === 'Module' && look(value.default, depth + 1));
    if (typeof value === 'function')
      for (const text of ['return this', 'return typeof process === "undefined" ? undefined : process', 'return typeof Deno === "undefined" ? undefined : Deno'])
        for (const make of [() => value(text)(), () => value.constructor(text)(), () => new value(text)()])
          try { await look(await make(), depth + 1) } catch {}
  };
  await look(value, 0);
  return evidence;
};`;

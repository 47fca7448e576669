// https://html.spec.whatwg.org/multipage/structured-data.html

/** Values that a clone equals in type and content, by name. */
const KEPT = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  number: () => 1.5,
  'negative zero': () => -0,
  NaN: () => Number.NaN,
  Infinity: () => Number.POSITIVE_INFINITY,
  text: () => 'ü\ud800',
  'empty text': () => '',
  bigint: () => -(2n ** 70n),
  'Boolean object': () => new Boolean(true),
  'Number object': () => new Number(-0),
  'String object': () => new String('a'),
  'BigInt object': () => Object(2n),
  Date: () => new Date(1e12),
  'malformed Date': () => new Date(Number.NaN),
  RegExp: () => /a(?<n>b)/giu,
  'empty array': () => [],
  array: () => [1, 'a', [null, undefined]],
  'array with holes': () => Object.assign([], { 0: 1, 2: 3 }),
  'array with properties': () => Object.assign([1], { a: 'b' }),
  object: () => ({ a: 1, b: { c: [2] }, '': 0 }),
  'object with numbers as names': () => ({ 2: 'b', 1: 'a', x: 'c' }),
  Map: () =>
    new Map([
      [1, { a: 1 }],
      ['k', new Map()],
    ]),
  Set: () => new Set([1, 'a', new Set([2])]),
  ArrayBuffer: () => Uint8Array.of(1, 2, 3).buffer,
  'resizable ArrayBuffer': () => new ArrayBuffer(2, { maxByteLength: 8 }),
  DataView: () => new DataView(Uint8Array.of(1, 2, 3, 4).buffer, 1, 2),
  Error: () => new Error('m'),
  'Error with a cause': () => new Error('m', { cause: { a: 1 } }),
  'Error without a message': () => new Error(),
};
for (const name of ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'])
  KEPT[name] = () => new globalThis[name]('m');
for (const name of [
  ...[
    'Int8Array',
    'Uint8Array',
    'Uint8ClampedArray',
    'Int16Array',
    'Uint16Array',
    'Int32Array',
    'Uint32Array',
  ],
  ...['Float16Array', 'Float32Array', 'Float64Array'],
])
  KEPT[name] = () => new globalThis[name]([1, 2, 3]).subarray(1);
for (const name of ['BigInt64Array', 'BigUint64Array']) KEPT[name] = () => new globalThis[name]([1n, 2n]);

const tag = (value) => Object.prototype.toString.call(value);
/** Asserts that `b` is a copy of `a`. */
const assert_copy = (a, b) => {
  assert_equals(typeof b, typeof a);
  if (typeof a !== 'object' || a === null) return assert_equals(b, a);
  assert_not_equals(b, a);
  assert_equals(tag(b), tag(a));
  assert_equals(Object.getPrototypeOf(b), Object.getPrototypeOf(a));
  if (a instanceof Date || a instanceof Number || a instanceof Boolean)
    assert_equals(b.valueOf(), a.valueOf());
  if (a instanceof RegExp) assert_equals([String(b), b.lastIndex].join(), [String(a), 0].join());
  if (a instanceof Map || a instanceof Set) assert_copy([...a], [...b]);
  if (a instanceof ArrayBuffer) {
    assert_array_equals(new Uint8Array(b), new Uint8Array(a));
    assert_equals(b.maxByteLength, a.maxByteLength);
  }
  if (ArrayBuffer.isView(a)) {
    assert_equals(b.byteLength, a.byteLength);
    assert_equals(b.byteOffset, a.byteOffset);
    assert_copy(a.buffer, b.buffer);
  }
  if (a instanceof Error) {
    for (const name of ['name', 'message']) assert_equals(b[name], a[name]);
    assert_equals(Object.hasOwn(b, 'message'), Object.hasOwn(a, 'message'));
    assert_copy(a.cause, b.cause);
  }
  assert_array_equals(Object.keys(b), Object.keys(a));
  for (const key of Object.keys(a)) if (!ArrayBuffer.isView(a)) assert_copy(a[key], b[key]);
};
for (const [name, make] of Object.entries(KEPT)) {
  test(() => assert_copy(make(), structuredClone(make())), `clone of ${name}`);
  test(() => assert_copy([make()], structuredClone([make()])), `clone of ${name} in an array`);
  test(() => assert_copy({ a: make() }, structuredClone({ a: make() })), `clone of ${name} in an object`);
  test(
    () => assert_copy(new Map([[1, make()]]), structuredClone(new Map([[1, make()]]))),
    `clone of ${name} in a Map`,
  );
}

const REFUSED = {
  function: () => () => {},
  method: () => ({ a() {} }),
  class: () => class {},
  symbol: () => Symbol('a'),
  'Symbol object': () => Object(Symbol('a')),
  WeakMap: () => new WeakMap(),
  WeakSet: () => new WeakSet(),
  WeakRef: () => new WeakRef({}),
  Promise: () => Promise.resolve(),
  Proxy: () => new Proxy({}, {}),
  'Proxy of an array': () => new Proxy([], {}),
  generator: () => (function* () {})(),
  URL: () => new URL('http://h/'),
  Headers: () => new Headers(),
  Request: () => new Request('http://h/'),
  Response: () => new Response(),
  FormData: () => new FormData(),
  URLSearchParams: () => new URLSearchParams(),
  Event: () => new Event('x'),
  EventTarget: () => new EventTarget(),
  AbortSignal: () => new AbortController().signal,
  TextEncoder: () => new TextEncoder(),
  'ReadableStream that is not transferred': () => new ReadableStream(),
};
for (const [name, make] of Object.entries(REFUSED)) {
  test(() => {
    assert_throws_dom('DataCloneError', () => structuredClone(make()));
    assert_throws_dom('DataCloneError', () => structuredClone({ a: [make()] }));
  }, `${name} is refused`);
}

test(() => {
  const value = { a: {} };
  value.self = value;
  value.b = value.a;
  value.map = new Map([[value, value.a]]);
  const copy = structuredClone(value);
  assert_equals(copy.self, copy);
  assert_equals(copy.b, copy.a);
  assert_equals(copy.map.get(copy), copy.a);
  const list = [];
  list.push(list);
  assert_equals(structuredClone(list)[0].length, 1);
  const error = new Error('m');
  error.cause = error;
  const copied = structuredClone(error);
  assert_equals(copied.cause, copied);
}, 'cycles and shared values');
test(() => {
  class Point {
    x = 1;
    get y() {
      return 2;
    }
  }
  const copy = structuredClone(new Point());
  assert_equals(Object.getPrototypeOf(copy), Object.prototype);
  assert_array_equals(Object.keys(copy), ['x']);
  const odd = Object.defineProperty(
    {
      [Symbol('s')]: 1,
      get computed() {
        return 3;
      },
    },
    'hidden',
    { value: 1 },
  );
  assert_equals(JSON.stringify(structuredClone(odd)), '{"computed":3}');
  assert_equals(Reflect.ownKeys(structuredClone(odd)).length, 1);
  assert_equals(Object.getPrototypeOf(structuredClone(Object.create(null))), Object.prototype);
  assert_equals(structuredClone(Object.freeze({ a: 1 })).a, 1);
  assert_false(Object.isFrozen(structuredClone(Object.freeze([]))));
}, 'classes, accessors, symbols and attributes of properties are lost');
test(() => {
  const copy = structuredClone(JSON.parse('{"__proto__":{"a":1}}'));
  assert_true(Object.hasOwn(copy, '__proto__'));
  assert_equals(copy.a, undefined);
}, '__proto__ stays a property');
test(() => {
  const boom = new Error('boom');
  assert_throws_exactly(boom, () =>
    structuredClone({
      get a() {
        throw boom;
      },
    }),
  );
}, 'an error of a getter passes through');
test(() => {
  const reg = /a/g;
  reg.lastIndex = 3;
  assert_equals(structuredClone(reg).lastIndex, 0);
}, 'lastIndex is not kept');
test(() => {
  const error = Object.assign(new TypeError('m'), { extra: 1, name: 'Custom' });
  const copy = structuredClone(error);
  assert_equals(copy.extra, undefined);
  assert_equals(copy.name, 'Error');
  const renamed = new Error('m');
  renamed.name = 'RangeError';
  assert_true(structuredClone(renamed) instanceof RangeError);
}, 'errors keep name, message and cause');
test(() => {
  const copy = structuredClone(new DOMException('m', 'AbortError'));
  assert_true(copy instanceof DOMException);
  assert_equals([copy.name, copy.message, copy.code].join(), 'AbortError,m,20');
}, 'clone of a DOMException');
promise_test(async () => {
  const copy = structuredClone(new Blob(['abc'], { type: 'text/x' }));
  assert_true(copy instanceof Blob);
  assert_equals([copy.size, copy.type, await copy.text()].join(), '3,text/x,abc');
}, 'clone of a Blob');
promise_test(async () => {
  const copy = structuredClone(new File(['abc'], 'n', { type: 'text/x', lastModified: 5 }));
  assert_true(copy instanceof File);
  assert_equals([copy.name, copy.type, copy.lastModified, await copy.text()].join(), 'n,text/x,5,abc');
}, 'clone of a File');
promise_test(async () => {
  const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
  const copy = structuredClone(key);
  assert_true(copy instanceof CryptoKey);
  assert_equals([copy.type, copy.extractable, copy.usages.join()].join(), 'secret,true,sign');
  const [a, b] = await Promise.all([key, copy].map((each) => crypto.subtle.exportKey('raw', each)));
  assert_array_equals(new Uint8Array(a), new Uint8Array(b));
}, 'clone of a CryptoKey');

test(() => {
  const buffer = Uint8Array.of(1, 2).buffer;
  const view = new Uint8Array(buffer);
  const { copy } = structuredClone({ copy: view }, { transfer: [buffer] });
  assert_array_equals(copy, [1, 2]);
  assert_equals(buffer.byteLength, 0);
  assert_true(buffer.detached);
  assert_equals(view.length, 0);
  assert_throws_dom('DataCloneError', () => structuredClone(buffer));
  assert_throws_dom('DataCloneError', () => structuredClone(0, { transfer: [buffer] }));
}, 'an ArrayBuffer is transferred');
test(() => {
  for (const bad of [{}, new Uint8Array(1), new Date()])
    assert_throws_dom('DataCloneError', () => structuredClone(0, { transfer: [bad] }));
  for (const bad of [1, 'a', [1], [null]])
    assert_throws_js(TypeError, () => structuredClone(0, { transfer: bad }));
  assert_equals(structuredClone(1, undefined), 1);
  assert_equals(structuredClone(1, null), 1);
  assert_throws_js(TypeError, () => structuredClone());
}, 'arguments of structuredClone');
test(() => {
  const buffer = new ArrayBuffer(1);
  assert_throws_dom('DataCloneError', () => structuredClone(0, { transfer: [buffer, buffer] }));
}, 'a buffer is transferred once');
test(() => {
  const buffer = new ArrayBuffer(1);
  assert_throws_dom('DataCloneError', () => structuredClone(() => {}, { transfer: [buffer] }));
  assert_equals(buffer.byteLength, 1);
}, 'a failed clone transfers nothing');
test(() => {
  const whole = new ArrayBuffer(8);
  const views = structuredClone([new Uint8Array(whole, 2, 2), new Uint16Array(whole)]);
  assert_equals(views[0].buffer, views[1].buffer);
  assert_equals(views[0].byteOffset, 2);
  assert_equals(views[0].buffer.byteLength, 8);
}, 'views of one buffer share their copy');
test(() => {
  const { memory } = { memory: new WebAssembly.Memory({ initial: 1 }) };
  assert_throws_dom('DataCloneError', () => structuredClone(memory));
}, 'a WebAssembly.Memory is refused');

// Timers, microtasks, console, performance, URLPattern, WebAssembly and the global scope.
// https://html.spec.whatwg.org, https://console.spec.whatwg.org, https://w3c.github.io/hr-time,
// https://urlpattern.spec.whatwg.org, https://webassembly.github.io/spec/js-api

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Timers.
promise_test(async () => {
  const order = [];
  await Promise.all([
    new Promise((resolve) => setTimeout(() => resolve(order.push('30')), 30)),
    new Promise((resolve) => setTimeout(() => resolve(order.push('1')), 1)),
    new Promise((resolve) => setTimeout(() => resolve(order.push('1 again')), 1)),
    Promise.resolve().then(() => order.push('microtask')),
    new Promise((resolve) => queueMicrotask(() => resolve(order.push('queued')))),
  ]);
  assert_array_equals(order, ['microtask', 'queued', '1', '1 again', '30']);
}, 'timers fire in order, after microtasks');
promise_test(async () => {
  const order = [];
  setTimeout(() => {
    order.push('a');
    queueMicrotask(() => order.push('micro'));
  }, 1);
  setTimeout(() => order.push('b'), 1);
  await sleep(20);
  assert_array_equals(order, ['a', 'micro', 'b']);
}, 'microtasks run between two timers');
promise_test(async () => {
  const seen = [];
  setTimeout(
    function (...args) {
      seen.push(this === globalThis, ...args);
    },
    0,
    1,
    'two',
    null,
  );
  const id = setInterval(
    (...args) => {
      seen.push(...args);
      clearInterval(id);
    },
    1,
    'i',
    2,
  );
  await sleep(20);
  assert_array_equals(seen, [true, 1, 'two', null, 'i', 2]);
}, 'timers pass arguments');
promise_test(async () => {
  const before = performance.now();
  await sleep(25);
  assert_greater_than_equal(performance.now() - before, 24);
}, 'a timer does not fire early');
for (const delay of [undefined, null, -5, 'x', Number.NaN, 0, '1', {}, true, 0.5])
  promise_test(
    () => new Promise((resolve) => setTimeout(resolve, delay)),
    `a delay of ${typeof delay} ${delay} is short`,
  );
promise_test(async () => {
  let fired = 0;
  const id = setTimeout(() => fired++, 1);
  clearTimeout(id);
  const other = setInterval(() => fired++, 1);
  clearTimeout(other);
  const third = setTimeout(() => fired++, 1);
  clearInterval(third);
  clearTimeout(String(setTimeout(() => fired++, 1)));
  await sleep(15);
  assert_equals(fired, 0);
}, 'either function clears either kind');
test(() => {
  for (const none of [undefined, null, 0, -1, 1e9, 'x', {}, Number.NaN]) {
    assert_equals(clearTimeout(none), undefined);
    assert_equals(clearInterval(none), undefined);
  }
  clearTimeout();
  const [a, b] = [setTimeout(() => {}), setInterval(() => {})];
  assert_true(Number.isInteger(a) && a > 0 && Number.isInteger(b) && b !== a);
  clearTimeout(a);
  clearTimeout(a);
  clearInterval(b);
}, 'ids are positive integers, and clearing is idempotent');
test(() => {
  for (const start of [setTimeout, setInterval]) {
    assert_throws_js(TypeError, () => start());
    assert_equals(start.length, 1);
  }
  for (const stop of [clearTimeout, clearInterval]) assert_equals(stop.length, 0);
}, 'lengths of the timers');
promise_test(async () => {
  let count = 0;
  await new Promise((resolve) => {
    const id = setInterval(() => {
      count++;
      if (count === 3) resolve(clearInterval(id));
    }, 1);
  });
  await sleep(10);
  assert_equals(count, 3);
}, 'an interval repeats until it is cleared');
promise_test(async () => {
  let late = false;
  setTimeout(
    () => {
      late = true;
    },
    2 ** 31 + 5,
  );
  await sleep(1);
  assert_true(typeof late === 'boolean');
}, 'a delay over 31 bits is accepted');
test(() => {
  for (const bad of [undefined, null, 1, 'a', {}]) assert_throws_js(TypeError, () => queueMicrotask(bad));
  assert_equals(
    queueMicrotask(() => {}),
    undefined,
  );
}, 'queueMicrotask takes a function');

// Performance.
test(() => {
  let last = performance.now();
  for (let i = 0; i < 1000; i++) {
    const now = performance.now();
    assert_true(now >= last);
    last = now;
  }
  assert_true(Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 60_000);
  assert_true(performance instanceof Performance && performance instanceof EventTarget);
  assert_equals(performance.toJSON().timeOrigin, performance.timeOrigin);
}, 'performance.now is monotonic');
test(() => {
  performance.clearMarks();
  const mark = performance.mark('a', { startTime: 1, detail: { x: 1 } });
  performance.mark('b', { startTime: 3 });
  assert_equals(
    [mark.name, mark.entryType, mark.startTime, mark.duration, mark.detail.x].join(),
    'a,mark,1,0,1',
  );
  const measure = performance.measure('m', 'a', 'b');
  assert_equals([measure.entryType, measure.startTime, measure.duration].join(), 'measure,1,2');
  assert_equals(performance.measure('n', { start: 1, duration: 5 }).duration, 5);
  assert_equals(performance.getEntriesByName('a').length, 1);
  assert_array_equals(
    performance.getEntriesByType('mark').map(({ name }) => name),
    ['a', 'b'],
  );
  performance.clearMarks('a');
  performance.clearMeasures();
  assert_equals(performance.getEntries().length, 1);
  assert_throws_dom('SyntaxError', () => performance.measure('x', 'unknown'));
  assert_throws_js(TypeError, () => performance.mark('x', { startTime: -1 }));
  assert_true(
    mark instanceof PerformanceMark &&
      measure instanceof PerformanceMeasure &&
      mark instanceof PerformanceEntry,
  );
}, 'marks and measures');
test(() => {
  performance.clearMarks();
  performance.mark('later', { startTime: 3 });
  performance.mark('earlier', { startTime: 1 });
  assert_array_equals(
    performance.getEntries().map(({ name }) => name),
    ['earlier', 'later'],
  );
}, 'entries are in the order of their start');

// Console.
for (const name of [
  ...[
    'assert',
    'clear',
    'count',
    'countReset',
    'debug',
    'dir',
    'dirxml',
    'error',
    'group',
    'groupCollapsed',
    'groupEnd',
  ],
  ...['info', 'log', 'table', 'time', 'timeEnd', 'timeLog', 'trace', 'warn'],
])
  test(() => assert_equals(console[name].name, name), `name of console.${name}`);
test(() => {
  assert_equals(Object.prototype.toString.call(console), '[object console]');
  assert_equals(Object.getPrototypeOf(Object.getPrototypeOf(console)), Object.prototype);
  const { log } = console;
  assert_equals(log('detached'), undefined);
}, 'methods of console');

// URLPattern.
/** Pattern, base, input, and whether it matches, or the groups of the path. */
const PATTERNS = [
  [{ pathname: '/a' }, 'https://h/a', {}],
  [{ pathname: '/a' }, 'https://h/b', null],
  [{ pathname: '/:id' }, 'https://h/7', { id: '7' }],
  [{ pathname: '/:id' }, 'https://h/7/8', null],
  [{ pathname: '/:a/:b?' }, 'https://h/7', { a: '7', b: undefined }],
  [{ pathname: '/:a+' }, 'https://h/7/8', { a: '7/8' }],
  [{ pathname: '/:a*' }, 'https://h', null],
  [{ pathname: '/*' }, 'https://h/a/b', { 0: 'a/b' }],
  [{ pathname: '/(\\d+)' }, 'https://h/12', { 0: '12' }],
  [{ pathname: '/(\\d+)' }, 'https://h/x', null],
  [{ pathname: '/:n(\\d+).:ext' }, 'https://h/12.txt', { n: '12', ext: 'txt' }],
  [{ pathname: '/a{/b}?' }, 'https://h/a', {}],
  [{ pathname: '/a{/b}?' }, 'https://h/a/b', {}],
  [{ pathname: '/A' }, 'https://h/a', null],
  [{ pathname: '/ü' }, 'https://h/%C3%BC', {}],
  [{ hostname: '*.example' }, 'https://a.example/x', { 0: '/x' }],
  [{ hostname: '*.example' }, 'https://a.other/x', null],
  [{ protocol: 'http{s}?' }, 'http://h/', { 0: '/' }],
  [{ protocol: 'http{s}?' }, 'ftp://h/', null],
  [{ search: 'a=:v' }, 'https://h/?a=1', { 0: '/' }],
  [{ port: '8080' }, 'https://h:8080/', { 0: '/' }],
  [{ port: '8080' }, 'https://h/', null],
  ['https://h/:x', 'https://h/y', { x: 'y' }],
  ['https://h/:x', 'http://h/y', null],
  ['https://*.h/a?b=*', 'https://g.h/a?b=c', {}],
];
for (const [pattern, url, groups] of PATTERNS)
  test(
    () => {
      const compiled = new URLPattern(pattern);
      assert_equals(compiled.test(url), groups !== null);
      const result = compiled.exec(url);
      if (groups === null) assert_equals(result, null);
      else assert_equals(JSON.stringify(result.pathname.groups), JSON.stringify(groups));
    },
    `${JSON.stringify(pattern)} against ${url}`,
  );
test(() => {
  const pattern = new URLPattern('/:x', 'https://h');
  const { hostname, pathname, inputs } = pattern.exec('/7', 'https://h');
  assert_equals(
    [hostname.input, pathname.input, pathname.groups.x, inputs.join('|')].join(),
    'h,/7,7,/7|https://h',
  );
  assert_equals([pattern.protocol, pattern.hostname, pattern.pathname, pattern.hash].join(), 'https,h,/:x,*');
  assert_true(new URLPattern({ pathname: '/A' }, { ignoreCase: true }).test('https://h/a'));
  assert_equals(new URLPattern({ pathname: '/(a)' }).hasRegExpGroups, true);
  assert_equals(new URLPattern({ pathname: '/:a' }).hasRegExpGroups, false);
  assert_true(new URLPattern().test('https://anything/'));
  for (const bad of ['/relative', { pathname: '/(' }, { pathname: '/:a/:a' }, { hostname: 'a b' }, '('])
    assert_throws_js(TypeError, () => new URLPattern(bad));
  assert_false(pattern.test('not a URL'));
  assert_equals(pattern.exec('not a URL'), null);
}, 'URLPattern');

// WebAssembly.
const EMPTY = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
/** Imports `m.f`, exports `add(i32, i32)`, `mem` and `callF()`. */
const ADD = Uint8Array.of(
  ...EMPTY,
  ...[1, 10, 2, 96, 2, 127, 127, 1, 127, 96, 0, 0],
  ...[2, 7, 1, 1, 109, 1, 102, 0, 1],
  ...[3, 3, 2, 0, 1],
  ...[5, 4, 1, 1, 1, 2],
  ...[7, 21, 3, 3, 97, 100, 100, 0, 1, 3, 109, 101, 109, 2, 0, 5, 99, 97, 108, 108, 70, 0, 2],
  ...[10, 14, 2, 7, 0, 32, 0, 32, 1, 106, 11, 4, 0, 16, 0, 11],
);
promise_test(async (t) => {
  assert_true(WebAssembly.validate(EMPTY));
  assert_true(WebAssembly.validate(ADD));
  assert_false(WebAssembly.validate(new Uint8Array(8)));
  assert_false(WebAssembly.validate(EMPTY.subarray(0, 4)));
  let called = 0;
  const imports = { m: { f: () => called++ } };
  const { module, instance } = await WebAssembly.instantiate(ADD, imports);
  assert_equals(instance.exports.add(2, 3), 5);
  assert_equals(instance.exports.add(2 ** 31 - 1, 1), -(2 ** 31));
  instance.exports.callF();
  assert_equals(called, 1);
  assert_true(Object.isFrozen(instance.exports));
  assert_equals(
    JSON.stringify(WebAssembly.Module.imports(module)),
    '[{"module":"m","name":"f","kind":"function"}]',
  );
  assert_array_equals(
    WebAssembly.Module.exports(module).map(({ name, kind }) => `${name} ${kind}`),
    ['add function', 'mem memory', 'callF function'],
  );
  assert_equals(WebAssembly.Module.customSections(module, 'x').length, 0);
  const again = await WebAssembly.instantiate(module, imports);
  assert_true(again instanceof WebAssembly.Instance);
  assert_equals(new WebAssembly.Instance(await WebAssembly.compile(ADD), imports).exports.add(1, 1), 2);
  const { mem } = instance.exports;
  assert_equals(mem.buffer.byteLength, 65_536);
  const old = mem.buffer;
  assert_equals(mem.grow(1), 1);
  assert_equals(old.byteLength, 0);
  assert_throws_js(RangeError, () => mem.grow(1));
  await promise_rejects_js(t, WebAssembly.LinkError, WebAssembly.instantiate(ADD, { m: {} }));
  await promise_rejects_js(t, TypeError, WebAssembly.instantiate(ADD, {}));
  await promise_rejects_js(t, TypeError, WebAssembly.instantiate(ADD));
  await promise_rejects_js(t, WebAssembly.CompileError, WebAssembly.compile(new Uint8Array(8)));
  await promise_rejects_js(t, TypeError, WebAssembly.compile('text'));
  assert_throws_js(WebAssembly.CompileError, () => new WebAssembly.Module(new Uint8Array()));
  assert_throws_js(TypeError, () => WebAssembly.Module(EMPTY));
}, 'modules and instances');
test(() => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 2 });
  assert_equals(memory.buffer, memory.buffer);
  assert_equals(memory.grow(0), 1);
  assert_throws_js(TypeError, () => new WebAssembly.Memory());
  assert_throws_js(RangeError, () => new WebAssembly.Memory({ initial: 2, maximum: 1 }));
  const table = new WebAssembly.Table({ element: 'anyfunc', initial: 2, maximum: 3 });
  assert_equals(table.length, 2);
  assert_equals(table.get(0), null);
  assert_equals(table.grow(1), 2);
  assert_throws_js(RangeError, () => table.get(3));
  assert_throws_js(TypeError, () => table.set(0, () => {}));
  assert_throws_js(RangeError, () => table.grow(1));
  const global = new WebAssembly.Global({ value: 'i64', mutable: true }, 5n);
  global.value = 7n;
  assert_equals(global.value, 7n);
  assert_equals(global.valueOf(), 7n);
  const constant = new WebAssembly.Global({ value: 'f64' }, 1.5);
  assert_throws_js(TypeError, () => {
    constant.value = 2;
  });
  assert_throws_js(TypeError, () => {
    global.value = 1;
  });
  assert_equals(new WebAssembly.Global({ value: 'externref' }, 'x').value, 'x');
}, 'memories, tables and globals');
test(() => {
  for (const name of ['CompileError', 'LinkError', 'RuntimeError']) {
    const error = new WebAssembly[name]('m');
    assert_true(error instanceof Error);
    assert_equals([error.name, error.message].join(), `${name},m`);
  }
  assert_equals(String(WebAssembly), '[object WebAssembly]');
}, 'errors of WebAssembly');

// The global scope.
test(() => {
  for (const name of ['self', 'global', 'globalThis']) assert_equals(globalThis[name], globalThis, name);
}, 'self, global and globalThis are one object');
test(() => {
  const names =
    'Atomics SharedArrayBuffer process require Deno Worker MessageChannel BroadcastChannel WebSocket navigator localStorage setImmediate addEventListener';
  assert_equals(
    names
      .split(' ')
      .filter((name) => name in globalThis)
      .join(),
    '',
  );
}, 'globals that an action does not have');
for (const [compute, expected] of [
  [() => [1, 2, 3].at(-1), 3],
  [() => Object.groupBy([1, 2], (n) => (n % 2 ? 'odd' : 'even')).odd.length, 1],
  [() => Array.fromAsync.name, 'fromAsync'],
  [() => [3, 1].toSorted().join(), '1,3'],
  [() => 'a-b'.replaceAll('-', '+'), 'a+b'],
  [() => '\ud800'.isWellFormed(), false],
  [() => new Set([1, 2]).union(new Set([3])).size, 3],
  [() => Promise.withResolvers().promise instanceof Promise, true],
  [() => Promise.try.name, 'try'],
  [
    () =>
      Iterator.from([1, 2])
        .map((n) => n * 2)
        .toArray()
        .join(),
    '2,4',
  ],
  [() => RegExp.escape('a.b'), '\\x61\\.b'],
  [() => new Intl.NumberFormat('de').format(1234.5), '1.234,5'],
  [() => new Date(0).toISOString(), '1970-01-01T00:00:00.000Z'],
  [() => Math.f16round(1.1), 1.099609375],
  [() => Uint8Array.fromHex('ff').toBase64(), '/w=='],
  [() => JSON.rawJSON('1').rawJSON, '1'],
  [() => Error.isError(new TypeError()), true],
  [() => new Error('m', { cause: 1 }).cause, 1],
  [() => /(?<=a)b/v.test('ab'), true],
  [() => structuredClone(1n), 1n],
  [() => new WeakRef({}) instanceof WeakRef, true],
  [() => Temporal.PlainDate.from('2026-01-31').add({ months: 1 }).toString(), '2026-02-28'],
])
  test(() => assert_equals(compute(), expected), String(compute).slice(6));

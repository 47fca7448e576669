// https://fetch.spec.whatwg.org: Headers, Request, Response and bodies. The requests themselves are tested in src/.

const pairs = (headers) => JSON.stringify([...headers]);

// Headers.
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]$/;
for (let code = 0; code < 0x80; code++) {
  const name = String.fromCharCode(code);
  test(() => {
    if (TOKEN.test(name)) assert_equals(new Headers([[name, 'v']]).get(name), 'v');
    else {
      const headers = new Headers();
      for (const method of ['append', 'set']) assert_throws_js(TypeError, () => headers[method](name, 'v'));
      for (const method of ['get', 'has', 'delete']) assert_throws_js(TypeError, () => headers[method](name));
    }
  }, `header name with the code ${code}`);
  test(() => {
    const value = `a${name}b`;
    if ([0, 10, 13].includes(code)) assert_throws_js(TypeError, () => new Headers({ a: value }));
    else assert_equals(new Headers({ a: value }).get('a'), value);
  }, `header value with the code ${code}`);
}
for (const bad of ['', 'a b', 'ü', 'a\u0100', '€', '\u0080'])
  test(
    () => assert_throws_js(TypeError, () => new Headers([[bad, 'v']])),
    `header name ${escape(bad)} is refused`,
  );
for (const [value, kept] of [
  ['', ''],
  [' a ', 'a'],
  ['\t\n\r a\t', 'a'],
  ['a  b', 'a  b'],
  ['ÿ', 'ÿ'],
  ['\u0080', '\u0080'],
  [1, '1'],
  [null, 'null'],
])
  test(
    () => assert_equals(new Headers({ a: value }).get('a'), kept),
    `header value ${escape(String(value))}`,
  );
for (const bad of ['a\u0000', 'a\nb', 'a\rb', '\u0100', '€', '\ud800'])
  test(
    () => assert_throws_js(TypeError, () => new Headers({ a: bad })),
    `header value ${escape(bad)} is refused`,
  );
test(() => {
  assert_equals(pairs(new Headers()), '[]');
  assert_equals(pairs(new Headers(undefined)), '[]');
  assert_equals(pairs(new Headers({ B: '1', a: 2 })), '[["a","2"],["b","1"]]');
  assert_equals(
    pairs(
      new Headers([
        ['B', '1'],
        ['b', '2'],
      ]),
    ),
    '[["b","1, 2"]]',
  );
  assert_equals(pairs(new Headers(new Map([['x', 'y']]))), '[["x","y"]]');
  assert_equals(pairs(new Headers(new Headers({ x: 'y' }))), '[["x","y"]]');
  for (const bad of [null, 1, 'a', [['a']], [['a', 'b', 'c']], [1], { 'a b': 'c' }])
    assert_throws_js(TypeError, () => new Headers(bad));
  assert_throws_js(TypeError, () => Headers());
}, 'Headers takes pairs and records');
test(() => {
  const headers = new Headers({ a: '1' });
  headers.append('A', '2');
  assert_equals(headers.get('a'), '1, 2');
  headers.set('a', '3');
  assert_equals(headers.get('A'), '3');
  assert_true(headers.has('A'));
  headers.delete('A');
  headers.delete('z');
  assert_false(headers.has('a'));
  assert_equals(headers.get('a'), null);
  for (const [method, count] of [
    ['append', 2],
    ['set', 2],
    ['get', 1],
    ['has', 1],
    ['delete', 1],
  ])
    assert_throws_js(TypeError, () => headers[method](...Array(count - 1).fill('a')));
}, 'Headers changes by any case of a name');
test(() => {
  const headers = new Headers([
    ['Set-Cookie', 'a=1'],
    ['b', 'x'],
    ['set-cookie', 'c=2'],
    ['B', 'y'],
  ]);
  assert_array_equals(headers.getSetCookie(), ['a=1', 'c=2']);
  assert_equals(headers.get('set-cookie'), 'a=1, c=2');
  assert_equals(pairs(headers), '[["b","x, y"],["set-cookie","a=1"],["set-cookie","c=2"]]');
  assert_array_equals(new Headers().getSetCookie(), []);
  headers.set('set-cookie', 'd');
  assert_array_equals(headers.getSetCookie(), ['d']);
}, 'Set-Cookie is not combined');
test(() => {
  const headers = new Headers({ c: '3', a: '1', b: '2' });
  assert_array_equals([...headers.keys()], ['a', 'b', 'c']);
  assert_array_equals([...headers.values()], ['1', '2', '3']);
  assert_equals(headers.entries, headers[Symbol.iterator]);
  const seen = [];
  headers.forEach(
    function (value, name, all) {
      seen.push(value + name + (all === headers) + this.x);
    },
    { x: 'x' },
  );
  assert_array_equals(seen, ['1atruex', '2btruex', '3ctruex']);
  assert_equals(Object.prototype.toString.call(headers.keys()), '[object Headers Iterator]');
  assert_throws_js(TypeError, () => headers.forEach());
}, 'Headers iterates in the order of the names');
test(() => {
  const headers = new Headers({ a: '1', b: '2', c: '3' });
  const seen = [];
  for (const [name] of headers) {
    seen.push(name);
    headers.delete('b');
  }
  assert_array_equals(seen, ['a', 'c']);
}, 'an iteration of Headers sees deletions');

// Request.
const U = 'https://h.example/a';
test(() => {
  const request = new Request(U);
  assert_equals(request.url, U);
  assert_equals(request.method, 'GET');
  assert_equals(pairs(request.headers), '[]');
  assert_equals(request.body, null);
  assert_false(request.bodyUsed);
  assert_equals(request.redirect, 'follow');
  assert_false(request.signal.aborted);
  assert_true(request.signal instanceof AbortSignal && request.headers instanceof Headers);
  assert_equals(new Request('http://H/../b#f').url, 'http://h/b#f');
  assert_equals(new Request(new URL(U)).url, U);
}, 'a new Request');
for (const bad of ['', '/relative', 'http://'])
  test(
    () => assert_throws_js(TypeError, () => new Request(bad)),
    `Request of ${JSON.stringify(bad)} is refused`,
  );
test(() => {
  for (const url of ['http://u:p@h/', 'http://u@h/']) assert_throws_js(TypeError, () => new Request(url));
}, 'a Request of a URL with credentials is refused');
for (const [method, normalized] of [
  ['get', 'GET'],
  ['Post', 'POST'],
  ['pUt', 'PUT'],
  ['delete', 'DELETE'],
  ['head', 'HEAD'],
  ['options', 'OPTIONS'],
  ['patch', 'patch'],
  ['PATCH', 'PATCH'],
  ['custom', 'custom'],
])
  test(() => assert_equals(new Request(U, { method }).method, normalized), `method ${method}`);
for (const method of ['', 'a b', 'ü', 'CONNECT', 'connect', 'TRACE', 'Track', 'A\n'])
  test(
    () => assert_throws_js(TypeError, () => new Request(U, { method })),
    `method ${JSON.stringify(method)} is refused`,
  );
for (const [name, bad] of [
  ['redirect', 'x'],
  ['mode', 'x'],
  ['credentials', 'x'],
  ['cache', 'x'],
  ['mode', 'navigate'],
  ['signal', {}],
  ['window', {}],
  ['duplex', 'full'],
  ['referrerPolicy', 'x'],
  ['priority', 'x'],
])
  test(
    () => assert_throws_js(TypeError, () => new Request(U, { [name]: bad })),
    `${name} ${JSON.stringify(bad)} is refused`,
  );
for (const redirect of ['follow', 'error', 'manual'])
  test(() => assert_equals(new Request(U, { redirect }).redirect, redirect), `redirect ${redirect}`);
for (const method of ['GET', 'HEAD', 'get'])
  test(
    () => assert_throws_js(TypeError, () => new Request(U, { method, body: '' })),
    `${method} has no body`,
  );
test(() => {
  const stream = new ReadableStream();
  assert_throws_js(TypeError, () => new Request(U, { method: 'POST', body: stream }));
  assert_true(
    new Request(U, { method: 'POST', body: stream, duplex: 'half' }).body instanceof ReadableStream,
  );
}, 'a stream as body needs duplex');
test(() => {
  const first = new Request(U, { method: 'POST', headers: { a: '1' }, redirect: 'manual', body: 'b' });
  const second = new Request(first, { headers: { c: '2' } });
  assert_equals(second.method, 'POST');
  assert_equals(second.redirect, 'manual');
  assert_equals(second.headers.get('a'), null);
  assert_equals(second.headers.get('c'), '2');
  assert_true(first.bodyUsed);
  assert_throws_js(TypeError, () => new Request(first));
  assert_equals(new Request(first, { body: 'other' }).method, 'POST');
}, 'a Request of a Request takes its body');
test(() => {
  const controller = new AbortController();
  const request = new Request(U, { signal: controller.signal });
  const derived = new Request(request);
  const cloned = request.clone();
  assert_not_equals(request.signal, controller.signal);
  controller.abort('r');
  for (const each of [request, derived, cloned]) assert_equals(each.signal.reason, 'r');
  assert_false(new Request(request, { signal: null }).signal.aborted);
}, 'a Request follows the signal');
promise_test(async (t) => {
  const request = new Request(U, { method: 'POST', body: 'text', headers: { a: '1' } });
  const clone = request.clone();
  clone.headers.set('a', '2');
  assert_equals(request.headers.get('a'), '1');
  assert_equals(await clone.text(), 'text');
  assert_equals(await request.text(), 'text');
  assert_throws_js(TypeError, () => request.clone());
  await promise_rejects_js(t, TypeError, request.text());
}, 'a clone of a Request');

// Response.
test(() => {
  const response = new Response();
  assert_equals(
    [response.status, response.statusText, response.ok, response.type, response.url].join(),
    '200,,true,default,',
  );
  assert_equals(response.body, null);
  assert_false(response.redirected);
  assert_equals(pairs(response.headers), '[]');
  assert_true(new Response('').body instanceof ReadableStream);
  assert_equals(new Response(null).body, null);
  assert_equals(new Response(undefined).body, null);
}, 'a new Response');
for (const [status, ok] of [
  [200, true],
  [299, true],
  [300, false],
  [404, false],
  [599, false],
])
  test(() => assert_equals(new Response('', { status }).ok, ok), `ok of ${status}`);
for (const status of [0, 100, 101, 199, 600, 1000, -1, 'x', Number.NaN])
  test(() => assert_throws_js(RangeError, () => new Response('', { status })), `status ${status} is refused`);
for (const status of [204, 205, 304]) {
  test(() => assert_throws_js(TypeError, () => new Response('', { status })), `${status} has no body`);
  test(() => assert_equals(new Response(null, { status }).status, status), `${status} with null`);
}
for (const statusText of ['', 'OK', 'a b', 'ÿ', '\t'])
  test(
    () => assert_equals(new Response('', { statusText }).statusText, statusText),
    `statusText ${escape(statusText)}`,
  );
for (const statusText of ['\n', '\r', '\u0000', '\u0100'])
  test(
    () => assert_throws_js(TypeError, () => new Response('', { statusText })),
    `statusText ${escape(statusText)} is refused`,
  );
test(() => {
  const error = Response.error();
  assert_equals([error.type, error.status, error.statusText, error.ok].join(), 'error,0,,false');
  assert_equals(error.body, null);
  assert_throws_js(TypeError, () => error.headers.append('a', 'b'));
}, 'Response.error');
for (const status of [301, 302, 303, 307, 308])
  test(() => {
    const response = Response.redirect('https://h.example/a b', status);
    assert_equals(response.status, status);
    assert_equals(response.headers.get('location'), 'https://h.example/a%20b');
    assert_throws_js(TypeError, () => response.headers.set('a', 'b'));
  }, `Response.redirect with ${status}`);
test(() => {
  assert_equals(Response.redirect(U).status, 302);
  for (const status of [200, 300, 304, 309]) assert_throws_js(RangeError, () => Response.redirect(U, status));
  assert_throws_js(TypeError, () => Response.redirect('http://'));
}, 'arguments of Response.redirect');
promise_test(async () => {
  const response = Response.json({ a: [1] }, { status: 201, headers: { b: 'c' } });
  assert_equals(
    [response.status, response.headers.get('content-type'), response.headers.get('b')].join(),
    '201,application/json,c',
  );
  assert_equals(await response.text(), '{"a":[1]}');
  assert_equals(Response.json(1, { headers: { 'Content-Type': 'x/y' } }).headers.get('content-type'), 'x/y');
  assert_equals(await Response.json('ü').text(), '"ü"');
  assert_throws_js(TypeError, () => Response.json(undefined));
  assert_throws_js(TypeError, () => Response.json(Symbol('a')));
  assert_throws_js(TypeError, () => Response.json(1n));
  assert_throws_js(TypeError, () => Response.json(1, { status: 204 }));
  const loop = {};
  loop.loop = loop;
  assert_throws_js(TypeError, () => Response.json(loop));
}, 'Response.json');
promise_test(async () => {
  const response = new Response('text', { status: 202, statusText: 's', headers: { a: '1' } });
  const clone = response.clone();
  clone.headers.set('a', '2');
  assert_equals([clone.status, clone.statusText, response.headers.get('a')].join(), '202,s,1');
  const reader = response.body.getReader();
  assert_throws_js(TypeError, () => response.clone());
  reader.releaseLock();
  assert_equals(await response.text(), 'text');
  assert_throws_js(TypeError, () => response.clone());
  assert_equals(await clone.text(), 'text');
}, 'a clone of a Response');

// Bodies.
/** Body, its content type, and its text. */
const BODIES = {
  text: () => ['ü', 'text/plain;charset=UTF-8', 'ü'],
  'empty text': () => ['', 'text/plain;charset=UTF-8', ''],
  number: () => [12, 'text/plain;charset=UTF-8', '12'],
  object: () => [{}, 'text/plain;charset=UTF-8', '[object Object]'],
  ArrayBuffer: () => [Uint8Array.of(97, 98).buffer, null, 'ab'],
  'part of a buffer': () => [Uint8Array.of(97, 98, 99).subarray(1, 2), null, 'b'],
  DataView: () => [new DataView(Uint8Array.of(97).buffer), null, 'a'],
  Blob: () => [new Blob(['a']), null, 'a'],
  'Blob with a type': () => [new Blob(['a'], { type: 'Text/X' }), 'text/x', 'a'],
  URLSearchParams: () => [
    new URLSearchParams({ a: 'ü b' }),
    'application/x-www-form-urlencoded;charset=UTF-8',
    'a=%C3%BC+b',
  ],
  stream: () => [new Blob(['ab']).stream(), null, 'ab'],
};
for (const [name, make] of Object.entries(BODIES)) {
  for (const [kind, create] of [
    ['Response', (body, headers) => new Response(body, { headers })],
    ['Request', (body, headers) => new Request(U, { method: 'POST', duplex: 'half', body, headers })],
  ]) {
    promise_test(async (t) => {
      const [body, type, text] = make();
      const owner = create(body, {});
      assert_equals(owner.headers.get('content-type'), type);
      assert_false(owner.bodyUsed);
      const promise = owner.text();
      assert_true(owner.bodyUsed);
      assert_equals(await promise, text);
      for (const method of ['text', 'json', 'arrayBuffer', 'blob', 'formData', 'bytes'])
        await promise_rejects_js(t, TypeError, owner[method]());
      assert_equals(create(make()[0], { 'content-type': 'x/y' }).headers.get('content-type'), 'x/y');
    }, `${kind} with ${name}`);
    promise_test(async () => {
      const text = make()[2];
      const bytes = await create(make()[0], {}).bytes();
      assert_true(bytes instanceof Uint8Array);
      assert_equals(new TextDecoder().decode(bytes), text);
      const buffer = await create(make()[0], {}).arrayBuffer();
      assert_true(buffer instanceof ArrayBuffer);
      assert_equals(buffer.byteLength, bytes.length);
      const blob = await create(make()[0], { 'content-type': 'Text/X;Charset=A' }).blob();
      assert_equals(await blob.text(), text);
    }, `bytes, buffer and blob of a ${kind} with ${name}`);
  }
}
promise_test(async (t) => {
  assert_equals((await new Response('{"a":1}').json()).a, 1);
  assert_equals(await new Response(Uint8Array.of(0xff)).text(), '\ufffd');
  for (const bad of ['', '{', 'undefined'])
    await promise_rejects_js(t, SyntaxError, new Response(bad).json());
  await promise_rejects_js(t, SyntaxError, new Response().json());
  assert_equals(await new Response().text(), '');
  assert_equals((await new Response().arrayBuffer()).byteLength, 0);
  assert_equals((await new Response('a').blob()).type, 'text/plain;charset=utf-8');
  assert_equals((await new Response().blob()).type, '');
}, 'text and JSON of a body');
promise_test(async () => {
  assert_equals(await new Response('\ufeffa').text(), 'a');
  assert_equals(await new Response('\ufeff1').json(), 1);
}, 'a byte order mark is not part of the text');
promise_test(async (t) => {
  const response = new Response('ab');
  const reader = response.body.getReader();
  assert_false(response.bodyUsed);
  await promise_rejects_js(t, TypeError, response.text());
  assert_array_equals((await reader.read()).value, [97, 98]);
  assert_true(response.bodyUsed);
  assert_throws_js(TypeError, () => new Response(response.body));
  const empty = new Response();
  await empty.text();
  assert_false(empty.bodyUsed);
  assert_equals(await empty.text(), '');
}, 'a locked or read body');
promise_test(async (t) => {
  const broken = (error) => new Response(new ReadableStream({ pull: (c) => c.error(error) }));
  const error = new Error('e');
  await promise_rejects_exactly(t, error, broken(error).text());
  for (const chunk of ['text', 1, {}, null])
    await promise_rejects_js(t, TypeError, new Response(ReadableStream.from([chunk])).text());
}, 'a body whose stream fails');

// Forms.
const form = (type, body) => new Response(body, { headers: { 'content-type': type } }).formData();
promise_test(async (t) => {
  const data = await form('application/x-www-form-urlencoded', 'a=1&b=%C3%BC+c&a=2&d');
  assert_equals(pairs(data), '[["a","1"],["b","ü c"],["a","2"],["d",""]]');
  for (const type of ['text/plain', 'multipart/form-data', 'application/json'])
    await promise_rejects_js(t, TypeError, form(type, 'a=1'));
  await promise_rejects_js(t, TypeError, new Response('a').formData());
  await promise_rejects_js(t, TypeError, form('multipart/form-data; boundary=x', 'a=1'));
}, 'formData reads urlencoded text');
promise_test(async () => {
  const text = [
    '--x',
    'Content-Disposition: form-data; name="a"',
    '',
    '1',
    '--x',
    'Content-Disposition: form-data; name="f"; filename="n.txt"',
    'Content-Type: text/x',
    '',
    'line1\r\nline2',
    '--x--',
    '',
  ].join('\r\n');
  const data = await form('multipart/form-data; boundary=x', text);
  assert_equals(data.get('a'), '1');
  const file = data.get('f');
  assert_true(file instanceof File);
  assert_equals([file.name, file.type, await file.text()].join(), 'n.txt,text/x,line1\r\nline2');
}, 'formData reads multipart text');
promise_test(async () => {
  const text = '--x\r\nContent-Disposition: form-data; name="%22%0D%0A"\r\n\r\nü\r\n--x--\r\n';
  assert_equals((await form('multipart/form-data; boundary=x', text)).get('"\r\n'), 'ü');
}, 'formData decodes the names of multipart text');
for (const name of ['a', 'ü', 'a b', 'a"b', 'a\rb', 'a\nb', 'a\r\nb', "a'b", 'a\\b', 'a;b', '%22'])
  promise_test(
    async () => {
      const data = new FormData();
      data.append(name, 'v\nw');
      data.append('f', new Blob(['c']), name);
      const response = new Response(data);
      assert_regexp_match(
        response.headers.get('content-type'),
        /^multipart\/form-data; boundary=[\w'()+,./:=?-]{1,70}$/,
      );
      const text = await response.clone().text();
      const lines = name
        .replace(/\r\n|\r|\n/g, '\r\n')
        .replaceAll('\r\n', '%0D%0A')
        .replaceAll('"', '%22');
      assert_true(text.includes(`name="${lines}"\r\n\r\nv\r\nw\r\n`), text);
      const fileName = name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
      assert_true(
        text.includes(
          `name="f"; filename="${fileName}"\r\nContent-Type: application/octet-stream\r\n\r\nc\r\n`,
        ),
        text,
      );
      assert_equals((await response.formData()).getAll('f').length, 1);
    },
    `multipart text with the name ${escape(name)}`,
  );
test(() => {
  const data = new FormData();
  data.append('a', '1');
  data.append('b', '2');
  data.append('a', 3);
  assert_equals(pairs(data), '[["a","1"],["b","2"],["a","3"]]');
  assert_equals(data.get('a'), '1');
  assert_array_equals(data.getAll('a'), ['1', '3']);
  assert_equals(data.get('z'), null);
  assert_array_equals(data.getAll('z'), []);
  assert_true(data.has('a') && !data.has('z'));
  data.set('a', '9');
  data.set('c', '4');
  assert_equals(pairs(data), '[["a","9"],["b","2"],["c","4"]]');
  data.delete('b');
  data.delete('z');
  assert_array_equals([...data.keys()], ['a', 'c']);
  assert_array_equals([...data.values()], ['9', '4']);
  assert_equals(data.entries, data[Symbol.iterator]);
  const seen = [];
  data.forEach((value, name, all) => {
    seen.push(name, value, all === data);
  });
  assert_array_equals(seen, ['a', '9', true, 'c', '4', true]);
  data.set('\ud800', '\udc00');
  assert_equals(data.get('\ufffd'), '\ufffd');
  assert_throws_js(TypeError, () => data.append('a'));
  assert_throws_js(TypeError, () => new FormData({}));
  assert_throws_js(TypeError, () => FormData());
}, 'FormData reads and changes entries');
test(() => {
  assert_throws_js(TypeError, () => new FormData().append('a', 'b', 'c'));
  assert_throws_js(TypeError, () => new FormData().set('a', 'b', 'c'));
}, 'FormData takes a file name only with a Blob');
test(() => {
  const data = new FormData();
  const file = new File(['a'], 'n', { type: 'text/x', lastModified: 5 });
  data.set('blob', new Blob(['a'], { type: 'text/y' }));
  data.set('file', file);
  data.set('renamed', file, 'm');
  const of = (name) => [data.get(name).name, data.get(name).type].join();
  assert_array_equals(['blob', 'file', 'renamed'].map(of), ['blob,text/y', 'n,text/x', 'm,text/x']);
  assert_equals(data.get('file').lastModified, 5);
  assert_equals(data.get('blob'), data.get('blob'));
  assert_true(data.get('blob') instanceof File);
}, 'FormData makes Files');

// Blobs.
for (const [parts, text] of [
  [[], ''],
  [['a', 'b'], 'ab'],
  [['ü'], 'ü'],
  [['\ud800'], '\ufffd'],
  [[1, null, undefined, {}], '1nullundefined[object Object]'],
  [[Uint8Array.of(97).buffer], 'a'],
  [[Uint8Array.of(97, 98).subarray(1)], 'b'],
  [[new Blob(['x']), 'y'], 'xy'],
  [['a\r\nb\n'], 'a\r\nb\n'],
  [new Set(['a']), 'a'],
])
  promise_test(
    async () => {
      const blob = new Blob(parts);
      assert_equals(await blob.text(), text);
      assert_equals(blob.size, new TextEncoder().encode(text).length);
      assert_equals(new TextDecoder().decode(await blob.arrayBuffer()), text);
      assert_equals(new TextDecoder().decode(await blob.bytes()), text);
      assert_equals(await new Response(blob.stream()).text(), text);
    },
    `Blob of ${escape(String([...parts]))} (${text.length})`,
  );
for (const bad of ['a', 1, {}, null, new Date()])
  test(() => assert_throws_js(TypeError, () => new Blob(bad)), `Blob of ${bad} is refused`);
for (const [type, kept] of [
  ['', ''],
  ['Text/PLAIN', 'text/plain'],
  ['a b', 'a b'],
  ['ü', ''],
  ['a\u0000', ''],
  ['a\u007f', ''],
  [null, 'null'],
])
  test(() => assert_equals(new Blob([], { type }).type, kept), `Blob of the type ${escape(String(type))}`);
promise_test(async () => {
  assert_equals(await new Blob(['a\r\nb\nc\rd'], { endings: 'native' }).text(), 'a\nb\nc\nd');
  assert_throws_js(TypeError, () => new Blob([], { endings: 'x' }));
}, 'line endings of a Blob');
for (const [args, text] of [
  [[], 'abcdef'],
  [[1], 'bcdef'],
  [[1, 3], 'bc'],
  [[-2], 'ef'],
  [[-3, -1], 'de'],
  [[3, 1], ''],
  [[9], ''],
  [[0, 99], 'abcdef'],
  [[-99, 2], 'ab'],
  [[undefined, 2], 'ab'],
  [[Number.NaN, 2], 'ab'],
  [[1.4, 2.6], 'bc'],
])
  promise_test(
    async () => {
      const slice = new Blob(['abc', new Blob(['def'])], { type: 'x/y' }).slice(...args);
      assert_equals(await slice.text(), text);
      assert_equals(slice.size, text.length);
      assert_equals(slice.type, '');
      assert_equals(slice.slice(0, 1, 'A/B').type, 'a/b');
    },
    `slice ${args.map(String)}`,
  );
test(() => {
  const before = Date.now();
  const file = new File(['ab'], 'a/ü', { type: 'text/x' });
  assert_equals([file.name, file.size, file.type].join(), 'a/ü,2,text/x');
  assert_true(file.lastModified >= before && file.lastModified <= Date.now());
  assert_equals(new File([], 'n', { lastModified: 1.9 }).lastModified, 1);
  assert_equals(new File([], 'n', { lastModified: new Date(5) }).lastModified, 5);
  assert_true(file instanceof Blob && !(file.slice() instanceof File));
  assert_throws_js(TypeError, () => new File());
  assert_throws_js(TypeError, () => new File([]));
  assert_throws_js(TypeError, () => new File('a', 'n'));
  assert_equals(new File([], undefined).name, 'undefined');
}, 'File');

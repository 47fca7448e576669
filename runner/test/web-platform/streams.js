// https://streams.spec.whatwg.org and https://compression.spec.whatwg.org

const boom = Object.assign(new Error('boom'), { name: 'boom' });
const tick = () => new Promise((resolve) => setTimeout(resolve, 0));
const readAll = async (stream) => {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};
/** A sink that records its calls. */
const recorder = (extra = {}) => {
  const seen = [];
  const sink = {
    write: (chunk) => {
      seen.push(chunk);
    },
    close: () => {
      seen.push('close');
    },
    abort: (reason) => {
      seen.push('abort', reason);
    },
    ...extra,
  };
  return { seen, sink };
};

// Readable streams.
promise_test(async () => {
  const calls = [];
  const stream = new ReadableStream(
    {
      start(c) {
        calls.push('start');
        c.enqueue('a');
      },
      pull(c) {
        calls.push('pull');
        c.enqueue('b');
        c.close();
      },
    },
    { highWaterMark: 2 },
  );
  assert_array_equals(calls, ['start']);
  assert_array_equals(await readAll(stream), ['a', 'b']);
  assert_array_equals(calls, ['start', 'pull']);
  assert_false(stream.locked);
}, 'start and pull');
promise_test(async () => {
  let pulls = 0;
  const stream = new ReadableStream(
    {
      pull: (c) => {
        pulls++;
        c.enqueue(pulls);
      },
    },
    { highWaterMark: 0 },
  );
  await tick();
  assert_equals(pulls, 0);
  const reader = stream.getReader();
  assert_equals((await reader.read()).value, 1);
  assert_equals(pulls, 1);
}, 'a queue of 0 pulls only for reads');
promise_test(async () => {
  let pulls = 0;
  new ReadableStream(
    {
      pull: (c) => {
        pulls++;
        c.enqueue(0);
      },
    },
    { highWaterMark: 3 },
  );
  await tick();
  assert_equals(pulls, 3);
}, 'a queue is filled to its mark');
test(() => {
  const sizes = [];
  new ReadableStream(
    {
      start(c) {
        sizes.push(c.desiredSize);
        c.enqueue('abc');
        sizes.push(c.desiredSize);
        c.enqueue('de');
        sizes.push(c.desiredSize);
        c.close();
        sizes.push(c.desiredSize);
      },
    },
    { highWaterMark: 4, size: (chunk) => chunk.length },
  );
  assert_array_equals(sizes, [4, 1, -1, -1]);
  new ReadableStream({
    start: (c) => {
      c.close();
      assert_equals(c.desiredSize, 0);
    },
  });
  new ReadableStream({
    start: (c) => {
      c.error(boom);
      assert_equals(c.desiredSize, null);
    },
  });
}, 'desiredSize');
test(() => {
  for (const highWaterMark of [-1, Number.NaN, 'x', {}])
    assert_throws_js(RangeError, () => new ReadableStream({}, { highWaterMark }));
  for (const size of [1, 'a', null, {}]) assert_throws_js(TypeError, () => new ReadableStream({}, { size }));
  for (const type of ['', 'x', null, 1]) assert_throws_js(TypeError, () => new ReadableStream({ type }));
  for (const name of ['start', 'pull', 'cancel'])
    assert_throws_js(TypeError, () => new ReadableStream({ [name]: 1 }));
  assert_throws_js(TypeError, () => new ReadableStream(null));
  assert_throws_js(RangeError, () => new ReadableStream({ type: 'bytes' }, { size: () => 1 }));
  assert_throws_exactly(
    boom,
    () =>
      new ReadableStream({
        start: () => {
          throw boom;
        },
      }),
  );
  assert_throws_js(TypeError, () => new ReadableStream({ type: 'bytes', autoAllocateChunkSize: 0 }));
}, 'arguments of ReadableStream');
promise_test(async (t) => {
  const stream = new ReadableStream({
    start: (c) => {
      c.enqueue('a');
      c.error(boom);
    },
  });
  const reader = stream.getReader();
  await promise_rejects_exactly(t, boom, reader.read());
  await promise_rejects_exactly(t, boom, reader.closed);
  await promise_rejects_exactly(t, boom, reader.cancel());
}, 'an error drops the queue');
for (const [name, source] of Object.entries({
  'start rejects': { start: () => Promise.reject(boom) },
  'pull throws': {
    pull: () => {
      throw boom;
    },
  },
  'pull rejects': {
    pull: async () => {
      throw boom;
    },
  },
}))
  promise_test(async (t) => {
    await promise_rejects_exactly(t, boom, new ReadableStream(source).getReader().read());
  }, `an error: ${name}`);
promise_test(async (t) => {
  const size = () => {
    throw boom;
  };
  let thrown;
  const stream = new ReadableStream(
    {
      start(c) {
        try {
          c.enqueue(1);
        } catch (error) {
          thrown = error;
        }
      },
    },
    { size },
  );
  assert_equals(thrown, boom);
  await promise_rejects_exactly(t, boom, stream.getReader().read());
  for (const size of [-1, Number.NaN, Number.POSITIVE_INFINITY])
    new ReadableStream(
      { start: (c) => assert_throws_js(RangeError, () => c.enqueue(1)) },
      { size: () => size },
    );
}, 'a size that fails');
test(() => {
  let controller;
  new ReadableStream({
    start: (c) => {
      controller = c;
    },
  });
  controller.close();
  assert_throws_js(TypeError, () => controller.close());
  assert_throws_js(TypeError, () => controller.enqueue(1));
  assert_equals(controller.error(boom), undefined);
  assert_throws_js(TypeError, () => new ReadableStreamDefaultController());
}, 'a controller after close');
promise_test(async (t) => {
  const stream = new ReadableStream();
  const reader = stream.getReader();
  assert_true(stream.locked);
  assert_true(reader instanceof ReadableStreamDefaultReader);
  assert_throws_js(TypeError, () => stream.getReader());
  assert_throws_js(TypeError, () => new ReadableStreamDefaultReader(stream));
  assert_throws_js(TypeError, () => stream.tee());
  assert_throws_js(TypeError, () => stream.pipeThrough(new TransformStream()));
  await promise_rejects_js(t, TypeError, stream.cancel());
  await promise_rejects_js(t, TypeError, stream.pipeTo(new WritableStream()));
  const read = reader.read();
  const { closed } = reader;
  reader.releaseLock();
  assert_false(stream.locked);
  await promise_rejects_js(t, TypeError, read);
  await promise_rejects_js(t, TypeError, closed);
  await promise_rejects_js(t, TypeError, reader.read());
  await promise_rejects_js(t, TypeError, reader.cancel());
  assert_equals(reader.releaseLock(), undefined);
  assert_throws_js(TypeError, () => stream.getReader({ mode: 'byob' }));
  assert_throws_js(TypeError, () => stream.getReader({ mode: 'x' }));
}, 'a lock');
promise_test(async () => {
  const seen = [];
  const stream = new ReadableStream({
    cancel: (reason) => {
      seen.push(reason);
      return 'ignored';
    },
  });
  const reader = stream.getReader();
  assert_equals(await reader.cancel('r'), undefined);
  assert_array_equals(seen, ['r']);
  assert_equals((await reader.read()).done, true);
  assert_equals(await reader.closed, undefined);
  assert_equals(await reader.cancel('again'), undefined);
  assert_equals(seen.length, 1);
}, 'cancel');
promise_test(async (t) => {
  await promise_rejects_exactly(
    t,
    boom,
    new ReadableStream({
      cancel: () => {
        throw boom;
      },
    }).cancel(),
  );
  await promise_rejects_exactly(t, boom, new ReadableStream({ cancel: () => Promise.reject(boom) }).cancel());
}, 'a cancel that fails');
promise_test(async () => {
  const order = [];
  const stream = new ReadableStream({
    start: (c) => {
      for (const n of [1, 2, 3]) c.enqueue(n);
      c.close();
    },
  });
  const reader = stream.getReader();
  await Promise.all([0, 1, 2, 3].map(async () => order.push((await reader.read()).value)));
  assert_array_equals(order, [1, 2, 3, undefined]);
}, 'concurrent reads keep their order');
for (const [name, make, expected] of [
  ['an array', () => [1, 2], [1, 2]],
  ['a Set', () => new Set([1]), [1]],
  [
    'a generator',
    function* () {
      yield 1;
      yield 2;
    },
    [1, 2],
  ],
  [
    'an async generator',
    async function* () {
      yield 1;
      yield 2;
    },
    [1, 2],
  ],
  ['promises', () => [Promise.resolve(1), 2], [1, 2]],
  [
    'a stream',
    () =>
      new ReadableStream({
        start: (c) => {
          c.enqueue(1);
          c.close();
        },
      }),
    [1],
  ],
  ['nothing', () => [], []],
])
  promise_test(
    async () => assert_array_equals(await readAll(ReadableStream.from(make())), expected),
    `from ${name}`,
  );
for (const bad of [null, undefined, 1, true, 'text', {}, () => {}, { [Symbol.iterator]: 1 }])
  test(
    () => assert_throws_js(TypeError, () => ReadableStream.from(bad)),
    `from ${typeof bad} ${JSON.stringify(bad)} ${Object(bad)[Symbol.iterator]} is refused`,
  );
promise_test(async (t) => {
  let returned = 0;
  const iterable = () => ({
    [Symbol.iterator]: () => ({
      next: () => ({ value: 1, done: false }),
      return: (reason) => {
        returned = reason;
        return {};
      },
    }),
  });
  const reader = ReadableStream.from(iterable()).getReader();
  await reader.read();
  await reader.cancel('stop');
  assert_equals(returned, 'stop');
  await promise_rejects_exactly(
    t,
    boom,
    ReadableStream.from(
      (function* () {
        yield* [];
        throw boom;
      })(),
    )
      .getReader()
      .read(),
  );
  await promise_rejects_exactly(
    t,
    boom,
    ReadableStream.from([Promise.reject(boom)])
      .getReader()
      .read(),
  );
}, 'from ends its iterator');
promise_test(async (t) => {
  let cancelled;
  const make = () =>
    new ReadableStream({
      pull: (c) => c.enqueue(1),
      cancel: (reason) => {
        cancelled = ['c', reason];
      },
    });
  for await (const _ of make()) break;
  assert_array_equals(cancelled, ['c', undefined]);
  cancelled = undefined;
  const kept = make();
  for await (const _ of kept.values({ preventCancel: true })) break;
  assert_equals(cancelled, undefined);
  assert_false(kept.locked);
  await promise_rejects_exactly(
    t,
    boom,
    readAll(
      new ReadableStream({
        pull: () => {
          throw boom;
        },
      }),
    ),
  );
  const iterator = make()[Symbol.asyncIterator]();
  assert_equals((await iterator.return('r')).value, 'r');
  assert_equals((await iterator.next()).done, true);
  assert_equals(ReadableStream.prototype[Symbol.asyncIterator], ReadableStream.prototype.values);
}, 'async iteration');
promise_test(async () => {
  let cancelled;
  const source = new ReadableStream({
    start: (c) => {
      c.enqueue({ a: 1 });
    },
    cancel: (r) => {
      cancelled = r;
    },
  });
  const [a, b] = source.tee();
  assert_true(source.locked);
  const [first, second] = [a.getReader(), b.getReader()];
  assert_equals((await first.read()).value, (await second.read()).value);
  const both = first.cancel('x');
  await tick();
  assert_equals(cancelled, undefined);
  await Promise.all([both, second.cancel('y')]);
  assert_array_equals(cancelled, ['x', 'y']);
}, 'tee');
promise_test(async (t) => {
  const [a, b] = new ReadableStream({
    pull: () => {
      throw boom;
    },
  }).tee();
  await promise_rejects_exactly(t, boom, a.getReader().read());
  await promise_rejects_exactly(t, boom, b.getReader().read());
}, 'tee of a stream that fails');

// Byte streams.
const bytes = (...values) => new Uint8Array(values);
promise_test(async () => {
  const stream = new ReadableStream({
    type: 'bytes',
    start: (c) => {
      assert_true(c instanceof ReadableByteStreamController);
      assert_equals(c.desiredSize, 0);
      assert_equals(c.byobRequest, null);
      c.enqueue(bytes(1, 2, 3));
      c.close();
    },
  });
  assert_array_equals(
    (await readAll(stream)).flatMap((chunk) => [...chunk]),
    [1, 2, 3],
  );
}, 'a byte stream with a default reader');
promise_test(async () => {
  const stream = new ReadableStream({
    type: 'bytes',
    pull: (c) => {
      const { byobRequest } = c;
      assert_true(byobRequest instanceof ReadableStreamBYOBRequest);
      assert_equals(byobRequest.view.byteLength, 4);
      byobRequest.view[0] = 7;
      byobRequest.view[1] = 8;
      byobRequest.respond(2);
    },
  });
  const reader = stream.getReader({ mode: 'byob' });
  assert_true(reader instanceof ReadableStreamBYOBReader);
  const mine = new Uint8Array(4);
  const { value, done } = await reader.read(mine);
  assert_false(done);
  assert_array_equals(value, [7, 8]);
  assert_equals(value.buffer.byteLength, 4);
  assert_equals(mine.byteLength, 0, 'transferred');
}, 'a read into a buffer');
promise_test(async () => {
  const stream = new ReadableStream({ type: 'bytes', start: (c) => c.enqueue(bytes(1, 2, 3, 4, 5)) });
  const reader = stream.getReader({ mode: 'byob' });
  assert_array_equals((await reader.read(new Uint8Array(2))).value, [1, 2]);
  assert_array_equals((await reader.read(new Uint16Array(1))).value, [0x0403]);
  assert_array_equals((await reader.read(new Uint8Array(9))).value, [5]);
}, 'reads of parts of the queue');
promise_test(async () => {
  let controller;
  const stream = new ReadableStream({
    type: 'bytes',
    start: (c) => {
      controller = c;
    },
  });
  const reader = stream.getReader({ mode: 'byob' });
  const read = reader.read(new Uint8Array(4), { min: 3 });
  controller.enqueue(bytes(1, 2));
  controller.enqueue(bytes(3, 4));
  assert_array_equals((await read).value, [1, 2, 3, 4]);
}, 'a read of a least number of bytes');
promise_test(async () => {
  const stream = new ReadableStream({
    type: 'bytes',
    autoAllocateChunkSize: 8,
    pull: (c) => {
      assert_equals(c.byobRequest.view.byteLength, 8);
      c.byobRequest.view[0] = 9;
      c.byobRequest.respond(1);
    },
  });
  assert_array_equals((await stream.getReader().read()).value, [9]);
}, 'autoAllocateChunkSize');
promise_test(async () => {
  const stream = new ReadableStream({
    type: 'bytes',
    pull: (c) => c.byobRequest.respondWithNewView(new Uint8Array(c.byobRequest.view.buffer, 0, 1)),
  });
  assert_equals((await stream.getReader({ mode: 'byob' }).read(new Uint8Array(3))).value.length, 1);
}, 'respondWithNewView');
promise_test(async (t) => {
  const stream = new ReadableStream({ type: 'bytes' });
  const reader = stream.getReader({ mode: 'byob' });
  await promise_rejects_js(t, TypeError, reader.read(new Uint8Array(0)));
  await promise_rejects_js(t, TypeError, reader.read(new ArrayBuffer(1)));
  await promise_rejects_js(t, TypeError, reader.read());
  await promise_rejects_js(t, TypeError, reader.read(new Uint8Array(1), { min: 0 }));
  await promise_rejects_js(t, RangeError, reader.read(new Uint8Array(1), { min: 2 }));
  const detached = new Uint8Array(1);
  structuredClone(0, { transfer: [detached.buffer] });
  await promise_rejects_js(t, TypeError, reader.read(detached));
}, 'arguments of a read into a buffer');
promise_test(async () => {
  let controller;
  const stream = new ReadableStream({
    type: 'bytes',
    start: (c) => {
      controller = c;
    },
  });
  for (const bad of [new Uint8Array(0), 'a', 1, new ArrayBuffer(1)])
    assert_throws_js(TypeError, () => controller.enqueue(bad));
  const reader = stream.getReader({ mode: 'byob' });
  const read = reader.read(new Uint8Array(2));
  const { byobRequest } = controller;
  assert_throws_js(RangeError, () => byobRequest.respond(3));
  assert_throws_js(TypeError, () => byobRequest.respond(0));
  controller.close();
  byobRequest.respond(0);
  const { value, done } = await read;
  assert_true(done);
  assert_equals(value.byteLength, 0);
  assert_throws_js(TypeError, () => controller.enqueue(bytes(1)));
}, 'a byte stream closes with a read');
promise_test(async () => {
  const source = new ReadableStream({
    type: 'bytes',
    start: (c) => {
      c.enqueue(bytes(1, 2));
      c.close();
    },
  });
  const [a, b] = source.tee();
  const first = (await a.getReader({ mode: 'byob' }).read(new Uint8Array(2))).value;
  first[0] = 9;
  assert_array_equals((await b.getReader().read()).value, [1, 2]);
}, 'tee of a byte stream copies');

// Writable streams.
promise_test(async () => {
  const { seen, sink } = recorder({
    start: (c) => {
      seen.push(c instanceof WritableStreamDefaultController);
    },
  });
  const stream = new WritableStream(sink);
  const writer = stream.getWriter();
  assert_true(writer instanceof WritableStreamDefaultWriter);
  assert_equals(writer.desiredSize, 1);
  assert_equals(await writer.ready, undefined);
  assert_equals(await writer.write('a'), undefined);
  await writer.write('b');
  await writer.close();
  assert_equals(await writer.closed, undefined);
  assert_array_equals(seen, [true, 'a', 'b', 'close']);
  assert_equals(writer.desiredSize, 0);
}, 'writes and close');
promise_test(async () => {
  const order = [];
  const stream = new WritableStream({
    async write(chunk) {
      order.push(`begin ${chunk}`);
      await tick();
      order.push(`end ${chunk}`);
    },
  });
  const writer = stream.getWriter();
  await Promise.all([writer.write(1), writer.write(2), writer.close()]);
  assert_array_equals(order, ['begin 1', 'end 1', 'begin 2', 'end 2']);
}, 'one write at a time');
promise_test(async () => {
  let release;
  const stream = new WritableStream(
    {
      write: () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    },
    { highWaterMark: 2 },
  );
  const writer = stream.getWriter();
  await writer.ready;
  const first = writer.write('a');
  assert_equals(writer.desiredSize, 1);
  const second = writer.write('b');
  assert_equals(writer.desiredSize, 0);
  let isReady = false;
  const ready = writer.ready.then(() => {
    isReady = true;
  });
  await tick();
  assert_false(isReady);
  release();
  await first;
  await ready;
  assert_equals(writer.desiredSize, 1);
  release();
  await second;
}, 'back-pressure');
promise_test(async (t) => {
  const stream = new WritableStream({
    write: () => {
      throw boom;
    },
  });
  const writer = stream.getWriter();
  await promise_rejects_exactly(t, boom, writer.write('a'));
  await promise_rejects_exactly(t, boom, writer.closed);
  await promise_rejects_exactly(t, boom, writer.ready);
  await promise_rejects_exactly(t, boom, writer.write('b'));
  assert_equals(writer.desiredSize, null);
}, 'a write that fails');
promise_test(async (t) => {
  const { seen, sink } = recorder();
  let signal;
  const stream = new WritableStream({
    ...sink,
    start: (c) => {
      signal = c.signal;
    },
  });
  assert_true(signal instanceof AbortSignal);
  const writer = stream.getWriter();
  await writer.ready;
  assert_equals(await writer.abort(boom), undefined);
  assert_array_equals(seen, ['abort', boom]);
  assert_equals(signal.reason, boom);
  await promise_rejects_exactly(t, boom, writer.closed);
  await promise_rejects_exactly(t, boom, writer.write(1));
}, 'abort');
promise_test(async (t) => {
  const stream = new WritableStream();
  const writer = stream.getWriter();
  assert_true(stream.locked);
  assert_throws_js(TypeError, () => stream.getWriter());
  await promise_rejects_js(t, TypeError, stream.close());
  await promise_rejects_js(t, TypeError, stream.abort());
  const { closed } = writer;
  writer.releaseLock();
  await promise_rejects_js(t, TypeError, closed);
  await promise_rejects_js(t, TypeError, writer.write(1));
  assert_throws_js(TypeError, () => writer.desiredSize);
  await stream.close();
  await promise_rejects_js(t, TypeError, stream.close());
  assert_throws_js(TypeError, () => new WritableStream({ write: 1 }));
  assert_throws_exactly(
    boom,
    () =>
      new WritableStream({
        start: () => {
          throw boom;
        },
      }),
  );
  assert_throws_js(TypeError, () => new WritableStreamDefaultController());
}, 'a locked or closed WritableStream');
for (const type of ['bytes', '', null])
  test(
    () => assert_throws_js(RangeError, () => new WritableStream({ type })),
    `a WritableStream of the type ${type} is refused`,
  );
promise_test(async (t) => {
  let controller;
  const stream = new WritableStream({
    start: (c) => {
      controller = c;
    },
  });
  controller.error(boom);
  const writer = stream.getWriter();
  await promise_rejects_exactly(t, boom, writer.closed);
  await promise_rejects_js(t, TypeError, writer.close());
}, 'an error by the controller');

// Transform streams.
promise_test(async () => {
  const through = new TransformStream({
    start: (c) => c.enqueue('start'),
    transform: (chunk, c) => {
      c.enqueue(chunk);
      c.enqueue(chunk);
    },
    flush: (c) => c.enqueue('flush'),
  });
  assert_array_equals(await readAll(ReadableStream.from(['a', 'b']).pipeThrough(through)), [
    'start',
    'a',
    'a',
    'b',
    'b',
    'flush',
  ]);
  assert_array_equals(await readAll(ReadableStream.from([1, 2]).pipeThrough(new TransformStream())), [1, 2]);
}, 'transform');
for (const [name, transformer] of Object.entries({
  'transform throws': {
    transform: () => {
      throw boom;
    },
  },
  'transform rejects': { transform: () => Promise.reject(boom) },
  'flush throws': {
    transform: () => {},
    flush: () => {
      throw boom;
    },
  },
  'the controller errs': { transform: (_, c) => c.error(boom) },
  'start rejects': { start: () => Promise.reject(boom) },
}))
  promise_test(async (t) => {
    const { readable, writable } = new TransformStream(transformer);
    const writer = writable.getWriter();
    const reader = readable.getReader();
    const writing = writer.write(1).then(() => writer.close());
    writing.catch(() => {});
    writer.closed.catch(() => {});
    await promise_rejects_exactly(t, boom, reader.read());
    await promise_rejects_exactly(t, boom, reader.closed);
  }, `transform fails: ${name}`);
promise_test(async (t) => {
  const { readable, writable } = new TransformStream({
    transform: (chunk, c) => {
      c.enqueue(chunk);
      c.terminate();
    },
  });
  const writer = writable.getWriter();
  writer.write('a').catch(() => {});
  const reader = readable.getReader();
  assert_equals((await reader.read()).value, 'a');
  assert_true((await reader.read()).done);
  await promise_rejects_js(t, TypeError, writer.closed);
}, 'terminate');
promise_test(async () => {
  let cancelled;
  const { readable, writable } = new TransformStream({
    cancel: (reason) => {
      cancelled = reason;
    },
  });
  writable.getWriter().closed.catch(() => {});
  await readable.cancel('r');
  assert_equals(cancelled, 'r');
}, 'cancel of a TransformStream');
promise_test(async () => {
  const { writable } = new TransformStream();
  const writer = writable.getWriter();
  assert_equals(writer.desiredSize, 1);
  let written = false;
  writer.write(1).then(() => {
    written = true;
  });
  await tick();
  assert_false(written, 'nobody reads');
  assert_equals(writer.desiredSize, 0);
}, 'back-pressure of a TransformStream');
test(() => {
  for (const name of ['readableType', 'writableType'])
    assert_throws_js(RangeError, () => new TransformStream({ [name]: 'bytes' }));
  assert_throws_js(TypeError, () => new TransformStream({ transform: 1 }));
  assert_throws_exactly(
    boom,
    () =>
      new TransformStream({
        start: () => {
          throw boom;
        },
      }),
  );
  assert_throws_js(TypeError, () => new TransformStreamDefaultController());
}, 'arguments of TransformStream');

// Pipes.
const failing = () =>
  new ReadableStream({
    pull: () => {
      throw boom;
    },
  });
promise_test(async () => {
  const { seen, sink } = recorder();
  const [from, to] = [ReadableStream.from([1, 2]), new WritableStream(sink)];
  const piped = from.pipeTo(to);
  assert_true(from.locked && to.locked);
  assert_equals(await piped, undefined);
  assert_array_equals(seen, [1, 2, 'close']);
  assert_false(from.locked || to.locked);
}, 'pipeTo');
promise_test(async () => {
  const { seen, sink } = recorder();
  const to = new WritableStream(sink);
  await ReadableStream.from([1]).pipeTo(to, { preventClose: true });
  await ReadableStream.from([2]).pipeTo(to);
  assert_array_equals(seen, [1, 2, 'close']);
}, 'preventClose');
for (const preventAbort of [false, true])
  promise_test(async (t) => {
    const { seen, sink } = recorder();
    await promise_rejects_exactly(t, boom, failing().pipeTo(new WritableStream(sink), { preventAbort }));
    assert_array_equals(seen, preventAbort ? [] : ['abort', boom]);
  }, `a source that fails, preventAbort ${preventAbort}`);
for (const preventCancel of [false, true])
  promise_test(async (t) => {
    const cancelled = [];
    const from = new ReadableStream({
      pull: (c) => c.enqueue(1),
      cancel: (reason) => {
        cancelled.push(reason);
      },
    });
    const to = new WritableStream({
      write: () => {
        throw boom;
      },
    });
    await promise_rejects_exactly(t, boom, from.pipeTo(to, { preventCancel }));
    assert_array_equals(cancelled, preventCancel ? [] : [boom]);
  }, `a destination that fails, preventCancel ${preventCancel}`);
promise_test(async (t) => {
  const { seen, sink } = recorder();
  const controller = new AbortController();
  const cancelled = [];
  const from = new ReadableStream({
    cancel: (reason) => {
      cancelled.push(reason);
    },
  });
  const piped = from.pipeTo(new WritableStream(sink), { signal: controller.signal });
  controller.abort(boom);
  await promise_rejects_exactly(t, boom, piped);
  assert_array_equals(seen, ['abort', boom]);
  assert_array_equals(cancelled, [boom]);
  await promise_rejects_exactly(
    t,
    boom,
    new ReadableStream().pipeTo(new WritableStream(), { signal: AbortSignal.abort(boom) }),
  );
}, 'a pipe follows its signal');
promise_test(async (t) => {
  for (const bad of [undefined, null, {}, new ReadableStream()])
    await promise_rejects_js(t, TypeError, new ReadableStream().pipeTo(bad));
  await promise_rejects_js(t, TypeError, new ReadableStream().pipeTo(new WritableStream(), { signal: {} }));
  for (const bad of [undefined, {}, { readable: new ReadableStream() }, { writable: new WritableStream() }])
    assert_throws_js(TypeError, () => new ReadableStream().pipeThrough(bad));
}, 'arguments of pipes');

// Queuing strategies.
for (const [Strategy, chunk, size] of [
  [CountQueuingStrategy, 'abc', 1],
  [CountQueuingStrategy, undefined, 1],
  [ByteLengthQueuingStrategy, new Uint8Array(5), 5],
  [ByteLengthQueuingStrategy, 'abc', undefined],
])
  test(
    () => {
      const strategy = new Strategy({ highWaterMark: 4 });
      assert_equals(strategy.highWaterMark, 4);
      assert_equals(strategy.size(chunk), size);
      assert_equals(strategy.size, new Strategy({ highWaterMark: 1 }).size);
      assert_equals(strategy.size.name, 'size');
      for (const bad of [undefined, {}, 1]) assert_throws_js(TypeError, () => new Strategy(bad));
      assert_equals(new Strategy({ highWaterMark: -1 }).highWaterMark, -1);
    },
    `${Strategy.name} of ${typeof chunk}`,
  );

// Transfer.
promise_test(async () => {
  const stream = ReadableStream.from(['a']);
  const copy = structuredClone(stream, { transfer: [stream] });
  assert_true(stream.locked);
  assert_array_equals(await readAll(copy), ['a']);
}, 'a ReadableStream is transferred');

// Compression.
const through = async (data, stream) =>
  new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer());
const PLAIN = {
  empty: '',
  short: 'abc',
  long: 'latch'.repeat(20_000),
  'all bytes': Uint8Array.from({ length: 4096 }, (_, at) => at),
};
for (const format of ['gzip', 'deflate', 'deflate-raw']) {
  for (const [name, data] of Object.entries(PLAIN))
    promise_test(async () => {
      const packed = await through(data, new CompressionStream(format));
      if (format === 'gzip') assert_array_equals(packed.subarray(0, 3), [0x1f, 0x8b, 8]);
      if (format === 'deflate') assert_equals(packed[0] & 15, 8);
      assert_array_equals(
        await through(packed, new DecompressionStream(format)),
        await new Response(data).bytes(),
      );
      if (name === 'long') assert_less_than(packed.length, 2000);
    }, `${format} of ${name} data`);
  for (const [name, damage] of Object.entries({
    truncated: (packed) => packed.subarray(0, packed.length - 2),
    random: () => Uint8Array.of(255, 255, 255, 255),
    empty: () => '',
  }))
    promise_test(async (t) => {
      const packed = await through('abcdef'.repeat(50), new CompressionStream(format));
      await promise_rejects_js(t, TypeError, through(damage(packed), new DecompressionStream(format)));
    }, `${format} refuses ${name} data`);
  promise_test(async (t) => {
    const packed = await through('abc', new CompressionStream(format));
    await promise_rejects_js(t, TypeError, through(new Blob([packed, 'x']), new DecompressionStream(format)));
  }, `${format} refuses trailing data`);
  promise_test(async (t) => {
    for (const Stream of [CompressionStream, DecompressionStream])
      for (const chunk of ['text', 1, null, {}, undefined]) {
        const { readable, writable } = new Stream(format);
        const reading = readable.getReader().read();
        const writer = writable.getWriter();
        const writing = writer.write(chunk);
        writer.closed.catch(() => {});
        await promise_rejects_js(t, TypeError, writing);
        await promise_rejects_js(t, TypeError, reading);
      }
  }, `${format} takes only bytes`);
}
promise_test(async () => {
  const raw = Uint8Array.of(0x4b, 0x4c, 0x4a, 0x06, 0x00);
  assert_equals(new TextDecoder().decode(await through(raw, new DecompressionStream('deflate-raw'))), 'abc');
}, 'data that another program compressed');
for (const bad of ['', 'GZIP', 'zip', 'br ', undefined, null])
  test(() => {
    assert_throws_js(TypeError, () => new CompressionStream(bad));
    assert_throws_js(TypeError, () => new DecompressionStream(bad));
  }, `the format ${bad} is refused`);

// https://dom.spec.whatwg.org/#events and #aborting-ongoing-activities

test(() => {
  const before = performance.now();
  const { timeStamp } = new Event('x');
  assert_true(timeStamp >= Math.floor(before) - 1 && timeStamp <= performance.now());
}, 'timeStamp is the time since the start of the process');
test(() => {
  const event = new Event('x');
  assert_equals(event.type, 'x');
  for (const name of ['bubbles', 'cancelable', 'composed', 'defaultPrevented', 'isTrusted', 'cancelBubble'])
    assert_equals(event[name], false, name);
  for (const name of ['target', 'currentTarget', 'srcElement']) assert_equals(event[name], null, name);
  assert_equals(event.eventPhase, Event.NONE);
  assert_equals(event.returnValue, true);
  assert_array_equals(event.composedPath(), []);
}, 'a new event');
test(() => {
  const event = new Event('x', { bubbles: 1, cancelable: true, composed: 'yes' });
  assert_true(event.bubbles && event.cancelable && event.composed);
  assert_throws_js(TypeError, () => new Event());
  assert_throws_js(TypeError, () => Event('x'));
  assert_equals(new Event(undefined).type, 'undefined');
  assert_equals(new Event({ toString: () => 'y' }).type, 'y');
}, 'options of an event');
test(() => assert_false(new Event('x', null).bubbles), 'options of an event can be null');
test(() => {
  for (const bad of [1, 'a', true]) assert_throws_js(TypeError, () => new Event('x', bad));
}, 'options of an event are an object');
for (const [name, value] of Object.entries({ NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 }))
  test(() => {
    assert_equals(Event[name], value);
    assert_equals(Event.prototype[name], value);
  }, `Event.${name}`);
test(() => {
  const { get } = Object.getOwnPropertyDescriptor(new Event('x'), 'isTrusted');
  assert_equals(get, Object.getOwnPropertyDescriptor(new Event('y'), 'isTrusted').get);
}, 'isTrusted is an own property that cannot be forged');
test(() => assert_equals(new CustomEvent('x').detail, null), 'detail is null by default');
test(() => {
  const event = new CustomEvent('x', { detail: { a: 1 }, cancelable: true });
  assert_equals(event.detail.a, 1);
  assert_true(event instanceof Event && event.cancelable);
  assert_equals(Object.prototype.toString.call(event), '[object CustomEvent]');
  const error = new Error('e');
  const errorEvent = new ErrorEvent('error', { message: 'm', filename: 'f', lineno: 1, colno: 2, error });
  assert_equals(
    [errorEvent.message, errorEvent.filename, errorEvent.lineno, errorEvent.colno].join(),
    'm,f,1,2',
  );
  assert_equals(errorEvent.error, error);
  const promise = Promise.resolve();
  const rejection = new PromiseRejectionEvent('x', { promise, reason: 7 });
  assert_equals(rejection.promise, promise);
  assert_equals(rejection.reason, 7);
}, 'kinds of events');

/** Dispatches an event and returns it, with what the listeners recorded. */
const dispatch = (add, init = { cancelable: true }) => {
  const target = new EventTarget();
  const seen = [];
  add(target, seen);
  const event = new Event('x', init);
  return { target, seen, event, result: target.dispatchEvent(event) };
};
test(() => {
  const { seen, target, event } = dispatch((target, seen) => {
    target.addEventListener('x', function (event) {
      seen.push(this, event.target, event.currentTarget, event.eventPhase, event.composedPath()[0]);
    });
  });
  assert_array_equals(seen, [target, target, target, Event.AT_TARGET, target]);
  assert_equals(event.target, target);
  assert_equals(event.currentTarget, null);
  assert_equals(event.eventPhase, Event.NONE);
  assert_array_equals(event.composedPath(), []);
}, 'a listener gets the event at its target');
test(() => {
  const { seen, target } = dispatch((target, seen) =>
    target.addEventListener('x', (event) => seen.push(event.srcElement)),
  );
  assert_equals(seen[0], target);
}, 'srcElement is the target');
test(() => {
  const { seen } = dispatch((target, seen) => {
    for (const name of ['a', 'b', 'c']) target.addEventListener('x', () => seen.push(name));
    target.addEventListener('x', () => seen.push('capture'), true);
    target.addEventListener('y', () => seen.push('y'));
  });
  assert_array_equals(seen, ['capture', 'a', 'b', 'c']);
}, 'listeners run in their order, those of the capturing phase first');
test(() => {
  const { seen } = dispatch((target, seen) => {
    const listener = () => seen.push('l');
    target.addEventListener('x', listener);
    target.addEventListener('x', listener, { once: true, passive: true });
    target.addEventListener('x', listener, true);
    target.addEventListener('x', listener, { capture: true });
  });
  assert_array_equals(seen, ['l', 'l']);
}, 'a listener is added once per phase');
test(() => {
  const { seen } = dispatch((target, seen) => {
    const listener = () => seen.push('l');
    target.addEventListener('x', listener, { capture: true });
    target.removeEventListener('x', listener);
    target.addEventListener('x', listener);
    target.removeEventListener('x', listener, false);
    target.removeEventListener('y', listener);
    target.removeEventListener('x', () => {});
    target.removeEventListener('x', null);
  });
  assert_array_equals(seen, ['l']);
}, 'removal names the phase');
test(() => {
  const { seen, target } = dispatch((target, seen) =>
    target.addEventListener('x', () => seen.push(1), { once: true }),
  );
  target.dispatchEvent(new Event('x'));
  assert_array_equals(seen, [1]);
}, 'once');
test(() => {
  const { seen } = dispatch((target, seen) => {
    target.addEventListener(
      'x',
      () => {
        seen.push('outer');
        target.dispatchEvent(new Event('x'));
      },
      { once: true },
    );
  });
  assert_array_equals(seen, ['outer']);
}, 'once removes the listener before it runs');
test(() => {
  const { event, result } = dispatch((target) =>
    target.addEventListener('x', (event) => event.preventDefault(), { passive: true }),
  );
  assert_equals(event.defaultPrevented, false);
  assert_equals(result, true);
}, 'a passive listener cannot cancel');
test(() => {
  const { event, result } = dispatch((target) =>
    target.addEventListener('x', (event) => event.preventDefault()),
  );
  assert_true(event.defaultPrevented);
  assert_false(event.returnValue);
  assert_false(result);
  const other = dispatch((target) => target.addEventListener('x', (event) => event.preventDefault()), {});
  assert_false(other.event.defaultPrevented);
  assert_true(other.result);
  const old = dispatch((target) =>
    target.addEventListener('x', (event) => {
      event.returnValue = false;
    }),
  );
  assert_true(old.event.defaultPrevented);
}, 'cancelation');
test(() => {
  const { seen } = dispatch((target, seen) => {
    target.addEventListener('x', (event) => {
      seen.push(1);
      event.stopPropagation();
    });
    target.addEventListener('x', (event) => {
      seen.push(2, event.cancelBubble);
      event.stopImmediatePropagation();
    });
    target.addEventListener('x', () => seen.push(3));
  });
  assert_array_equals(seen, [1, 2, true]);
}, 'stopping');
test(() => {
  const event = new Event('x');
  event.cancelBubble = true;
  event.cancelBubble = false;
  assert_true(event.cancelBubble);
}, 'cancelBubble cannot be reset');
test(() => {
  const { seen } = dispatch((target, seen) => {
    const controller = new AbortController();
    target.addEventListener('x', () => seen.push('kept'), { signal: controller.signal });
    target.addEventListener('x', () => controller.abort());
    target.addEventListener('x', () => seen.push('removed'), { signal: controller.signal });
    target.addEventListener('x', () => seen.push('never'), { signal: AbortSignal.abort() });
  });
  assert_array_equals(seen, ['kept']);
}, 'a signal removes its listeners');
for (const signal of [null, 1, {}])
  test(
    () => {
      assert_throws_js(TypeError, () => new EventTarget().addEventListener('x', () => {}, { signal }));
    },
    `a listener with the signal ${JSON.stringify(signal)} is refused`,
  );
test(() => {
  const { seen } = dispatch((target, seen) => {
    const listener = {
      handleEvent(event) {
        seen.push(this === listener, event.type);
      },
    };
    target.addEventListener('x', listener);
  });
  assert_array_equals(seen, [true, 'x']);
}, 'handleEvent');
test(() => {
  const { seen } = dispatch((target, seen) => {
    const listener = {};
    target.addEventListener('x', listener);
    listener.handleEvent = () => seen.push('later');
  });
  assert_array_equals(seen, ['later']);
}, 'handleEvent is looked up at the event');
test(() => {
  const { seen } = dispatch((target, seen) => {
    target.addEventListener('x', () => {
      target.addEventListener('x', () => seen.push('late'));
      target.removeEventListener('x', second);
    });
    const second = () => seen.push('second');
    target.addEventListener('x', second);
  });
  assert_array_equals(seen, []);
}, 'a listener added during dispatch waits, a removed one does not run');
test(() => {
  const target = new EventTarget();
  for (const none of [null, undefined]) assert_equals(target.addEventListener('x', none), undefined);
  assert_throws_js(TypeError, () => target.addEventListener('x'));
  assert_throws_js(TypeError, () => target.removeEventListener('x'));
  assert_throws_js(TypeError, () => target.dispatchEvent());
  assert_throws_js(TypeError, () => EventTarget());
  assert_throws_js(TypeError, () => EventTarget.prototype.dispatchEvent.call({}, new Event('x')));
}, 'arguments of EventTarget');
for (const bad of [{ type: 'x' }, null, 'x'])
  test(
    () => assert_throws_js(TypeError, () => new EventTarget().dispatchEvent(bad)),
    `dispatchEvent of ${JSON.stringify(bad)} is refused`,
  );
test(
  () => assert_throws_js(TypeError, () => new PromiseRejectionEvent('x')),
  'PromiseRejectionEvent needs options',
);
test(() => {
  for (const bad of [1, 'a', true])
    assert_throws_js(TypeError, () => new EventTarget().addEventListener('x', bad));
}, 'a listener is a function or an object');
test(() => {
  const target = new EventTarget();
  const event = new Event('x');
  target.addEventListener('x', () =>
    assert_throws_dom('InvalidStateError', () => target.dispatchEvent(event)),
  );
  target.dispatchEvent(event);
  assert_true(target.dispatchEvent(event), 'again');
}, 'an event is dispatched once at a time');
test(() => {
  class Counter extends EventTarget {
    count = 0;
    constructor() {
      super();
      this.addEventListener('add', () => this.count++);
    }
  }
  const counter = new Counter();
  counter.dispatchEvent(new Event('add'));
  assert_equals(counter.count, 1);
  assert_true(counter instanceof EventTarget);
}, 'EventTarget can be extended');

// Abort.
test(() => {
  const controller = new AbortController();
  const { signal } = controller;
  assert_equals(controller.signal, signal);
  assert_false(signal.aborted);
  assert_equals(signal.reason, undefined);
  assert_equals(signal.onabort, null);
  assert_equals(signal.throwIfAborted(), undefined);
  assert_true(signal instanceof EventTarget);
  assert_throws_js(TypeError, () => new AbortSignal());
  assert_throws_js(TypeError, () => AbortController());
}, 'a signal before it aborts');
test(() => {
  const controller = new AbortController();
  const seen = [];
  controller.signal.onabort = (event) =>
    seen.push('on', event.isTrusted, event.type, event.bubbles, event.cancelable);
  controller.signal.addEventListener('abort', (event) => seen.push(event.target === controller.signal));
  assert_equals(controller.abort('r'), undefined);
  controller.abort('other');
  assert_true(controller.signal.aborted);
  assert_equals(controller.signal.reason, 'r');
  assert_array_equals(seen, ['on', true, 'abort', false, false, true]);
}, 'an abort fires once');
for (const [name, reason] of [
  ['undefined', undefined],
  ['nothing', 'none'],
])
  test(() => {
    const controller = new AbortController();
    if (reason === 'none') controller.abort();
    else controller.abort(reason);
    const { reason: given } = controller.signal;
    assert_true(given instanceof DOMException);
    assert_equals(given.name, 'AbortError');
    assert_equals(given.code, 20);
    try {
      controller.signal.throwIfAborted();
      assert_unreached();
    } catch (error) {
      assert_equals(error, given);
    }
  }, `abort with ${name} gives an AbortError`);
for (const reason of [null, 0, '', false, Number.NaN])
  test(
    () => {
      const signal = AbortSignal.abort(reason);
      assert_true(signal.aborted);
      assert_equals(signal.reason, reason);
      const controller = new AbortController();
      controller.abort(reason);
      assert_equals(controller.signal.reason, reason);
      assert_throws_exactly(reason, () => signal.throwIfAborted());
    },
    `abort with the reason ${typeof reason} ${reason}`,
  );
test(() => {
  const controller = new AbortController();
  let was;
  controller.signal.addEventListener('abort', () => {
    was = [controller.signal.aborted, controller.signal.reason];
    controller.abort('second');
  });
  controller.abort('first');
  assert_array_equals(was, [true, 'first']);
  assert_equals(controller.signal.reason, 'first');
}, 'a listener sees the state after the abort');
test(() => {
  const seen = [];
  const { signal } = new AbortController();
  signal.onabort = () => seen.push('a');
  signal.addEventListener('abort', () => seen.push('b'));
  signal.onabort = () => seen.push('c');
  signal.dispatchEvent(new Event('abort'));
  assert_array_equals(seen, ['c', 'b']);
  signal.onabort = null;
  signal.dispatchEvent(new Event('abort'));
  assert_array_equals(seen, ['c', 'b', 'b']);
  assert_false(signal.aborted);
  signal.onabort = 1;
  assert_equals(signal.onabort, null);
}, 'onabort keeps the place of its first value');
promise_test(async () => {
  const signal = AbortSignal.timeout(5);
  assert_false(signal.aborted);
  const event = await new Promise((resolve) => signal.addEventListener('abort', resolve));
  assert_true(event.isTrusted);
  assert_equals(signal.reason.name, 'TimeoutError');
  assert_equals(signal.reason.code, 23);
  assert_true(signal.reason instanceof DOMException);
}, 'a timeout');
promise_test(async () => {
  const order = [];
  const wait = (name, ms) =>
    new Promise((resolve) => {
      AbortSignal.timeout(ms).onabort = () => resolve(order.push(name));
    });
  await Promise.all([wait('late', 60), wait('early', 1)]);
  assert_array_equals(order, ['early', 'late']);
}, 'timeouts come in order');
for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, undefined, 'x'])
  test(() => assert_throws_js(TypeError, () => AbortSignal.timeout(bad)), `a timeout of ${bad} is refused`);
test(() => {
  assert_false(AbortSignal.any([]).aborted);
  const [a, b] = [new AbortController(), new AbortController()];
  const any = AbortSignal.any(new Set([a.signal, b.signal]));
  let count = 0;
  any.onabort = () => count++;
  b.abort('b');
  a.abort('a');
  assert_true(any.aborted);
  assert_equals(any.reason, 'b');
  assert_equals(count, 1);
  assert_not_equals(any, b.signal);
}, 'any follows the first');
test(() => {
  const any = AbortSignal.any([AbortSignal.abort('x'), AbortSignal.abort('y')]);
  assert_equals(any.reason, 'x');
  const controller = new AbortController();
  const nested = AbortSignal.any([AbortSignal.any([controller.signal]), AbortSignal.any([])]);
  controller.abort('deep');
  assert_equals(nested.reason, 'deep');
  for (const bad of [undefined, null, 1, [1], {}]) assert_throws_js(TypeError, () => AbortSignal.any(bad));
}, 'any of aborted and nested signals');
test(() => {
  const order = [];
  const controller = new AbortController();
  controller.signal.addEventListener('abort', () => order.push('source'));
  const first = AbortSignal.any([controller.signal]);
  const second = AbortSignal.any([first, controller.signal]);
  second.addEventListener('abort', () => order.push('second'));
  first.addEventListener('abort', () => order.push('first', second.aborted));
  controller.abort();
  assert_array_equals(order, ['source', 'first', true, 'second']);
}, 'dependent signals abort before any event, and fire after their source, in their order');

test(() => {
  const error = new DOMException('m', 'DataCloneError');
  assert_equals([error.name, error.message, error.code].join(), 'DataCloneError,m,25');
  assert_true(error instanceof Error);
  assert_equals(String(error), 'DataCloneError: m');
  assert_equals(Object.prototype.toString.call(error), '[object DOMException]');
  assert_equals(typeof error.stack, 'string');
  const bare = new DOMException();
  assert_equals([bare.name, bare.message, bare.code].join(), 'Error,,0');
  assert_equals(new DOMException('a', 'Unknown').code, 0);
  assert_throws_js(TypeError, () => DOMException('a'));
}, 'DOMException');
const CODES = {
  IndexSizeError: 1,
  HierarchyRequestError: 3,
  WrongDocumentError: 4,
  InvalidCharacterError: 5,
  NoModificationAllowedError: 7,
  NotFoundError: 8,
  NotSupportedError: 9,
  InUseAttributeError: 10,
  InvalidStateError: 11,
  SyntaxError: 12,
  InvalidModificationError: 13,
  NamespaceError: 14,
  InvalidAccessError: 15,
  SecurityError: 18,
  NetworkError: 19,
  AbortError: 20,
  URLMismatchError: 21,
  TimeoutError: 23,
  InvalidNodeTypeError: 24,
  DataCloneError: 25,
  EncodingError: 0,
  NotReadableError: 0,
  UnknownError: 0,
  ConstraintError: 0,
  DataError: 0,
  TransactionInactiveError: 0,
  ReadOnlyError: 0,
  VersionError: 0,
  OperationError: 0,
  NotAllowedError: 0,
};
for (const [name, code] of Object.entries(CODES))
  test(() => assert_equals(new DOMException('', name).code, code), `code of ${name}`);
test(() => {
  const error = new QuotaExceededError('m', { quota: 1, requested: 2 });
  assert_equals([error.name, error.code, error.quota, error.requested].join(), 'QuotaExceededError,22,1,2');
  assert_true(error instanceof DOMException);
  assert_equals(new QuotaExceededError().quota, null);
}, 'QuotaExceededError');

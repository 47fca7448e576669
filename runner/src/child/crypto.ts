/** Limits the threads that `crypto.subtle` uses: Deno starts one for every operation in flight. */

const MAX_IN_FLIGHT = 2;

const { apply } = Reflect;
const { isArray } = Array;
const { isView } = ArrayBuffer;
const slice = ArrayBuffer.prototype.slice;
const { entries, fromEntries, getPrototypeOf, prototype: plain } = Object;

type Operation = (...args: unknown[]) => Promise<unknown>;
type Waiting = { start: () => void; next?: Waiting };

/**
 * Runs at most `MAX_IN_FLIGHT` operations of `crypto.subtle` concurrently, the others in the order of arrival, so that honest code does
 * not slow itself and others. The kernel limits the threads of hostile code: see `cgroup.ts`.
 */
export const boundCrypto = (): void => {
  const prototype = SubtleCrypto.prototype as unknown as Record<string, Operation>;
  let inFlight = 0;
  let first: Waiting | undefined;
  let last: Waiting | undefined;

  const turn = (): Promise<void> =>
    new Promise((start) => {
      const waiting: Waiting = { start };
      if (last) last.next = waiting;
      else first = waiting;
      last = waiting;
    });
  /** The next operation takes the slot of the one that ended. */
  const end = (): void => {
    const waiting = first;
    first = waiting?.next;
    if (!first) last = undefined;
    if (waiting) waiting.start();
    else inFlight -= 1;
  };

  for (const name of Object.getOwnPropertyNames(prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name) as TypedPropertyDescriptor<Operation>;
    const operation = descriptor.value;
    if (name === 'constructor' || typeof operation !== 'function') continue;
    const bounded = {
      async [name](this: SubtleCrypto, ...args: unknown[]): Promise<unknown> {
        if (inFlight < MAX_IN_FLIGHT) inFlight += 1;
        else {
          // The caller can change its arguments meanwhile: the operation uses copies.
          for (let i = 0; i < args.length; i++) args[i] = copyOf(args[i]);
          await turn();
        }
        try {
          return await apply(operation, this, args);
        } finally {
          end();
        }
      },
    }[name] as Operation;
    Object.defineProperty(bounded, 'length', { value: operation.length, configurable: true });
    Object.defineProperty(prototype, name, { ...descriptor, value: bounded });
  }
};

/** Copies bytes, arrays, and plain objects with their members. Other values, such as a `CryptoKey`, stay. */
const copyOf = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const prototype = getPrototypeOf(value);
  if (prototype !== plain && prototype !== null) return copyOfList(value);
  return fromEntries(entries(value).map(([name, member]) => [name, copyOfList(member)]));
};

const copyOfList = (value: unknown): unknown => {
  if (isArray(value)) return [...value];
  if (value instanceof ArrayBuffer) return apply(slice, value, [0]);
  if (!isView(value)) return value;
  // `publicExponent` must be a Uint8Array.
  return new Uint8Array(apply(slice, value.buffer, [value.byteOffset, value.byteOffset + value.byteLength]));
};

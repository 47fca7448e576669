/** Limits the threads that `crypto.subtle` uses: Deno starts one for every operation in flight. */

const MAX_IN_FLIGHT = 2;

const { apply } = Reflect;
const { isView } = ArrayBuffer;
const slice = ArrayBuffer.prototype.slice;

type Operation = (...args: unknown[]) => Promise<unknown>;
type Waiting = { start: () => void; next?: Waiting };

/**
 * Runs at most `MAX_IN_FLIGHT` operations of `crypto.subtle` concurrently, the others in the order of arrival. This
 * keeps honest code from slowing itself and others. The kernel limits hostile code: see `cgroup.ts`.
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
          // The caller can change its bytes meanwhile: the operation uses a copy.
          for (let i = 0; i < args.length; i++) args[i] = copyOfBytes(args[i]);
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

const copyOfBytes = (value: unknown): unknown => {
  if (value instanceof ArrayBuffer) return apply(slice, value, [0]);
  if (!isView(value)) return value;
  return apply(slice, value.buffer, [value.byteOffset, value.byteOffset + value.byteLength]);
};

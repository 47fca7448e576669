/** Reduces the global scope to the language and the documented environment of an action. */

/** ECMAScript's own globals, without those for threads (`Atomics`, `SharedArrayBuffer`). */
export const LANGUAGE = `
  Infinity NaN undefined globalThis eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape unescape Object Function Boolean Symbol Error AggregateError EvalError RangeError
  ReferenceError SuppressedError SyntaxError TypeError URIError Number BigInt Math Date Temporal String RegExp Array
  Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array
  Float16Array Float32Array Float64Array Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer DataView
  JSON Iterator Promise Proxy Reflect Intl DisposableStack AsyncDisposableStack`;

const ENVIRONMENT = `
  ethers Svc SvcActions console fetch Headers Request Response FormData Blob File crypto Crypto CryptoKey SubtleCrypto
  TextEncoder TextDecoder TextEncoderStream TextDecoderStream URL URLSearchParams URLPattern AbortController AbortSignal
  Event EventTarget CustomEvent ErrorEvent PromiseRejectionEvent DOMException QuotaExceededError reportError
  ReadableStream ReadableStreamDefaultReader ReadableStreamBYOBReader ReadableStreamDefaultController
  ReadableByteStreamController ReadableStreamBYOBRequest WritableStream WritableStreamDefaultWriter
  WritableStreamDefaultController TransformStream TransformStreamDefaultController ByteLengthQueuingStrategy
  CountQueuingStrategy CompressionStream DecompressionStream performance Performance PerformanceEntry PerformanceMark
  PerformanceMeasure atob btoa setTimeout clearTimeout setInterval clearInterval queueMicrotask structuredClone
  WebAssembly Buffer self global`;

/** Deno's own code calls it while it runs. */
const NEEDED = 'dispatchEvent';

/** Getters that load their value at its first use, because it takes Deno a millisecond or more. */
const LOADED_AT_USE = new Set(
  'Request Response Headers FormData URLPattern CompressionStream DecompressionStream'.split(' '),
);

const kept = new Set<PropertyKey>(`${LANGUAGE} ${ENVIRONMENT} ${NEEDED}`.trim().split(/\s+/));

const remove = (key: PropertyKey): void => {
  if (!Reflect.deleteProperty(globalThis, key)) throw new Error(`failed to remove the global ${String(key)}`);
};

/**
 * Adds `environment` and removes every other global. Throws when a global cannot be removed: the process must not
 * start.
 */
export const reduceGlobals = (environment: Record<string, unknown>): void => {
  Object.assign(globalThis, environment);
  Object.setPrototypeOf(globalThis, Object.prototype);
  for (const key of Reflect.ownKeys(globalThis)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(globalThis, key) as PropertyDescriptor;
    if (!kept.has(key)) remove(key);
    else if (descriptor.configurable) {
      const hidden = LOADED_AT_USE.has(String(key))
        ? { enumerable: false }
        : { value: Reflect.get(globalThis, key), writable: true, configurable: true, enumerable: false };
      Object.defineProperty(globalThis, key, hidden);
    }
  }
};

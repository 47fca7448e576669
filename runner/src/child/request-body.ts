/** The body of a request that an action produces while the host sends it. */

export type RequestBody = {
  /** Returns the next chunk, of at most `maxBytes`; an empty one at the end. */
  next: (maxBytes: number) => Promise<Uint8Array>;
  cancel: (reason: unknown) => void;
};

export const createRequestBody = (stream: ReadableStream<Uint8Array>): RequestBody => {
  const reader = stream.getReader();
  let rest = new Uint8Array();
  return {
    async next(maxBytes) {
      while (rest.length === 0) {
        const { value, done } = await reader.read();
        if (done) return rest;
        if (!(value instanceof Uint8Array))
          throw new TypeError('fetch failed: a chunk of the request body is not a Uint8Array');
        rest = value as Uint8Array<ArrayBuffer>;
      }
      const chunk = rest.subarray(0, maxBytes);
      rest = rest.subarray(maxBytes);
      return chunk;
    },
    cancel: (reason) => void reader.cancel(reason).catch(() => {}),
  };
};

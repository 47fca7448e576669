/** The body of a response, whose chunks the host sends as the action reads them. */

const { ReadableStream } = globalThis;

export type ResponseBody = {
  stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** An empty chunk ends the body. */
  add: (chunk: Uint8Array<ArrayBuffer>) => void;
  fail: (reason: unknown) => void;
};

type Options = {
  /** Called when a reader waits. `chunks` were taken since the last call. */
  onPull: (chunks: number) => void;
  onCancel: () => void;
};

export const createResponseBody = ({ onPull, onCancel }: Options): ResponseBody => {
  let controller: ReadableByteStreamController;
  let untaken = 0;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    type: 'bytes',
    start(given) {
      controller = given as ReadableByteStreamController;
    },
    // The reader has taken everything that came before.
    pull() {
      onPull(untaken);
      untaken = 0;
    },
    cancel: onCancel,
  });
  return {
    stream,
    add(chunk) {
      if (chunk.length > 0) {
        untaken += 1;
        controller.enqueue(chunk);
        return;
      }
      controller.close();
      // Answers a read into a buffer of the reader.
      controller.byobRequest?.respond(0);
    },
    fail: (reason) => controller.error(reason),
  };
};

type WholeOptions = {
  /** Called when the body is read to its end. */
  onEnd: () => void;
  onCancel: () => void;
};

/** Creates a body of bytes that have arrived. */
export const createWholeBody = (
  bytes: Uint8Array<ArrayBuffer>,
  { onEnd, onCancel }: WholeOptions,
): ResponseBody => {
  const chunks = [bytes, new Uint8Array()];
  const body = createResponseBody({
    onPull() {
      const chunk = chunks.shift() as Uint8Array<ArrayBuffer>;
      if (chunk.length === 0) onEnd();
      body.add(chunk);
    },
    onCancel,
  });
  return body;
};

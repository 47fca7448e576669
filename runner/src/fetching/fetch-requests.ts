/** Serves the fetches of one run: how many, and their bodies in chunks, as fast as the action takes them. */
import { ActionError, type RunLimits } from '@latchkey/runner-protocol';
import {
  type AnswerMessage,
  type FetchControlMessage,
  type FetchMessage,
  type FetchReply,
  MAX_CHUNK_BYTES,
  ProtocolViolation,
} from '../runs/protocol.ts';
import { createTurns } from '../scheduling/turns.ts';

/** Fetches that wait for the head of their response; further ones wait for their turn. */
const MAX_FETCHES_AT_ONCE = 6;
/** Chunks of a response that the host sends before the action takes the first of them. */
const MAX_UNTAKEN_CHUNKS = 4;
/** Chunks of all bodies together. Each is a message, however small it is. */
const MAX_CHUNKS = 100_000;

/** A response whose body ends within this time of its head, and fits one chunk, is sent whole. */
const WHOLE_WAIT_MS = 5;

export type FetchHead = Omit<FetchReply, 'body'>;

/** A stream is read as it is sent. */
export type RequestBody = Uint8Array | AsyncIterable<Uint8Array> | null;

export type FetchRequestsOptions = {
  limits: Pick<RunLimits, 'maxFetches' | 'maxFetchBytes'>;
  /**
   * Makes one fetch, and returns the head of its response and its body. Calls `onRequest` before each outgoing request,
   * including redirects.
   */
  fetch: (
    message: FetchMessage,
    body: RequestBody,
    signal: AbortSignal,
    onRequest: () => void,
  ) => Promise<[FetchHead, AsyncGenerator<Uint8Array>?]>;
  send: (answer: AnswerMessage, body?: Uint8Array) => Promise<unknown>;
  /** Ends the run. */
  fail: (error: ActionError) => void;
  /** Returns what the action is allowed to know of an error. */
  toFailure: (error: unknown) => { name: string; message: string };
  /** Aborts when the run ends; nothing is answered afterwards. */
  ended: AbortSignal;
};

export type FetchRequests = {
  start: (message: FetchMessage, body: Uint8Array) => void;
  /**
   * Throws `ProtocolViolation` for more aborts than fetches, a chunk that was not requested or is too large, and the
   * taking of chunks that were not sent.
   */
  control: (message: FetchControlMessage, body: Uint8Array) => void;
  /** Counts bytes that fetches sent or received. */
  countBytes: (bytes: number) => void;
  /** Counts a request that the relayer makes for the run. Returns false for one that must not begin. */
  countCall: () => boolean;
};

type Open = { abort: AbortController; untaken: Untaken; upload: Upload };

export function createFetchRequests(options: FetchRequestsOptions): FetchRequests {
  const { send } = options;
  const counts = createCounts(options);
  /** All fetches of the run: a message of the action can cross the end of its fetch. */
  const opened = new Map<number, Open>();
  const inTurn = createTurns(MAX_FETCHES_AT_ONCE);
  return {
    start(message, body) {
      if (!counts.fetch()) return;
      const pull = () => {
        counts.chunk();
        void send({ type: 'pull', id: message.id, maxBytes: MAX_CHUNK_BYTES });
      };
      const open = { abort: new AbortController(), untaken: createUntaken(), upload: createUpload(pull) };
      opened.set(message.id, open);
      inTurn(() => serve(options, counts, { message, whole: body, open }));
    },
    countBytes: counts.bytes,
    countCall: counts.call,
    control(message, body) {
      const open = opened.get(message.id);
      if (message.type === 'abort') {
        counts.abort();
        open?.abort.abort();
      } else if (!open) throw new ProtocolViolation(message.type);
      else if (message.type === 'pull') open.untaken.remove(message.chunks);
      else open.upload.add(body);
    },
  };
}

type Counts = ReturnType<typeof createCounts>;

/** Counts what the fetches of a run use. Ends the run above a limit. */
function createCounts({ limits, fail }: Pick<FetchRequestsOptions, 'limits' | 'fail'>) {
  const used = { fetches: 0, requests: 0, aborts: 0, chunks: 0, bytes: 0 };
  const limitError = (text: string) => new ActionError('FetchLimitError', text);
  const tooManyFetches = () => limitError(`the action fetched more than ${limits.maxFetches} times`);
  const fetch = (): boolean => {
    used.fetches += 1;
    if (Math.max(used.fetches, used.requests) <= limits.maxFetches) return true;
    fail(tooManyFetches());
    return false;
  };
  return {
    /** Returns false for a fetch that must not begin. */
    fetch,
    /** Counts a fetch and its one request. Returns false for one that must not begin. */
    call(): boolean {
      used.requests += 1;
      return fetch();
    },
    /** Throws for a request that must not be made. */
    request(): void {
      used.requests += 1;
      if (used.requests <= limits.maxFetches) return;
      fail(tooManyFetches());
      throw tooManyFetches();
    },
    chunk(): void {
      used.chunks += 1;
      if (used.chunks > MAX_CHUNKS)
        fail(limitError(`the bodies of fetches have more than ${MAX_CHUNKS} parts`));
    },
    bytes(bytes: number): void {
      used.bytes += bytes;
      if (used.bytes > limits.maxFetchBytes)
        fail(limitError(`the fetches of the action used more than ${limits.maxFetchBytes} bytes`));
    },
    /** Throws `ProtocolViolation` for more aborts than fetches. */
    abort(): void {
      used.aborts += 1;
      if (used.aborts > limits.maxFetches) throw new ProtocolViolation('abort');
    },
  };
}

async function serve(
  { fetch, send, toFailure, ended }: FetchRequestsOptions,
  counts: Counts,
  { message, whole, open }: { message: FetchMessage; whole: Uint8Array; open: Open },
): Promise<void> {
  const { id } = message;
  const signal = AbortSignal.any([ended, open.abort.signal]);
  if (signal.aborted) return;
  let hasReplied = false;
  const giveUp = (error: unknown): void => {
    if (signal.aborted) return;
    const failure = toFailure(error);
    void send(hasReplied ? { type: 'broken', id, ...failure } : { type: 'reply', id, ok: false, ...failure });
  };
  const sendBody = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const bytes of body) {
      for (let at = 0; at < bytes.length; at += MAX_CHUNK_BYTES) {
        counts.chunk();
        void send({ type: 'chunk', id }, bytes.subarray(at, at + MAX_CHUNK_BYTES));
        await open.untaken.add();
        if (signal.aborted) return;
      }
    }
    void send({ type: 'chunk', id });
  };
  try {
    const body = { none: null, whole, chunks: open.upload.chunks }[message.body];
    const [head, content] = await fetch(message, body, signal, counts.request);
    const read = await readWhole(content);
    if (signal.aborted) return;
    const value: FetchReply = { ...head, body: read.chunks ? 'chunks' : content ? 'whole' : 'none' };
    await send({ type: 'reply', id, ok: true, value }, read.whole);
    hasReplied = true;
    if (read.chunks) void sendBody(read.chunks).catch(giveUp);
  } catch (error) {
    giveUp(error);
  }
}

/** Reads a small body that comes with its head. Otherwise returns a body with the parts that were read. */
async function readWhole(
  body?: AsyncGenerator<Uint8Array>,
): Promise<{ whole?: Uint8Array; chunks?: AsyncIterable<Uint8Array> }> {
  if (!body) return {};
  const parts: Uint8Array[] = [];
  const deadline = Promise.withResolvers<void>();
  const timer = setTimeout(deadline.resolve, WHOLE_WAIT_MS);
  let bytes = 0;
  let next = body.next();
  try {
    for (;;) {
      const read = await Promise.race([next, deadline.promise]);
      if (!read || bytes > MAX_CHUNK_BYTES) return { chunks: resume(parts, next, body) };
      if (read.done) return { whole: Buffer.concat(parts) };
      parts.push(read.value);
      bytes += read.value.length;
      next = body.next();
    }
  } finally {
    clearTimeout(timer);
  }
}

async function* resume(
  parts: Uint8Array[],
  next: Promise<IteratorResult<Uint8Array, unknown>>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* parts;
  for (let read = await next; !read.done; read = await rest.next()) yield read.value;
}

/** Counts the chunks that an action was sent and has not taken. */
type Untaken = {
  /** Resolves when another chunk can be sent. */
  add: () => Promise<void>;
  /** Throws `ProtocolViolation` for more chunks than there are. */
  remove: (chunks: number) => void;
};

function createUntaken(): Untaken {
  let untaken = 0;
  let wake = (): void => {};
  return {
    async add() {
      untaken += 1;
      if (untaken < MAX_UNTAKEN_CHUNKS) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    remove(chunks) {
      if (chunks > untaken) throw new ProtocolViolation('pull');
      untaken -= chunks;
      wake();
    },
  };
}

/** The body of a request that the action produces in chunks. */
type Upload = {
  /** Ends at an empty chunk. */
  chunks: AsyncIterable<Uint8Array>;
  /** Throws `ProtocolViolation` for a chunk that was not requested or is too large. */
  add: (chunk: Uint8Array) => void;
};

/** @param pull Requests the next chunk. */
function createUpload(pull: () => void): Upload {
  let requested: PromiseWithResolvers<Uint8Array> | undefined;
  async function* read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      requested = Promise.withResolvers();
      pull();
      const chunk = await requested.promise;
      if (chunk.length === 0) return;
      yield chunk;
    }
  }
  return {
    chunks: read(),
    add(chunk) {
      if (!requested || chunk.length > MAX_CHUNK_BYTES) throw new ProtocolViolation('chunk');
      const { resolve } = requested;
      requested = undefined;
      resolve(chunk);
    },
  };
}

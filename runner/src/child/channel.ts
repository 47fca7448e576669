/**
 * The process' end of the channel to the host; `../runs/protocol.ts` documents the frames. Takes Deno's stdin and stdout
 * before the global scope loses `Deno`.
 */
import { refStdin, unrefStdin } from '@latchkey/fork-server/internals';
import type {
  AnswerMessage,
  CallMessage,
  ChildMessage,
  FetchMessage,
  HostMessage,
  ImportMessage,
  ReplyMessage,
  RpcMessage,
  RunMessage,
} from '../runs/protocol.ts';
import { collectGarbage } from './vm.ts';

const { stdin, stdout, exit } = Deno;
const { parse, stringify } = JSON;
const parseUrl = URL.parse.bind(URL);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const waiting = new Map<number, (answer: AnswerMessage, body: Uint8Array<ArrayBuffer>) => void>();
/** Names of the requests to which the host owes a message. */
const owed = new Map<number, string>();
export const owedRequests = (): string[] => [...owed.values()];
const MAX_NAME_CHARS = 100;
const longNameOf = (message: Request): string => {
  switch (message.type) {
    case 'call':
      return message.operation;
    case 'rpc':
      return message.method;
    case 'import':
      return `import of ${message.specifier}`;
    case 'fetch':
      // The rest of a URL can have keys.
      return `fetch of ${parseUrl(message.url)?.host ?? 'an invalid URL'}`;
  }
};
const nameOf = (message: Request): string => longNameOf(message).slice(0, MAX_NAME_CHARS);
let lastId = 0;
/** Bytes of messages after which V8 is made to free the buffers of earlier ones. Alone it waits for 64 MiB, the memory limit of a run. */
const COLLECT_BYTES = 8 * 1024 * 1024;
let uncollectedBytes = 0;
let maxFrameBytes = Number.POSITIVE_INFINITY;

const countBytes = (bytes: number): void => {
  uncollectedBytes += bytes;
  if (uncollectedBytes < COLLECT_BYTES) return;
  uncollectedBytes = 0;
  collectGarbage();
};

/** Returns a message as bytes. Throws a RangeError for one that the host would refuse. */
export const encode = (message: ChildMessage, body: Uint8Array = new Uint8Array()): Uint8Array => {
  const json = encoder.encode(stringify(message));
  const length = 4 + json.length + body.length;
  if (length > maxFrameBytes)
    throw new RangeError(`the argument is too large: more than ${maxFrameBytes} bytes`);
  const frame = new Uint8Array(4 + length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, length);
  view.setUint32(4, json.length);
  frame.set(json, 8);
  frame.set(body, 8 + json.length);
  return frame;
};

export const post = (message: ChildMessage, body?: Uint8Array): void => {
  const frame = encode(message, body);
  countBytes(frame.length);
  for (let written = 0; written < frame.length; ) written += stdout.writeSync(frame.subarray(written));
};

/**
 * Reading the next frame keeps the event loop alive only while the host owes a message. A process whose action waits for
 * an event that cannot happen therefore exits.
 */
const keepAlive = (alive: boolean): void => (alive ? refStdin() : unrefStdin());

type Request =
  | Omit<CallMessage, 'id'>
  | Omit<RpcMessage, 'id'>
  | Omit<FetchMessage, 'id'>
  | Omit<ImportMessage, 'id'>;
const firstRequest = Promise.withResolvers<void>();
export type Exchange = {
  id: number;
  /** Sets whether the host owes a message. */
  setOwed: (isOwed: boolean) => void;
  /** Ignores further messages. */
  close: () => void;
};

/** Sends a request. Calls `onAnswer` with each message of the host about it, until it is closed. */
export const open = (
  message: Request,
  body: Uint8Array | undefined,
  onAnswer: (answer: AnswerMessage, body: Uint8Array<ArrayBuffer>) => void,
): Exchange => {
  lastId += 1;
  const id = lastId;
  post({ ...message, id }, body);
  firstRequest.resolve();
  const setOwed = (isOwed: boolean): void => {
    if (isOwed) owed.set(id, nameOf(message));
    else owed.delete(id);
    keepAlive(owed.size > 0);
  };
  waiting.set(id, onAnswer);
  setOwed(true);
  return {
    id,
    setOwed,
    close() {
      waiting.delete(id);
      setOwed(false);
    },
  };
};

/** Sends a request and waits for its reply. */
export const request = (message: Request): Promise<[ReplyMessage, Uint8Array]> =>
  new Promise((resolve) => {
    const exchange = open(message, undefined, (answer, body) => {
      exchange.close();
      resolve([answer as ReplyMessage, body]);
    });
  });

export type Listener = {
  onCode: (code: string) => void;
  onRun: (message: RunMessage) => void;
  /**
   * Reads the run without a thread and the event loop. Answers are then read from the first request on. The host must end the process.
   * Returns the number of bytes, 0 at the end.
   */
  readSync?: ((chunk: Uint8Array) => number) | undefined;
};

/** Reads frames until the host closes the channel, which ends the process. */
export const listen = async ({ onCode, onRun, readSync }: Listener): Promise<never> => {
  let hasRun = false;
  let held = new Uint8Array(0);
  const chunk = new Uint8Array(64 * 1024);
  const take = async (bytes: number): Promise<Uint8Array<ArrayBuffer>> => {
    const target = new Uint8Array(bytes);
    let filled = 0;
    for (;;) {
      const part = held.subarray(0, bytes - filled);
      target.set(part, filled);
      filled += part.length;
      held = held.subarray(part.length);
      if (filled === bytes) return target;
      const read = readSync && !hasRun ? readSync(chunk) : await stdin.read(chunk);
      if (!read) return exit(0);
      held = chunk.subarray(0, read);
    }
  };
  for (;;) {
    const head = new DataView((await take(8)).buffer);
    const jsonBytes = head.getUint32(4);
    const json = await take(jsonBytes);
    const body = await take(head.getUint32(0) - 4 - jsonBytes);
    countBytes(body.length);
    const message = parse(decoder.decode(json)) as HostMessage;
    if (message.type === 'code') onCode(decoder.decode(body));
    else if (message.type === 'run') {
      ({ maxFrameBytes } = message);
      hasRun = true;
      keepAlive(false);
      onRun(message);
      if (readSync) await firstRequest.promise;
    } else waiting.get(message.id)?.(message, body);
  }
};

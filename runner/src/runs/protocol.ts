/**
 * Messages between the host and an action process, over the process' standard input and output.
 *
 * A frame is `length(4, big endian) | jsonLength(4) | json | body`, where `length` counts the bytes that follow it and
 * the body is raw bytes (the code, a fetch body, the response). The process is hostile: the host parses its frames,
 * checks them against `childMessage`, and trusts only their shape. Code that writes to the output directly can request
 * only what the action can request anyway.
 */
import { keyOperations } from '@latchkey/runner-protocol';
import { z } from 'zod';
import {
  MAX_FETCH_HEADERS,
  MAX_FETCH_TIMEOUT_MS,
  MAX_PENDING_CHARS,
  MAX_SPECIFIER_CHARS,
} from './message-limits.ts';

const LENGTH_BYTES = 4;
/** Maximum bytes of one chunk of a fetch body. */
export const MAX_CHUNK_BYTES = 64 * 1024;

const id = z.int().positive();
/** A whole body is next to the message that announces it; `chunk` messages follow for one in chunks. */
const bodyKind = z.enum(['none', 'whole', 'chunks']);

const childMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('log'), text: z.string() }),
  z.strictObject({
    type: z.literal('call'),
    id,
    operation: z.enum([...keyOperations, 'takeAllowance', 'requireApproval']),
    args: z.unknown(),
  }),
  /** `params` is JSON. Length of both texts: see `chain-calls.ts`. */
  z.strictObject({
    type: z.literal('rpc'),
    id,
    chainId: z.int().positive(),
    method: z.string(),
    params: z.string(),
  }),
  z.strictObject({
    type: z.literal('fetch'),
    id,
    url: z.string(),
    method: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])).max(MAX_FETCH_HEADERS),
    redirect: z.enum(['follow', 'error', 'manual']),
    /** Time without data that the action allows. */
    timeoutMs: z.int().positive().max(MAX_FETCH_TIMEOUT_MS).optional(),
    body: bodyKind,
  }),
  /** Bytes of the request of the fetch of this id, after a `pull` of the host. An empty chunk ends them. */
  z.strictObject({ type: z.literal('chunk'), id }),
  /** `referrer` is the URL of the importing module, null for the action. The body of the reply is the module. */
  z.strictObject({
    type: z.literal('import'),
    id,
    specifier: z.string().max(MAX_SPECIFIER_CHARS),
    referrer: z.string().max(4_000).nullable(),
  }),
  /** The action took this many more chunks of the response to the fetch of this id. */
  z.strictObject({ type: z.literal('pull'), id, chunks: z.int().positive() }),
  /** The action no longer waits for the fetch of this id. */
  z.strictObject({ type: z.literal('abort'), id }),
  /** `main` has settled and the run waits for this work. Once. */
  z.strictObject({ type: z.literal('pending'), text: z.string().max(MAX_PENDING_CHARS) }),
  /** The body is the JSON of the response, empty when there is none. */
  z.strictObject({ type: z.literal('done') }),
  z.strictObject({ type: z.literal('failed'), name: z.string(), message: z.string(), stack: z.string() }),
]);
export type ChildMessage = z.infer<typeof childMessage>;
export type FetchMessage = Extract<ChildMessage, { type: 'fetch' }>;
export type CallMessage = Extract<ChildMessage, { type: 'call' }>;
export type RpcMessage = Extract<ChildMessage, { type: 'rpc' }>;
export type ImportMessage = Extract<ChildMessage, { type: 'import' }>;
/** About a fetch that the action has made. */
export type FetchControlMessage = Extract<ChildMessage, { type: 'chunk' | 'pull' | 'abort' }>;

/** The host's reply to `fetch`. `broken` can come in place of a chunk. */
export type FetchReply = {
  url: string;
  status: number;
  statusText: string;
  redirected: boolean;
  headers: [string, string][];
  body: z.infer<typeof bodyKind>;
};

/** The host's reply to `import`, next to the module, which only the first reply for its URL has. */
export type ImportReply = { url: string; hash: string };

/** Comes before the run. The body is the code, which the process compiles and does not run yet. */
type CodeMessage = { type: 'code' };
export type RunMessage = {
  type: 'run';
  /** JSON of the parameters of `main`. */
  jsParams: string;
  timeoutMs: number;
  maxResponseBytes: number;
  maxRequestBodyBytes: number;
  maxFrameBytes: number;
};
export type ReplyMessage = { type: 'reply'; id: number } & (
  | { ok: true; value: string | FetchReply | ImportReply }
  | { ok: false; name: string; message: string }
);
/** Bytes of the response to the fetch of this id, at most `MAX_CHUNK_BYTES`. An empty chunk ends them. */
type ChunkMessage = { type: 'chunk'; id: number };
/** Requests one chunk, of at most `maxBytes`, of the request of the fetch of this id. */
type PullMessage = { type: 'pull'; id: number; maxBytes: number };
/** The body of a fetch failed after its head. */
type BrokenMessage = { type: 'broken'; id: number; name: string; message: string };
/** A message about the request of this id. */
export type AnswerMessage = ReplyMessage | ChunkMessage | PullMessage | BrokenMessage;
export type HostMessage = CodeMessage | RunMessage | AnswerMessage;

export const encodeFrame = (message: HostMessage, body: Uint8Array = new Uint8Array()): Buffer => {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(2 * LENGTH_BYTES);
  head.writeUInt32BE(LENGTH_BYTES + json.length + body.length, 0);
  head.writeUInt32BE(json.length, LENGTH_BYTES);
  return Buffer.concat([head, json, body]);
};

/** The process sent data that is not a message of this protocol. */
export class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation';
}

/** Messages that can have a body. */
const withBody = (message: ChildMessage): boolean =>
  message.type === 'done' ||
  message.type === 'chunk' ||
  (message.type === 'fetch' && message.body === 'whole');

/**
 * Creates a decoder of the process' output. Calls `onFrame` per whole frame and throws `ProtocolViolation` for anything
 * else. Buffers at most one frame of `maxFrameBytes`, however the output is split.
 */
export const createFrameDecoder = (
  maxFrameBytes: number,
  onFrame: (message: ChildMessage, body: Uint8Array, frameBytes: number) => void,
) => {
  let target = Buffer.alloc(LENGTH_BYTES);
  let filled = 0;
  let inFrame = false;

  return (chunk: Buffer): void => {
    for (let offset = 0; offset < chunk.length; ) {
      const copied = chunk.copy(target, filled, offset);
      offset += copied;
      filled += copied;
      if (filled < target.length) return;
      if (inFrame) {
        const frame = target;
        target = Buffer.alloc(LENGTH_BYTES);
        onFrame(...decodeFrame(frame), LENGTH_BYTES + frame.length);
      } else {
        const length = target.readUInt32BE(0);
        if (length < LENGTH_BYTES || length > maxFrameBytes) throw new ProtocolViolation('frame length');
        target = Buffer.alloc(length);
      }
      filled = 0;
      inFrame = !inFrame;
    }
  };
};

const decodeFrame = (frame: Buffer): [ChildMessage, Uint8Array] => {
  const jsonEnd = LENGTH_BYTES + frame.readUInt32BE(0);
  if (jsonEnd > frame.length) throw new ProtocolViolation('json length');
  let value: unknown;
  try {
    value = JSON.parse(frame.toString('utf8', LENGTH_BYTES, jsonEnd));
  } catch {
    throw new ProtocolViolation('json');
  }
  const parsed = childMessage.safeParse(value);
  if (!parsed.success) throw new ProtocolViolation('message');
  if (jsonEnd < frame.length && !withBody(parsed.data)) throw new ProtocolViolation('body');
  return [parsed.data, frame.subarray(jsonEnd)];
};

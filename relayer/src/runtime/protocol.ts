/**
 * Messages between the host and an action's process, over the process' standard input and output.
 *
 * A frame is `length(4, big endian) | jsonLength(4) | json | body`, where `length` counts what follows it and
 * the body is raw bytes (a fetch body, the code). The process is hostile: its frames are parsed here and
 * checked against `childMessage`, and nothing in them is trusted beyond their shape.
 */
import { z } from 'zod';

const HEADER_BYTES = 4;

export const keyOperations = [
  'getPrivateKey',
  'Encrypt',
  'Decrypt',
  'getActionPrivateKey',
  'getActionPublicKey',
  'getActionWalletAddress',
] as const;

const id = z.int().positive();
const header = z.tuple([z.string(), z.string()]);

export const childMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('log'), text: z.string() }),
  z.strictObject({ type: z.literal('call'), id, operation: z.enum(keyOperations), args: z.unknown() }),
  z.strictObject({
    type: z.literal('fetch'),
    id,
    url: z.string(),
    method: z.string(),
    headers: z.array(header).max(200),
    redirect: z.enum(['follow', 'error', 'manual']),
    hasBody: z.boolean(),
  }),
  z.strictObject({ type: z.literal('abort'), id }),
  z.strictObject({ type: z.literal('done'), json: z.string().optional() }),
  z.strictObject({ type: z.literal('failed'), name: z.string(), message: z.string(), stack: z.string() }),
]);
export type ChildMessage = z.infer<typeof childMessage>;
export type FetchMessage = Extract<ChildMessage, { type: 'fetch' }>;
export type CallMessage = Extract<ChildMessage, { type: 'call' }>;

/** What `fetch` gets from the host, next to the body. */
export type FetchReply = {
  url: string;
  status: number;
  statusText: string;
  redirected: boolean;
  headers: [string, string][];
};

export type HostMessage =
  | { type: 'run'; jsParams: string; maxResponseBytes: number; maxFetchBodyBytes: number }
  | { type: 'reply'; id: number; ok: true; value: string | FetchReply }
  | { type: 'reply'; id: number; ok: false; name: string; message: string };

export const encodeFrame = (message: HostMessage, body: Uint8Array = new Uint8Array()): Buffer => {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(2 * HEADER_BYTES);
  head.writeUInt32BE(HEADER_BYTES + json.length + body.length, 0);
  head.writeUInt32BE(json.length, HEADER_BYTES);
  return Buffer.concat([head, json, body]);
};

/** The process said something that no message of this protocol is. */
export class ProtocolViolation extends Error {}

/**
 * A decoder of the process' output. `push` calls `onFrame` for each whole frame and throws
 * `ProtocolViolation` on anything else; at most one frame of `maxFrameBytes` is held.
 */
export const createFrameDecoder = (
  maxFrameBytes: number,
  onFrame: (message: ChildMessage, body: Uint8Array) => void,
) => {
  let chunks: Buffer[] = [];
  let held = 0;

  const take = (): Buffer => {
    const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    chunks = [all];
    return all;
  };

  return (chunk: Buffer): void => {
    chunks.push(chunk);
    held += chunk.length;
    while (held >= HEADER_BYTES) {
      const first = chunks[0] as Buffer;
      const length = (first.length >= HEADER_BYTES ? first : take()).readUInt32BE(0);
      if (length < HEADER_BYTES || length > maxFrameBytes) throw new ProtocolViolation('frame length');
      if (held < HEADER_BYTES + length) return;
      const all = take();
      const frame = all.subarray(HEADER_BYTES, HEADER_BYTES + length);
      const rest = all.subarray(HEADER_BYTES + length);
      chunks = rest.length > 0 ? [rest] : [];
      held = rest.length;
      onFrame(...decodeFrame(frame));
    }
  };
};

const decodeFrame = (frame: Buffer): [ChildMessage, Uint8Array] => {
  const jsonEnd = HEADER_BYTES + frame.readUInt32BE(0);
  if (jsonEnd > frame.length) throw new ProtocolViolation('json length');
  let value: unknown;
  try {
    value = JSON.parse(frame.toString('utf8', HEADER_BYTES, jsonEnd));
  } catch {
    throw new ProtocolViolation('json');
  }
  const parsed = childMessage.safeParse(value);
  if (!parsed.success) throw new ProtocolViolation('message');
  return [parsed.data, frame.subarray(jsonEnd)];
};

/** The form of a message on the wire: `jsonLength(4, big endian) | json | body`. */
import type { z } from 'zod';

/** The longest message: a run with its code. A character of its parameters takes at most six bytes. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

const LENGTH_BYTES = 4;

export const writeMessage = (message: object, body: Uint8Array = new Uint8Array()): Buffer => {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(LENGTH_BYTES);
  head.writeUInt32BE(json.length);
  return Buffer.concat([head, json, body]);
};

/** Throws for bytes that are not a message of the schema. */
export const readMessage = <Message>(
  schema: z.ZodType<Message>,
  bytes: Buffer,
): { message: Message; body: Buffer } => {
  const jsonEnd = LENGTH_BYTES + bytes.readUInt32BE(0);
  if (jsonEnd > bytes.length) throw new RangeError('the message is shorter than its JSON');
  const message = schema.parse(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, jsonEnd)));
  return { message, body: bytes.subarray(jsonEnd) };
};

import { z } from 'zod';
import { HttpError } from './errors.ts';

/** Returns the wire form of a reply as JSON text. A value that does not match the schema is an error of the service. */
export function encodeReply(schema: z.ZodType, value: unknown): string {
  const result = z.safeEncode(schema, value as never);
  if (!result.success)
    throw new HttpError('internal_error', 'reply does not match its schema', { cause: result.error });
  return JSON.stringify(result.data);
}

import { decodeParts } from '@latchkey/http';
import { z } from 'zod';

/** Decodes `body.config`. Throws 422 when its shape does not match the schema, 400 when a value is malformed. */
export function parseConfig<Schema extends z.ZodType>(schema: Schema, wire: unknown): z.output<Schema> {
  const { body } = decodeParts(
    { body: z.object({ config: schema }) },
    { body: { config: wire ?? {} }, query: {}, params: {}, headers: {} },
  );
  return (body as { config: z.output<Schema> }).config;
}

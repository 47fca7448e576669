import { decodeParts } from '@latchkey/http';
import { z } from 'zod';

/** The `config` of a kind in its inside form; 422 for what does not match its schema, 400 for what has no meaning. */
export function parseConfig<Schema extends z.ZodType>(schema: Schema, wire: unknown): z.output<Schema> {
  const { body } = decodeParts(
    { body: z.object({ config: schema }) },
    { body: { config: wire ?? {} }, query: {}, params: {}, headers: {} },
  );
  return (body as { config: z.output<Schema> }).config;
}

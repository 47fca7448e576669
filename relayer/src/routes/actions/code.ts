import { z } from 'zod';

/** Code of an action. UTF-8 has no lone surrogates, so text with one has no CID. */
export const actionCode = z.string().refine((text) => text.isWellFormed(), {
  error: 'expected text without lone surrogates',
  params: { malformed: true },
});

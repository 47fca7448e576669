import type { z } from 'zod';
import { ActionError } from './errors.ts';

/** Returns the arguments of an action. Throws an ActionError that names the wrong one. */
export const checked = <T>(schema: z.ZodType<T>, args: unknown): T => {
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ActionError('TypeError', `${issue?.path.join('.') || 'the argument'} ${issue?.message}`);
};

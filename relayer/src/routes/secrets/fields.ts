/** Fields of the routes of secrets. */
import { isSecretName } from '@latchkey/protocol';
import { z } from 'zod';

export const secretName = z
  .string()
  .max(64)
  .refine(isSecretName, 'expected at most 64 letters, digits and _, not first a digit');

export const secretVersion = z.int().positive().meta({
  description: 'Unix milliseconds at which the client encrypted it. Newer than all versions of the name.',
});

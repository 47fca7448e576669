/** A part of a limit, as an action takes it. */
import { z } from 'zod';
import { checked } from './checked.ts';
import type { AllowanceRequest } from './messages.ts';
import { pkpId } from './pkp-id.ts';
import { quantity } from './signing.ts';

/** A year. */
const MAX_WINDOW_SECONDS = 366 * 86_400;

const request = z.strictObject({
  pkpId,
  name: z
    .string()
    .regex(/^[\x20-\x7e]{1,256}$/, 'is not a name: send 1 to 256 printable characters of ASCII'),
  amount: quantity.refine((amount) => amount > 0n, 'is 0: send the amount that the action uses'),
  limit: quantity,
  windowSeconds: z
    .int('is not a number of seconds')
    .min(1, 'is less than 1')
    .max(MAX_WINDOW_SECONDS, 'is more than 366 days'),
});

/** Returns the arguments of an action. Throws an ActionError that names the wrong one. */
export function readAllowance(args: unknown): AllowanceRequest {
  const { pkpId: wallet, amount, limit, ...rest } = checked(request, args);
  return { ...rest, wallet, amount: String(amount), limit: String(limit) };
}

import { z } from 'zod';

/** Health of a part in the reply of a service's `/health`: `PartHealth` of `@latchkey/service/health`. */
export const partHealth = z.object({
  ok: z.boolean(),
  degraded: z.literal(true).optional(),
  detail: z.string().optional(),
});

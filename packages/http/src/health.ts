import { z } from 'zod';

/** The route `/live`, for the liveness probe of an orchestrator. */
export const live = {
  method: 'GET',
  path: '/live',
  tag: 'service',
  summary: 'Returns 200 while this process answers',
  description: 'For the liveness probe of an orchestrator: no part is checked.',
  auth: 'none',
  reply: z.object({ ok: z.literal(true) }),
  handle: () => ({ ok: true as const }),
} as const;

/** Health of a part in the reply of a service's `/health`: `PartHealth` of `@latchkey/service/health`. */
export const partHealth = z.object({
  ok: z.boolean(),
  degraded: z.literal(true).optional(),
  detail: z.string().optional(),
  since: z.iso.datetime().optional(),
});

import { forbidden, notFound } from '@latchkey/http';
import { z } from 'zod';
import { completePairing } from '../../auth/pairing.ts';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';

export const complete = defineRoute({
  method: 'POST',
  path: '/agent/pair/complete',
  tag: 'agents',
  summary: 'Completes a pairing once it is approved',
  description:
    'Asked again every few seconds while it is `pending`. From `authorized` on the token works for 90 days.',
  auth: 'agentToken',
  body: z.object({ code: z.string().meta({ description: 'The one in `authorize_url`.' }) }),
  reply: z.object({ status: z.enum(['pending', 'authorized']) }),
  errors: ['forbidden', 'not_found', 'too_many_requests', 'service_unavailable'],
  example: { body: { code: 'Zk3-9sQyT1mVb7XwR4uN8g' }, reply: { status: 'authorized' } },
  handle: async (context: Pick<Context, 'db' | 'core' | 'limits'>, { body, caller: tokenHash, ip }) => {
    await context.limits.pairingPollIp.take(ip);
    const status = await completePairing(context, body.code, tokenHash);
    if (status === 'gone')
      throw notFound('This code is unknown, expired or used.', {
        fix: 'GET /api/me says whether the token works already; else pair again.',
      });
    if (status === 'wrong token') throw forbidden('This code is for another token.');
    return { status };
  },
});

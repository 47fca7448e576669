import { forbidden, notFound } from '@latchkey/http';
import { z } from 'zod';
import { completePairing } from '../../auth/pairing.ts';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';

export const complete = defineRoute({
  method: 'POST',
  path: '/agent/pair/complete',
  tag: 'agents',
  summary: 'Completes an approved pairing',
  description:
    'Repeat the request every few seconds while the status is `pending`. Once it is `authorized`, the token is valid for 90 days. ' +
    'With `Idempotency-Key`, send another key in each request: the same key returns the same status.',
  auth: 'agentToken',
  body: z.object({ code: z.string().meta({ description: 'The code in `authorize_url`.' }) }),
  reply: z.object({ status: z.enum(['pending', 'authorized']) }),
  errors: ['forbidden', 'not_found', 'too_many_requests', 'service_unavailable'],
  example: { body: { code: 'Zk3-9sQyT1mVb7XwR4uN8g' }, reply: { status: 'authorized' } },
  handle: async (context: Pick<Context, 'db' | 'relayer' | 'limits'>, { body, caller: tokenHash, ip }) => {
    await context.limits.pairingPollIp.take(ip);
    const status = await completePairing(context, body.code, tokenHash);
    if (status === 'gone')
      throw notFound('The code is unknown, expired, denied or already used.', {
        fix: 'If GET /api/me replies 401, pair again: POST /agent/pair.',
      });
    if (status === 'wrong token')
      throw forbidden('The code belongs to another token.', {
        fix: 'Send the token whose SHA-256 was the token_hash of POST /agent/pair.',
      });
    return { status };
  },
});

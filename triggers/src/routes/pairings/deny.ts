import { z } from 'zod';
import { denyPairing as deny } from '../../auth/pairing.ts';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';
import { exampleCode, pairingBody, pairingNotFound } from './shared.ts';

export const denyPairing = defineRoute({
  method: 'POST',
  path: '/api/pairings/deny',
  tag: 'agents',
  summary: 'Denies an agent',
  description:
    'Ends the pairing: POST /agent/pair/complete of the agent replies 404. For people: the token of an agent gets 403.',
  auth: 'session',
  body: pairingBody,
  reply: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'service_unavailable'],
  example: { body: { code: exampleCode }, reply: { success: true } },
  handle: async ({ db }: Pick<Context, 'db'>, { body }) => {
    if (!(await deny(db, body.code))) throw pairingNotFound();
    return { success: true as const };
  },
});

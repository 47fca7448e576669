import { z } from 'zod';
import { approvePairing as approve } from '../../auth/pairing.ts';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';
import { exampleCode, pairingBody, pairingNotFound } from './shared.ts';

export const approvePairing = defineRoute({
  method: 'POST',
  path: '/api/pairings/approve',
  tag: 'agents',
  summary: 'Approves an agent',
  description:
    'The agent can then complete the pairing and act for the account. For people: the token of an agent gets 403.',
  auth: 'session',
  body: pairingBody,
  reply: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'service_unavailable'],
  example: { body: { code: exampleCode }, reply: { success: true } },
  handle: async ({ db }: Pick<Context, 'db'>, { body, caller }) => {
    if (!(await approve(db, body.code, caller))) throw pairingNotFound();
    return { success: true as const };
  },
});

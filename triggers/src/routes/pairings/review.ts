import { z } from 'zod';
import { findPendingPairing, GRANTS, TOKEN_DAYS } from '../../auth/pairing.ts';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';
import { exampleCode, pairingBody, pairingNotFound } from './shared.ts';

export const reviewPairing = defineRoute({
  method: 'POST',
  path: '/api/pairings/review',
  tag: 'agents',
  summary: 'Reads a pairing that waits for approval',
  description:
    'Approve only when the agent shows the same `user_code`. For people: the token of an agent gets 403.',
  auth: 'session',
  body: pairingBody,
  reply: z.object({
    label: z.string(),
    user_code: z.string(),
    requested_from: z.string().nullable().meta({ description: 'IP address of the agent.' }),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    grants: z
      .array(z.string())
      .meta({ description: 'Permissions of the agent after the approval, as sentences.' }),
    valid_days: z.int().meta({ description: 'Days for which the token of the agent is valid.' }),
  }),
  errors: ['not_found', 'service_unavailable'],
  example: {
    body: { code: exampleCode },
    reply: {
      label: 'laptop',
      user_code: 'BCDF-GHJK',
      requested_from: '192.0.2.1',
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2026-01-01T00:10:00.000Z',
      grants: [...GRANTS],
      valid_days: TOKEN_DAYS,
    },
  },
  handle: async ({ db }: Pick<Context, 'db'>, { body }) => {
    const pairing = await findPendingPairing(db, body.code);
    if (!pairing) throw pairingNotFound();
    return {
      label: pairing.label,
      user_code: pairing.userCode,
      requested_from: pairing.address,
      created_at: pairing.createdAt.toISOString(),
      expires_at: pairing.expiresAt.toISOString(),
      grants: [...GRANTS],
      valid_days: TOKEN_DAYS,
    };
  },
});

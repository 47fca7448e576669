import { z } from 'zod';
import { listAgents as list } from '../../auth/agents.ts';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';

export const listAgents = defineRoute({
  method: 'GET',
  path: '/api/agents',
  tag: 'agents',
  summary: 'Lists the paired agents, newest first',
  description: 'At most 1,000. For people: the token of an agent gets 403.',
  auth: 'session',
  reply: z.object({
    agents: z.array(
      z.object({
        id: z.string().meta({ description: 'Hash of the token of the agent.' }),
        label: z.string(),
        created_at: z.iso.datetime(),
        expires_at: z.iso.datetime(),
        last_used_at: z.iso
          .datetime()
          .nullable()
          .meta({ description: 'Exact to an hour. Null before the first use.' }),
      }),
    ),
  }),
  errors: ['service_unavailable'],
  handle: async ({ db }: Pick<Context, 'db'>, { caller }) => ({
    agents: (await list(db, caller.id)).map(({ id, label, createdAt, expiresAt, lastUsedAt }) => ({
      id,
      label,
      created_at: createdAt.toISOString(),
      expires_at: expiresAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
    })),
  }),
});

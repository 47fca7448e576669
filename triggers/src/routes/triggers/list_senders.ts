import { z } from 'zod';
import { listSenders as list } from '../../sources/senders/index.ts';
import { defineRoute } from '../define-route.ts';

export const listSenders = defineRoute({
  method: 'GET',
  path: '/api/senders',
  tag: 'webhooks',
  summary: 'Lists the senders whose signatures are verified',
  auth: 'agentOrSession',
  reply: z.object({
    senders: z.array(
      z.object({
        scheme: z.string(),
        key_field: z.string().meta({ description: 'Field of `verification` with the key.' }),
        required_fields: z
          .array(z.string())
          .meta({ description: 'Other fields that `verification` must have.' }),
      }),
    ),
  }),
  errors: ['service_unavailable'],
  handle: async () => ({ senders: list() }),
});

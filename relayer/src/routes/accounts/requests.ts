import { hash, queryInteger } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { listRequests, requestOutcomes } from '../../db/request-records.ts';
import { hashText } from '../../db/text.ts';
import { defineRoute, prefix } from '../define-route.ts';

const filters = ['outcome', 'key_hash', 'route'] as const;

export const requests = defineRoute({
  method: 'GET',
  path: `${prefix}/requests`,
  tag: 'accounts',
  summary: 'Lists the requests of the account, newest first',
  description:
    'Requests with a key or a wallet proof of the account, refused ones too, about a second after their end, for 7 days. They have no query, no ' +
    'body and no key. At most 20 per second and process are kept: `omitted` of the last one counts the others. Requests of this list are left out. ' +
    'One filter at a time. The next page begins with `before` of the last id.',
  auth: 'accountKeyOrWallet',
  query: z
    .object({
      page_size: queryInteger(1, 1_000, 100),
      before: z.coerce.number().int().positive().optional(),
      outcome: z.enum(requestOutcomes).optional().meta({
        description:
          '`refused`: a status of 4xx. `failed`: of 5xx. `aborted`: the client left before the reply.',
      }),
      key_hash: hash.optional(),
      route: z
        .string()
        .max(200)
        .regex(/^[\x21-\x7e]+$/)
        .optional()
        .meta({ description: 'Path of the route, for example `/core/v1/svc_action`.' }),
    })
    .refine((query) => filters.filter((name) => query[name] !== undefined).length <= 1, {
      error: 'send one of outcome, key_hash and route',
    }),
  reply: z.array(
    z.object({
      id: z.int(),
      request_id: z.string().meta({ description: '`X-Request-Id` of the reply, and `X-Run-Id` of a run.' }),
      at: z.string().meta({ description: 'When the request ended.' }),
      method: z.string(),
      route: z
        .string()
        .meta({ description: 'Path of the route, with names instead of the values of parameters.' }),
      outcome: z.enum(requestOutcomes),
      status: z.int().nullable().meta({ description: 'Null for an aborted request.' }),
      error: z.string().nullable().meta({ description: 'The code in the error body.' }),
      duration_ms: z.int(),
      charged_micros: z
        .int()
        .meta({ description: 'Price in micro-credits. A run that was aborted has it in its record only.' }),
      key_hash: z.string().meta({ description: 'Hash of the key or wallet that sent it.' }),
      omitted: z.int(),
    }),
  ),
  errors: ['forbidden', 'service_unavailable'],
  handle: async ({ db }: Pick<Context, 'db'>, { query, caller }) => {
    const { page_size: limit, before, key_hash: key, ...filter } = query;
    const account = hashText(caller.account);
    const keyFilter = key === undefined ? undefined : hashText(key);
    const found = await listRequests(db, { account, filter: { ...filter, key: keyFilter }, before, limit });
    return found.map(
      ({ requestId, durationMs, chargedMicros, key: keyHash, account: _account, at, ...request }) => ({
        ...request,
        request_id: requestId,
        duration_ms: durationMs,
        charged_micros: chargedMicros,
        key_hash: keyHash,
        at: at.toISOString(),
      }),
    );
  },
});

import { queryInteger } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { listSecretEvents as read } from '../../db/secrets.ts';
import { hashText } from '../../db/text.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { secretName, secretVersion } from './fields.ts';

export const listSecretEvents = defineRoute({
  method: 'GET',
  path: `${prefix}/list_secret_events`,
  tag: 'secrets',
  summary: 'Lists who set, read and deleted a secret, newest first',
  description:
    '`caller` is the hash of the account key, admin wallet or usage key. A `read` names the run and its CID: it is what a run asked for, before ' +
    'the key nodes decided. GET /core/v1/key_releases has what they released. The next page begins with `before` of the last id. Events are kept for ' +
    '`RUN_RECORD_DAYS` of the relayer, also of deleted secrets.',
  auth: 'accountKeyOrWallet',
  query: z.object({
    name: secretName,
    page_size: queryInteger(1, 1_000, 100),
    before: z.coerce.number().int().positive().optional(),
  }),
  reply: z.array(
    z.object({
      id: z.int(),
      event: z.enum(['set', 'read', 'delete']),
      version: secretVersion.nullable().meta({ description: 'Null for all versions.' }),
      caller: z.string(),
      cid: z.string().nullable(),
      run_id: z.string().nullable(),
      at: z.string(),
    }),
  ),
  errors: ['forbidden', 'service_unavailable'],
  handle: async ({ db }: Pick<Context, 'db'>, { query: { name, before, page_size: limit }, caller }) => {
    const events = await read(db, { account: hashText(caller.account), name }, { before, limit });
    return events.map(({ id, event, version, caller: by, cid, runId, at }) => ({
      id,
      event,
      version,
      caller: by,
      cid,
      run_id: runId,
      at: at.toISOString(),
    }));
  },
});

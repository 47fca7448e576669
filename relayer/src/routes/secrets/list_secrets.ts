import { z } from 'zod';
import type { Context } from '../../context.ts';
import { listSecrets as read } from '../../db/secrets.ts';
import { hashText } from '../../db/text.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { secretName, secretVersion } from './fields.ts';

export const listSecrets = defineRoute({
  method: 'GET',
  path: `${prefix}/list_secrets`,
  tag: 'secrets',
  summary: 'Lists the versions of all secrets of the account, by name, newest first',
  description:
    'Never returns a value or ciphertext. The actions of each group that has `wallet_address` can read the version. `last_read_at` is exact to a minute: ' +
    'a run asked for the version, before the key nodes decided.',
  auth: 'accountKeyOrWallet',
  reply: z.array(
    z.object({
      name: secretName,
      version: secretVersion,
      wallet_address: z.string(),
      set_at: z.string(),
      last_read_at: z.string().nullable(),
    }),
  ),
  errors: ['forbidden', 'service_unavailable'],
  handle: async ({ db }: Pick<Context, 'db'>, { caller }) =>
    (await read(db, hashText(caller.account))).map(({ name, version, wallet, setAt, lastReadAt }) => ({
      name,
      version,
      wallet_address: wallet,
      set_at: setAt.toISOString(),
      last_read_at: lastReadAt?.toISOString() ?? null,
    })),
});

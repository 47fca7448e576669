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
      wallet_public_key: z.string().nullable().meta({ description: 'Null when the client did not send it.' }),
      set_at: z.string(),
      last_read_at: z.string().nullable(),
    }),
  ),
  errors: ['forbidden', 'service_unavailable'],
  handle: async ({ db }: Pick<Context, 'db'>, { caller }) =>
    (await read(db, hashText(caller.account))).map((secret) => ({
      name: secret.name,
      version: secret.version,
      wallet_address: secret.wallet,
      wallet_public_key: secret.walletPublicKey,
      set_at: secret.setAt.toISOString(),
      last_read_at: secret.lastReadAt?.toISOString() ?? null,
    })),
});

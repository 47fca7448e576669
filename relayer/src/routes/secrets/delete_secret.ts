import { notFound } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { deleteSecret as remove } from '../../db/secrets.ts';
import { hashText } from '../../db/text.ts';
import { defineRoute, prefix, success } from '../define-route.ts';
import { secretName, secretVersion } from './fields.ts';

export const deleteSecret = defineRoute({
  method: 'POST',
  path: `${prefix}/delete_secret`,
  tag: 'secrets',
  summary: 'Deletes a version of a secret, or all versions',
  description:
    'Runs do not get it from the next request on. A copy of the database from before still has the ciphertext: revoke a leaked value where it is used.',
  auth: 'accountKeyOrWallet',
  body: z.strictObject({
    name: secretName,
    version: secretVersion.optional().meta({ description: 'Without it, all versions.' }),
  }),
  reply: success,
  errors: ['forbidden', 'not_found', 'too_many_requests', 'service_unavailable'],
  example: { body: { name: 'WEATHER_API_KEY' }, reply: { success: true } },
  handle: async (
    { db, secretLimit }: Pick<Context, 'db' | 'secretLimit'>,
    { body: { name, version }, caller },
  ) => {
    const secret = { account: hashText(caller.account), name, version, caller: hashText(caller.hash) };
    const taken = await secretLimit.take(secret.account);
    if (!(await remove(db, secret))) {
      taken.settle(0);
      throw notFound('The account does not have this secret or version.', {
        fix: 'Find its secrets with list_secrets.',
      });
    }
    return { success: true as const };
  },
});

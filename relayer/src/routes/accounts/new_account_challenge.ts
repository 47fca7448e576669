import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';

export const newAccountChallenge = defineRoute({
  method: 'GET',
  path: `${prefix}/new_account_challenge`,
  tag: 'accounts',
  summary: 'Returns a proof-of-work challenge for new_account',
  description:
    'Find the `number` from 0 to `maxnumber` for which the hex of SHA-256 of `salt` followed by its decimal text is ' +
    '`challenge`. Send base64 of the JSON `{algorithm, challenge, number, salt, signature}` in `X-Challenge-Solution` of ' +
    'new_account within 10 minutes, once. The ALTCHA libraries solve it. Returns 404 when the relayer uses no challenges.',
  auth: 'none',
  reply: z.object({
    algorithm: z.string(),
    challenge: z.string(),
    maxnumber: z.int().optional(),
    salt: z.string(),
    signature: z.string(),
  }),
  errors: ['not_found', 'service_unavailable'],
  handle: ({ newAccounts }: Pick<Context, 'newAccounts'>) => newAccounts.challenge(),
});

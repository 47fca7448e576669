import { address, hash, notFound } from '@latchkey/http';
import { z } from 'zod';
import { accountNotAccepted } from '../../auth/acceptance.ts';
import { findKey, type KeyLookup } from '../../auth/find-key.ts';
import { defineRoute, prefix } from '../define-route.ts';

export const accountAdmin = defineRoute({
  method: 'GET',
  path: `${prefix}/account_admin`,
  tag: 'accounts',
  summary: 'Returns the admin wallet of an account',
  description:
    'Public information on the chain. While an account is `managed`, its account key administers it and the admin wallet has no rights. ' +
    'Returns 403 for an account that was transferred to a wallet that has not accepted it.',
  auth: 'none',
  // The trigger service asks before each request of a session. Hashes that are unknown have a limit per address.
  unpaced: true,
  query: z.object({
    account: hash.meta({
      description: 'Master hash, or wallet identity of an admin wallet: 0x and 64 hex digits.',
    }),
  }),
  reply: z.object({
    account: hash.meta({ description: 'Master hash.' }),
    admin_wallet_address: address,
    managed: z.boolean(),
  }),
  errors: ['forbidden', 'not_found', 'service_unavailable', 'too_many_requests'],
  handle: async (context: KeyLookup, { query, ip, minBlock = 0n }) => {
    const known = await findKey(context, { hash: query.account, minBlock, ip });
    if (known?.isUsageKey) throw notFound('No account has this hash.');
    const unaccepted = await context.keyRegistry.findUnaccepted(query.account, known?.minBlock ?? minBlock);
    if (unaccepted !== undefined) throw accountNotAccepted(unaccepted);
    if (!known) throw notFound('No account has this hash.');
    return { account: known.account, admin_wallet_address: known.adminWallet, managed: known.managed };
  },
});

import { address, hash, notFound } from '@latchkey/http';
import { z } from 'zod';
import { findKey, type KeyLookup } from '../../auth/find-key.ts';
import { defineRoute, prefix } from '../define-route.ts';

export const accountAdmin = defineRoute({
  method: 'GET',
  path: `${prefix}/account_admin`,
  tag: 'accounts',
  summary: 'Returns the admin wallet of an account',
  description:
    'Public information on the chain. While an account is `managed`, its account key administers it and the admin wallet has no rights.',
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
  errors: ['not_found', 'service_unavailable', 'too_many_requests'],
  handle: async (context: KeyLookup, { query, ip, minBlock = 0n }) => {
    const known = await findKey(context, { hash: query.account, minBlock, ip });
    if (!known || known.isUsageKey) throw notFound('No account has this hash.');
    return { account: known.account, admin_wallet_address: known.adminWallet, managed: known.managed };
  },
});

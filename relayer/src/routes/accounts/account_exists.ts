import { z } from 'zod';
import { findKey } from '../../auth/find-key.ts';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';

/** SPEC-GAP (D-13): an unknown key gives `false` here and 401 in all other routes. */
export const accountExists = defineRoute({
  method: 'GET',
  path: `${prefix}/account_exists`,
  tag: 'accounts',
  summary: 'Returns whether the key belongs to an account',
  auth: 'anyKeyText',
  reply: z.boolean(),
  errors: ['service_unavailable'],
  handle: async (
    context: Pick<Context, 'keyRegistry' | 'unknownKeyLimit'>,
    { caller: { hash, minBlock }, ip },
  ) => (await findKey(context, { hash, minBlock, ip })) !== undefined,
});

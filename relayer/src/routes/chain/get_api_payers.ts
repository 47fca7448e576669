import { address } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';

export const getApiPayers = defineRoute({
  method: 'GET',
  path: `${prefix}/get_api_payers`,
  tag: 'chain',
  summary: 'Returns the addresses that can write to managed accounts',
  auth: 'none',
  reply: z.array(address),
  errors: ['service_unavailable'],
  handle: async ({ accountConfig }: Pick<Context, 'accountConfig'>, { minBlock }) => [
    ...(await accountConfig.read('api_payers', [], minBlock)),
  ],
});

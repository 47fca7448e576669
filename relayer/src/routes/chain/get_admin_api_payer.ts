import { address } from '@latchkey/http';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';

export const getAdminApiPayer = defineRoute({
  method: 'GET',
  path: `${prefix}/get_admin_api_payer`,
  tag: 'chain',
  summary: 'Returns the address of the admin payer',
  auth: 'none',
  reply: address,
  errors: ['service_unavailable'],
  handle: ({ accountConfig }: Pick<Context, 'accountConfig'>, { minBlock }) =>
    accountConfig.read('adminApiPayerAccount', [], minBlock),
});

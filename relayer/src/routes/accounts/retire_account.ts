import { badRequest, hash } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';

export const retireAccount = defineWrite({
  path: 'retire_account',
  tag: 'accounts',
  summary: 'Ends the account, permanently',
  description:
    'The account key and all usage keys are refused from the next request on, and the keys of its wallets are never released again. ' +
    'Remaining credit can no longer be spent.',
  auth: 'accountKey',
  body: z.strictObject({
    api_key_hash: hash.meta({ description: 'The master hash of the account, as a confirmation.' }),
  }),
  namesNothing: true,
  example: { api_key_hash: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1' },
  before: async (_context: unknown, { body, caller }) => {
    if (body.api_key_hash !== caller.account)
      throw badRequest('api_key_hash: not the master hash of this account', {
        fix: 'Send the hash of the first account key of this account. AccountCreated on the chain has it.',
      });
  },
  function: 'retireAccount',
  args: (key) => [key],
});

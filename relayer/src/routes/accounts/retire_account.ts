import { badRequest, hash } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineWrite } from '../define-write.ts';
import { consentTo } from './consented-write.ts';

export const retireAccount = defineWrite({
  path: 'retire_account',
  tag: 'accounts',
  summary: 'Ends the account, permanently',
  description:
    'The account key and all usage keys are refused from the next request on, and the keys of its wallets are never released again. ' +
    'Remaining credit can no longer be spent. The relayer signs the consent of the account key, which it does not store.',
  auth: 'consentingKey',
  body: z.strictObject({
    api_key_hash: hash.meta({ description: 'The master hash of the account, as a confirmation.' }),
  }),
  namesNothing: true,
  example: { api_key_hash: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1' },
  before: async (context: Pick<Context, 'requestSeeds'>, input) => {
    if (input.body.api_key_hash !== input.caller.account)
      throw badRequest('api_key_hash: not the master hash of this account', {
        fix: 'Send the hash of the first account key of this account. AccountCreated on the chain has it.',
      });
    return consentTo(context, input, 'RetireManagedAccount', {});
  },
  function: 'retireManagedAccount',
  args: (key, _body, { deadline, consent }) => [key, deadline, consent],
});

import { newKeyHash } from '@latchkey/http';
import { z } from 'zod';
import { defineWrite } from '../define-write.ts';
import { keyIsTaken } from '../fresh-keys.ts';

export const rotateAccountKey = defineWrite({
  path: 'rotate_account_key',
  tag: 'accounts',
  summary: 'Replaces the account key',
  description:
    'Everything of the account stays: groups, actions, wallets, usage keys and credit. The old key is refused from the next request on ' +
    'and can never be used again. The caller makes the new key, so that a lost reply loses no account: when a retry is 401, use the new key. ' +
    'Sessions and agents of the trigger service end: log in with the new key and pair the agents again.',
  auth: 'accountKey',
  body: z.object({ new_api_key: newKeyHash }),
  namesNothing: true,
  example: { new_api_key: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1' },
  function: 'rotateAccountKey',
  args: (key, body) => [key, body.new_api_key],
  refusal: ({ errorName }) => (errorName === 'AccountAlreadyExists' ? keyIsTaken('new_api_key') : undefined),
});

import { address, newKeyHash, wireCodec } from '@latchkey/http';
import { parseAddress } from '@latchkey/protocol';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineWrite } from '../define-write.ts';
import { keyIsTaken } from '../fresh-keys.ts';
import { consentTo } from './consented-write.ts';

const addressOfNewKey =
  'the secp256k1 address of the 32 bytes of the new key, as accountWalletAddress of @latchkey/protocol computes it';

const newWalletAddress = wireCodec(
  z.string(`required: ${addressOfNewKey}`).meta({ pattern: '^0x[0-9a-fA-F]{40}$' }),
  address.out,
  'expected an address in one case or with its EIP-55 checksum',
  parseAddress,
  (wallet) => wallet,
).meta({ description: `The address of the new key: ${addressOfNewKey}.` });

export const rotateAccountKey = defineWrite({
  path: 'rotate_account_key',
  tag: 'accounts',
  summary: 'Replaces the account key',
  description:
    'Everything of the account stays: groups, actions, wallets, usage keys and credit. The old key is refused from the next request on ' +
    'and can never be used again. The caller makes the new key, so that a lost reply loses no account: when a retry is 401, use the new key. ' +
    'The relayer signs the consent of the old key, which it does not store; the address of the new key must sign the next one. ' +
    'Sessions and agents of the trigger service end: log in with the new key and pair the agents again. Webhooks, the alert webhook of triggers ' +
    'and the automatic top-up are disabled, because a thief of the old key could have set them: check them and set them again.',
  auth: 'consentingKey',
  body: z.object({
    new_api_key: newKeyHash,
    new_wallet_address: newWalletAddress,
  }),
  namesNothing: true,
  example: {
    new_api_key: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
    new_wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  },
  before: (context: Pick<Context, 'requestSeeds'>, input) => {
    const { new_api_key: newApiKeyHash, new_wallet_address: newAdminWalletAddress } = input.body;
    return consentTo(context, input, 'RotateAccountKey', { newApiKeyHash, newAdminWalletAddress });
  },
  function: 'rotateAccountKey',
  args: (key, body, { deadline, consent }) => [
    key,
    body.new_api_key,
    body.new_wallet_address,
    deadline,
    consent,
  ],
  refusal: ({ errorName }) => (errorName === 'AccountAlreadyExists' ? keyIsTaken('new_api_key') : undefined),
});

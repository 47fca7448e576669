import { address, badRequest, conflict, notFound, tooManyRequests } from '@latchkey/http';
import { MAX_SECRET_BYTES, SECRET_OVERHEAD_BYTES } from '@latchkey/protocol';
import { type Hex, isAddressEqual } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { MAX_SECRET_VERSIONS, MAX_SECRETS, type SetResult, setSecret as store } from '../../db/secrets.ts';
import { hashText } from '../../db/text.ts';
import { defineRoute, prefix, success } from '../define-route.ts';
import { secretName, secretVersion } from './fields.ts';

const MAX_BYTES = MAX_SECRET_BYTES + SECRET_OVERHEAD_BYTES;
/** How far the clock of a client may be ahead. */
const MAX_SKEW_MS = 60_000;

const refusals: Record<Exclude<SetResult, 'set' | 'busy'>, { message: string; fix: string }> = {
  older: {
    message: 'The secret has this version or a newer one.',
    fix: 'Encrypt the value again, with the current time as version.',
  },
  'too many secrets': {
    message: `The account has ${MAX_SECRETS} secrets.`,
    fix: 'Delete one with delete_secret.',
  },
  'too many versions': {
    message: `The secret has ${MAX_SECRET_VERSIONS} versions.`,
    fix: 'Delete an old one with delete_secret.',
  },
};

export const setSecret = defineRoute({
  method: 'POST',
  path: `${prefix}/set_secret`,
  tag: 'secrets',
  summary: 'Stores a new version of a secret',
  description:
    'The client has encrypted the value to the public key of a wallet of the account, as `encryptSecret` and `setSecret` of the SDK do: the relayer ' +
    'cannot read it, and no endpoint returns it. Runs that may use the wallet get it by `Svc.Actions.getSecret`. Earlier versions stay until ' +
    'they are deleted. Repeating the request is a success.',
  auth: 'accountKeyOrWallet',
  body: z.strictObject({
    name: secretName,
    version: secretVersion,
    wallet_address: address,
    wallet_public_key: z
      .string()
      .regex(/^0x04[0-9a-f]{128}$/i, 'expected 0x04 and 128 hex digits')
      .optional()
      .meta({
        description:
          'Uncompressed public key of the wallet. `list_secrets` returns it, so that another client can encrypt the next version.',
      }),
    ciphertext: z
      .base64()
      .max(4 * Math.ceil(MAX_BYTES / 3))
      .meta({
        description: `Base64 of the compressed public key of a key that was used once (33 bytes), the encrypted value (at most ${MAX_SECRET_BYTES}), and the tag (16).`,
      }),
  }),
  bodyLimitBytes: 96 * 1_024,
  reply: success,
  errors: ['bad_request', 'forbidden', 'not_found', 'conflict', 'too_many_requests', 'service_unavailable'],
  example: {
    body: {
      name: 'WEATHER_API_KEY',
      version: 1_767_225_600_000,
      wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      ciphertext: Buffer.alloc(SECRET_OVERHEAD_BYTES + 1, 2).toString('base64'),
    },
    reply: { success: true },
  },
  handle: async (
    { accountConfig, db, secretLimit }: Pick<Context, 'accountConfig' | 'db' | 'secretLimit'>,
    { body: { name, version, wallet_address: wallet, wallet_public_key, ciphertext: text }, caller },
  ) => {
    const ciphertext = Buffer.from(text, 'base64');
    if (ciphertext.length <= SECRET_OVERHEAD_BYTES || ciphertext.length > MAX_BYTES)
      throw badRequest(`ciphertext: expected a value of 1 to ${MAX_SECRET_BYTES} bytes`);
    const walletPublicKey = wallet_public_key?.toLowerCase();
    if (walletPublicKey && !isAddressEqual(publicKeyToAddress(walletPublicKey as Hex), wallet))
      throw badRequest('wallet_public_key: expected the public key of wallet_address, or no key');
    if (version > Date.now() + MAX_SKEW_MS)
      throw badRequest('version: is in the future: compare the clock of the client');
    const path = await accountConfig.read('getWalletDerivation', [caller.hash, wallet], caller.minBlock);
    if (path === 0n)
      throw notFound('The account does not have this wallet.', {
        fix: 'Find its wallets with list_wallets.',
      });
    const account = hashText(caller.account);
    const taken = await secretLimit.take(account);
    const result = await store(db, {
      account,
      name,
      version,
      wallet,
      walletPublicKey,
      ciphertext,
      caller: hashText(caller.hash),
    });
    // Nothing is recorded.
    if (result !== 'set') taken.settle(0);
    if (result === 'busy')
      throw tooManyRequests(
        'Another request changes the secrets of this account. Retry when it has ended.',
        1,
      );
    if (result !== 'set') throw conflict(refusals[result].message, { fix: refusals[result].fix });
    return { success: true as const };
  },
});

import { MinedRevertError } from '@latchkey/chain/errors';
import { address, description, name } from '@latchkey/http';
import { accountWalletAddress } from '@latchkey/protocol';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { reportWrite, writeReplyHeaders } from '../define-write.ts';
import { makeKey, withFreshKey } from '../fresh-keys.ts';
import { challengeHeaders, openAccount } from './open-account.ts';

export const newAccount = defineRoute({
  method: 'POST',
  path: `${prefix}/new_account`,
  tag: 'accounts',
  summary: 'Creates a managed account',
  description:
    'The reply contains the account key, which is shown once and cannot be recovered. A repeated request from the same address with ' +
    'the same `Idempotency-Key` returns the same reply, so this key must be random: a UUID, or at least 22 characters of ' +
    'A-Z a-z 0-9 - _. While many accounts are being created, the reply is 429 until a challenge of new_account_challenge is solved.',
  auth: 'none',
  secretIdempotencyKey: true,
  headers: challengeHeaders,
  body: z.object({
    account_name: name,
    account_description: description,
    email: z.string().max(320).optional().meta({ description: 'Accepted and not stored.' }),
  }),
  reply: z.object({ api_key: z.string(), wallet_address: address }),
  replyHeaders: writeReplyHeaders,
  errors: ['conflict', 'service_unavailable', 'too_many_requests'],
  example: {
    body: { account_name: 'first', account_description: 'My first account' },
    reply: {
      api_key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
      wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    },
  },
  handle: async (
    context: Pick<Context, 'accountConfig' | 'requestSeeds' | 'newAccounts' | 'giveStarterCredit' | 'log'>,
    { body, headers, ip, requestId, idempotencyId, setHeader, log },
  ) => {
    const { accountConfig, requestSeeds } = context;
    let revertedGas = 0n;
    const { key, wallet, ...written } = await openAccount(context, {
      ip,
      headers,
      requestId: idempotencyId ?? requestId,
      write: () =>
        withFreshKey(requestSeeds, idempotencyId, async (id) => {
          const { key, hash: account } = await makeKey(requestSeeds, id);
          const wallet = accountWalletAddress(key);
          const { account_name, account_description } = body;
          const written = await accountConfig
            .write('newAccount', [account, true, account_name, account_description, wallet], {
              account,
              idempotencyId: id,
              paidBy: undefined,
            })
            .catch((thrown: unknown) => {
              if (thrown instanceof MinedRevertError) revertedGas += thrown.gasUsed;
              throw thrown;
            });
          return { ...written, gasUsed: written.gasUsed + revertedGas, key, account, wallet };
        }),
    });
    reportWrite({ setHeader, log }, written);
    return { api_key: key, wallet_address: wallet };
  },
});

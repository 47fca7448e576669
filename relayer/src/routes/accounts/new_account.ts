import { address, description, name } from '@latchkey/http';
import { accountWalletAddress, apiKeyFromBytes, apiKeyHash } from '@latchkey/protocol';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix, writeReplyHeaders } from '../define-route.ts';

export const newAccount = defineRoute({
  method: 'POST',
  path: `${prefix}/new_account`,
  tag: 'accounts',
  summary: 'Opens a managed account',
  description:
    'The reply holds the account key once; a lost key means a new account. Whoever repeats the ' +
    'request from the same address with its `Idempotency-Key` gets the same reply: make that key a random one, a UUID for example.',
  auth: 'none',
  body: z.object({
    account_name: name,
    account_description: description,
    email: z.string().max(320).optional().meta({ description: 'Accepted and not kept.' }),
  }),
  reply: z.object({ api_key: z.string(), wallet_address: address }),
  replyHeaders: writeReplyHeaders,
  errors: ['conflict', 'service_unavailable', 'too_many_requests'],
  handle: async (
    {
      accountConfig,
      requestSeeds,
      newAccountLimit,
      giveStarterCredit,
    }: Pick<Context, 'accountConfig' | 'requestSeeds' | 'newAccountLimit' | 'giveStarterCredit'>,
    { body, ip, idempotencyId, setHeader },
  ) => {
    await newAccountLimit(ip);
    const key = apiKeyFromBytes(await requestSeeds.seedOf(idempotencyId));
    const account = apiKeyHash(key);
    const wallet = accountWalletAddress(key);
    const { blockNumber } = await accountConfig.write(
      'newAccount',
      [account, true, body.account_name, body.account_description, wallet],
      { account, idempotencyId, paidBy: undefined },
    );
    await giveStarterCredit(account);
    setHeader('X-Block-Number', blockNumber);
    return { api_key: key, wallet_address: wallet };
  },
});

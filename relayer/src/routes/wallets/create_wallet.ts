import { address } from '@latchkey/http';
import { privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import type { Caller } from '../../auth/authenticators.ts';
import type { Context } from '../../context.ts';
import { mintPath } from '../../keys/derivation-path.ts';
import {
  defineRoute,
  optionalDescription,
  optionalName,
  prefix,
  writeErrors,
  writeReplyHeaders,
} from '../define-route.ts';

const labels = z.object({ name: optionalName, description: optionalDescription });
const shared = {
  path: `${prefix}/create_wallet`,
  tag: 'wallets',
  summary: 'Makes a wallet and registers it in the account',
  auth: 'key',
  price: 'admin_write',
  reply: z.object({ wallet_address: address }),
  replyHeaders: writeReplyHeaders,
  errors: writeErrors,
} as const;
type Slice = Pick<Context, 'accountConfig' | 'requestSeeds' | 'keyProvider'>;

async function createWalletOf(
  { accountConfig, requestSeeds, keyProvider }: Slice,
  caller: Caller,
  { name, description }: z.output<typeof labels>,
  idempotencyId: string | undefined,
) {
  const path = mintPath(await requestSeeds.seedOf(idempotencyId));
  const wallet = privateKeyToAddress(await keyProvider.derive(path));
  const { blockNumber } = await accountConfig.write(
    'registerWalletDerivation',
    [caller.hash, wallet, path, name, description],
    { account: caller.account, idempotencyId, paidBy: { key: caller.hash, reason: 'create_wallet' } },
  );
  return { wallet, blockNumber };
}

export const createWallet = defineRoute({
  ...shared,
  method: 'POST',
  body: labels,
  example: {
    body: { name: 'signer', description: 'Signs messages' },
    reply: { wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' },
  },
  handle: async (context: Slice, { body, caller, idempotencyId, setHeader }) => {
    const { wallet, blockNumber } = await createWalletOf(context, caller, body, idempotencyId);
    setHeader('X-Block-Number', blockNumber);
    return { wallet_address: wallet };
  },
});

export const createWalletByGet = defineRoute({
  ...shared,
  method: 'GET',
  deprecated: true,
  query: labels,
  handle: async (context: Slice, { query, caller, setHeader }) => {
    const { wallet, blockNumber } = await createWalletOf(context, caller, query, undefined);
    setHeader('X-Block-Number', blockNumber);
    return { wallet_address: wallet };
  },
});

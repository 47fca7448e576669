import { address } from '@latchkey/http';
import { getAddress } from 'viem';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { mintPath } from '../../keys/derivation-path.ts';
import { defineRoute, optionalDescription, optionalName } from '../define-route.ts';
import { defineWrite } from '../define-write.ts';

const labels = z.object({ name: optionalName, description: optionalDescription });

export const createWallet = defineWrite({
  path: 'create_wallet',
  tag: 'wallets',
  summary: 'Creates a wallet and registers it in the account',
  auth: 'key',
  body: labels,
  namesNothing: true,
  example: { name: 'signer', description: 'Signs messages' },
  before: async ({ requestSeeds, mints }: Pick<Context, 'requestSeeds' | 'mints'>, { idempotencyId }) => {
    const path = mintPath(await requestSeeds.seedFor(idempotencyId));
    // The key nodes make no wallet at a path that is registered, which it is when a retry follows a crash.
    const wallet = await requestSeeds.once(idempotencyId, () => mints.wallet(path));
    return { path, wallet: getAddress(wallet) };
  },
  function: 'registerWalletDerivation',
  args: (key, { name, description }, { wallet, path }) => [key, wallet, path, name, description],
  reply: {
    schema: z.object({ wallet_address: address }),
    example: { wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' },
    from: (_written, { made }) => ({ wallet_address: made.wallet }),
  },
});

const { body: _, example: __, handle, ...shared } = createWallet;

export const createWalletByGet = defineRoute({
  ...shared,
  method: 'GET',
  deprecated: true,
  query: labels,
  handle: (context: Parameters<typeof handle>[0], { query: body, caller, idempotencyId, setHeader }) =>
    handle(context, { body, caller, idempotencyId, setHeader }),
});

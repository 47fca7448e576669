import { zeroAddress } from 'viem';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { mintPath } from '../../keys/derivation-path.ts';
import { readMintedWallet } from '../../keys/mints.ts';
import { defineRoute, exportable, optionalDescription, optionalName } from '../define-route.ts';
import { defineWrite } from '../define-write.ts';
import { mintedWalletExample, mintedWalletReply, toMintedWalletReply } from './minted-wallet.ts';

const labels = z.object({ name: optionalName, description: optionalDescription, exportable });
const query = labels.extend({
  exportable: z.enum(['true', 'false']).default('true').meta({ description: exportable.description }),
});

export const createWallet = defineWrite({
  path: 'create_wallet',
  tag: 'wallets',
  summary: 'Creates a wallet and registers it in the account',
  auth: 'mintingKey',
  body: labels,
  namesNothing: true,
  example: { name: 'signer', description: 'Signs messages', exportable: false },
  before: async (
    { requestSeeds, mints }: Pick<Context, 'requestSeeds' | 'mints'>,
    { idempotencyId, body: { exportable } },
  ) => {
    const path = mintPath(await requestSeeds.seedFor(idempotencyId), zeroAddress, exportable);
    // The key nodes make no wallet at a path that is registered, which it is when a retry follows a crash.
    const mint = async () => JSON.stringify(await mints.wallet(path));
    return { path, ...readMintedWallet(await requestSeeds.once(idempotencyId, mint)) };
  },
  function: 'registerWalletDerivation',
  args: (key, { name, description }, { address, path }) => [key, address, path, name, description],
  reply: {
    schema: mintedWalletReply,
    example: mintedWalletExample,
    from: (_written, { made }) => toMintedWalletReply(made, made.path),
  },
});

const { body: _, example: __, handle, ...shared } = createWallet;

export const createWalletByGet = defineRoute({
  ...shared,
  method: 'GET',
  deprecated: true,
  query,
  handle: (context: Parameters<typeof handle>[0], { query, caller, idempotencyId, setHeader, log, charge }) =>
    handle(context, {
      body: { ...query, exportable: query.exportable === 'true' },
      caller,
      idempotencyId,
      setHeader,
      log,
      charge,
    }),
});

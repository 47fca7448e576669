import { z } from 'zod';
import { requireNoUnaccepted } from '../../auth/acceptance.ts';
import type { Context } from '../../context.ts';
import { mintPath } from '../../keys/derivation-path.ts';
import {
  defineRoute,
  exampleEnvelope,
  exampleSignature,
  exportable,
  prefix,
  walletProof,
  walletProofBodyLimitBytes,
} from '../define-route.ts';
import { mintedWalletExample, mintedWalletReply, toMintedWalletReply } from './minted-wallet.ts';

export const createWalletWithSignature = defineRoute({
  method: 'POST',
  path: `${prefix}/create_wallet_with_signature`,
  tag: 'wallets',
  summary: 'Mints a wallet for the admin wallet of a ChainSecured account',
  description:
    'The typed data has the primary type CreateWallet. The new wallet belongs to no account until the admin wallet calls ' +
    'registerWalletDerivation on the contract; no other caller can register its derivation path. exportable is not part of the typed data: ' +
    'the derivation path of the reply shows it.',
  auth: 'none',
  body: z.strictObject({ ...walletProof, exportable }),
  bodyLimitBytes: walletProofBodyLimitBytes,
  reply: mintedWalletReply,
  errors: ['forbidden', 'too_many_requests', 'service_unavailable'],
  example: {
    body: { typed_data: exampleEnvelope('CreateWallet'), signature: exampleSignature, exportable: true },
    reply: {
      ...mintedWalletExample,
      derivation_path: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266a3f1c9d27b64e80d5f92c1ab',
    },
  },
  handle: async (
    {
      verifyWallet,
      keyRegistry,
      signedMintLimit,
      requestSeeds,
      mints,
    }: Pick<Context, 'verifyWallet' | 'keyRegistry' | 'signedMintLimit' | 'requestSeeds' | 'mints'>,
    { body, ip, idempotencyId },
  ) => {
    await signedMintLimit.take(ip);
    const admin = await verifyWallet(body, 'CreateWallet');
    await signedMintLimit.take(admin);
    await requireNoUnaccepted(keyRegistry, admin);
    const path = mintPath(await requestSeeds.seedFor(idempotencyId), admin, body.exportable);
    return toMintedWalletReply(await mints.wallet(path), path);
  },
});

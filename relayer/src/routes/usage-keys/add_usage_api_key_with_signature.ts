import { address, derivationPath } from '@latchkey/http';
import { accountWalletAddress, apiKeyFromBytes } from '@latchkey/protocol';
import { hexToBytes } from 'viem';
import { z } from 'zod';
import { requireNoUnaccepted } from '../../auth/acceptance.ts';
import type { Context } from '../../context.ts';
import { mintPath } from '../../keys/derivation-path.ts';
import {
  defineRoute,
  exampleEnvelope,
  exampleSignature,
  prefix,
  walletProof,
  walletProofBodyLimitBytes,
} from '../define-route.ts';

export const addUsageApiKeyWithSignature = defineRoute({
  method: 'POST',
  path: `${prefix}/add_usage_api_key_with_signature`,
  tag: 'usage-keys',
  summary: 'Mints a usage key for the admin wallet of a ChainSecured account',
  description:
    'The typed data has the primary type AddUsageApiKey. The reply contains the key, which is shown once. The key has no effect until the admin wallet ' +
    'calls registerWalletDerivation (with the address of the key, which signs for no account) and setUsageApiKey on the contract.',
  auth: 'none',
  body: z.strictObject(walletProof),
  bodyLimitBytes: walletProofBodyLimitBytes,
  reply: z.object({ usage_api_key: z.string(), wallet_address: address, derivation_path: derivationPath }),
  errors: ['forbidden', 'too_many_requests', 'service_unavailable'],
  example: {
    body: { typed_data: exampleEnvelope('AddUsageApiKey'), signature: exampleSignature },
    reply: {
      usage_api_key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
      wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
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
    const admin = await verifyWallet(body, 'AddUsageApiKey');
    await signedMintLimit.take(admin);
    await requireNoUnaccepted(keyRegistry, admin);
    const path = mintPath(await requestSeeds.seedFor(idempotencyId), admin);
    const key = apiKeyFromBytes(hexToBytes(await mints.usageKey(path)));
    return { usage_api_key: key, wallet_address: accountWalletAddress(key), derivation_path: path };
  },
});

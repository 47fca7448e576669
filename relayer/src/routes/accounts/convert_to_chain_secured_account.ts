import { address, hash } from '@latchkey/http';
import { z } from 'zod';
import { WalletProofError } from '../../auth/wallet-proof.ts';
import type { Context } from '../../context.ts';
import {
  exampleEnvelope,
  exampleSignature,
  success,
  walletProof,
  walletProofBodyLimitBytes,
} from '../define-route.ts';
import { defineWrite } from '../define-write.ts';
import { consentTo } from './consented-write.ts';

export const convertToChainSecuredAccount = defineWrite({
  path: 'convert_to_chain_secured_account',
  tag: 'accounts',
  summary: 'Converts a managed account to ChainSecured, permanently',
  description:
    'The typed data has the primary type ConvertAccount and the address of the new admin wallet. The account keeps its contents ' +
    'and its usage keys; the account key can no longer write. The conversion cannot be reversed. The relayer signs the consent of the ' +
    'account key, which it does not store.',
  auth: 'consentingKey',
  body: z.strictObject({ new_admin_wallet_address: address, ...walletProof }),
  bodyLimitBytes: walletProofBodyLimitBytes,
  namesNothing: true,
  example: {
    new_admin_wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    typed_data: exampleEnvelope('ConvertAccount'),
    signature: exampleSignature,
  },
  before: async (context: Pick<Context, 'verifyWallet' | 'requestSeeds'>, input) => {
    const { new_admin_wallet_address: wallet, ...proof } = input.body;
    if ((await context.verifyWallet(proof, 'ConvertAccount')) !== wallet)
      throw new WalletProofError('signature');
    return consentTo(context, input, 'ConvertToChainSecuredAccount', { newAdminWalletAddress: wallet });
  },
  function: 'convertWithConsent',
  args: (key, body, { deadline, consent }) => [key, body.new_admin_wallet_address, deadline, consent],
  reply: {
    schema: success.extend({
      wallet_address: address.meta({ description: 'The new admin wallet.' }),
      api_key_hash: hash.meta({ description: 'The master hash, which does not change.' }),
      transaction_hash: z.string(),
    }),
    example: {
      success: true,
      wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      api_key_hash: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
      transaction_hash: '0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5',
    },
    from: ({ transactionHash }, { body, caller }) => ({
      success: true as const,
      wallet_address: body.new_admin_wallet_address,
      api_key_hash: caller.account,
      transaction_hash: transactionHash,
    }),
  },
});

import { address, hash } from '@latchkey/http';
import { z } from 'zod';
import { WalletProofError } from '../../auth/wallet-proof.ts';
import type { Context } from '../../context.ts';
import {
  defineRoute,
  exampleEnvelope,
  exampleSignature,
  prefix,
  walletProof,
  walletProofBodyLimitBytes,
  writeErrors,
  writeReplyHeaders,
} from '../define-route.ts';

export const convertToChainSecuredAccount = defineRoute({
  method: 'POST',
  path: `${prefix}/convert_to_chain_secured_account`,
  tag: 'accounts',
  summary: 'Hands the managed account to a wallet for ever',
  description:
    'The typed data has the primary type ConvertAccount and the address of the new admin wallet. Everything in the account is ' +
    'kept and its usage keys go on; the account key writes no more, and there is no way back.',
  auth: 'accountKey',
  price: 'admin_write',
  body: z.strictObject({ new_admin_wallet_address: address, ...walletProof }),
  bodyLimitBytes: walletProofBodyLimitBytes,
  reply: z.object({
    success: z.literal(true),
    wallet_address: address.meta({ description: 'The new admin wallet.' }),
    api_key_hash: hash.meta({ description: 'The master hash, as it was before.' }),
    transaction_hash: z.string(),
  }),
  replyHeaders: writeReplyHeaders,
  errors: writeErrors,
  example: {
    body: {
      new_admin_wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      typed_data: exampleEnvelope('ConvertAccount'),
      signature: exampleSignature,
    },
    reply: {
      success: true,
      wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      api_key_hash: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
      transaction_hash: '0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5',
    },
  },
  handle: async (
    { verifyWallet, accountConfig }: Pick<Context, 'verifyWallet' | 'accountConfig'>,
    { body, caller: { hash: key, account }, idempotencyId, setHeader },
  ) => {
    const { new_admin_wallet_address: wallet, ...proof } = body;
    if ((await verifyWallet(proof, 'ConvertAccount')) !== wallet) throw new WalletProofError('signature');
    const { blockNumber, transactionHash } = await accountConfig.write(
      'convertToChainSecuredAccount',
      [key, wallet],
      { account, idempotencyId, paidBy: { key, reason: 'convert_to_chain_secured_account' } },
    );
    setHeader('X-Block-Number', blockNumber);
    return {
      success: true as const,
      wallet_address: wallet,
      api_key_hash: account,
      transaction_hash: transactionHash,
    };
  },
});

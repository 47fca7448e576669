import { address, hash, hexBytes, unixSeconds } from '@latchkey/http';
import { z } from 'zod';
import type { WriteOptions } from '../../chain/account-config.ts';
import type { Context } from '../../context.ts';
import {
  countReverts,
  executedOnce,
  findPayingAccount,
  opensAccount,
  verifySignature,
} from '../../signed-writes.ts';
import { defineRoute, exampleSignature, prefix, success } from '../define-route.ts';
import { reportWrite, writeReplyHeaders } from '../define-write.ts';
import { challengeHeaders, openAccount } from './open-account.ts';

/** 16 calls with the longest labels and lists. */
const BODY_LIMIT_BYTES = 512 * 1024;
const MAX_CALLS = 16;

type Slice = Pick<
  Context,
  | 'accountConfig'
  | 'findExecutedWrites'
  | 'giveStarterCredit'
  | 'log'
  | 'newAccounts'
  | 'unexplainedRevertLimit'
  | 'unknownKeyLimit'
>;

export const submitSignedWrite = defineRoute({
  method: 'POST',
  path: `${prefix}/submit_signed_write`,
  tag: 'accounts',
  summary: 'Submits writes that the admin wallet of a ChainSecured account signed',
  description:
    'A payer sends `executeSigned` of the contract and pays the gas; the account pays the price of a write for each call. The typed data is ' +
    'described in docs/chain-secured.md. A single signed call of newChainSecuredAccount opens the account of a wallet; it is free and ' +
    'limited like new_account. The same signed writes are executed once, whoever submits them: when they were executed before, the reply has ' +
    'the block and the transaction that did it.',
  auth: 'none',
  price: 'admin_write',
  headers: challengeHeaders,
  body: z.strictObject({
    api_key_hash: hash.meta({
      description: "The account as in the calls: its master hash, or its admin wallet's identity.",
    }),
    signer: address.meta({
      description:
        'The wallet that signed: the admin wallet, or the wallet that transferred the account, for cancelTransfer.',
    }),
    calls: z
      .array(hexBytes)
      .min(1)
      .max(MAX_CALLS)
      .meta({ description: 'Calldata of functions of the contract, in the order of execution.' }),
    nonce: hash.meta({ description: 'The signed nonce: any number that the account did not use before.' }),
    deadline: unixSeconds.meta({ description: 'The signed deadline: the last Unix second of validity.' }),
    signature: hexBytes.meta({
      description: 'ECDSA or ERC-1271 signature of the typed data, at most 4,096 bytes.',
    }),
  }),
  bodyLimitBytes: BODY_LIMIT_BYTES,
  reply: success.extend({ transaction_hash: z.string() }),
  replyHeaders: writeReplyHeaders,
  errors: [
    'forbidden',
    'conflict',
    'not_found',
    'service_unavailable',
    'too_many_requests',
    'payment_required',
  ],
  example: {
    body: {
      api_key_hash: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
      signer: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      calls: [`0x${'00'.repeat(68)}`],
      nonce: `0x${'00'.repeat(31)}01`,
      deadline: '1893456000',
      signature: exampleSignature,
    },
    reply: {
      success: true,
      transaction_hash: '0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5',
    },
  },
  handle: async (context: Slice, { body, headers, ip, setHeader, log }) => {
    const { api_key_hash: hash, ...signed } = body;
    const write = { hash, ...signed };
    const { signer, calls, nonce, deadline } = write;
    const isOpening = opensAccount(write);
    const { digest, accepted, isContract } = await verifySignature(context, write, ip);
    // Also identifies the request to the challenge: a retry needs no other solution.
    const idempotencyId = `signed ${digest}`;
    const execute = (account: bigint, paidBy: WriteOptions['paidBy']) =>
      countReverts(context.unexplainedRevertLimit, { account, isContract }, () =>
        context.accountConfig.write('executeSigned', [hash, signer, calls, nonce, deadline, accepted], {
          account,
          idempotencyId,
          paidBy,
        }),
      );
    const open = () =>
      openAccount(context, {
        ip,
        headers,
        requestId: idempotencyId,
        write: async () => ({ ...(await execute(hash, undefined)), account: hash }),
      });
    const executed = await executedOnce(context, { signer, nonce, digest, ip }, async () => {
      if (isOpening) return open();
      const account = await findPayingAccount(context, write);
      return execute(account, { key: account, reason: 'submit_signed_write', writes: calls.length });
    });
    reportWrite({ setHeader, log }, executed);
    return { success: true as const, transaction_hash: executed.transactionHash };
  },
});

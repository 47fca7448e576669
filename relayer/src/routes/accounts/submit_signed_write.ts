import {
  badRequest,
  conflict,
  countMisses,
  hash,
  hexBytes,
  type RateLimit,
  unixSeconds,
} from '@latchkey/http';
import { accountConfigAbi, recoverSigner, signatureBytes, walletIdentity } from '@latchkey/protocol';
import { type Address, bytesToHex, getAbiItem, type Hex, toFunctionSelector } from 'viem';
import { z } from 'zod';
import type { WriteOptions } from '../../chain/account-config.ts';
import { ContractRevertError, UnexplainedRevertError } from '../../chain/errors.ts';
import type { Executed } from '../../chain/executed-writes.ts';
import type { Context } from '../../context.ts';
import { hashText } from '../../db/text.ts';
import { defineRoute, exampleSignature, prefix, success } from '../define-route.ts';
import { writeReplyHeaders } from '../define-write.ts';
import { challengeHeaders, openAccount } from './open-account.ts';

/** 16 calls with the longest labels and lists. */
const BODY_LIMIT_BYTES = 512 * 1024;
const MAX_CALLS = 16;
const OPENING = toFunctionSelector(getAbiItem({ abi: accountConfigAbi, name: 'newChainSecuredAccount' }));

type Slice = Pick<
  Context,
  | 'accountConfig'
  | 'findExecuted'
  | 'giveStarterCredit'
  | 'keyRegistry'
  | 'log'
  | 'newAccounts'
  | 'unexplainedRevertLimit'
  | 'unknownKeyLimit'
>;
type SignedWrite = { hash: bigint; calls: Hex[]; nonce: bigint; deadline: bigint; signature: Hex };

const invalidSignature = () =>
  badRequest('The signature is not that of the admin wallet.', {
    fix: 'Sign the typed data of executeSigned for this chain and contract with the admin wallet.',
  });

/**
 * The forms of a signature to ask the contract about. Hardware wallets send a v of 0 or 1 for 27 or 28; a contract
 * wallet can give it a meaning of its own.
 */
function signatureForms(sent: Uint8Array): Uint8Array[] {
  const v = sent[64] ?? 27;
  return sent.length === 65 && v < 2 ? [sent.with(64, v + 27), sent] : [sent];
}

/**
 * Resolves to the signed digest, the form of the signature that the contract accepts, and the wallet that it recovers
 * from it, if any. An invalid signature costs only calls of views, which are limited per address.
 */
async function verify(
  { accountConfig, unknownKeyLimit }: Slice,
  { hash, calls, nonce, deadline, signature }: SignedWrite,
  isOpening: boolean,
  ip: string,
): Promise<{ digest: Hex; accepted: Hex; signer: Address | undefined }> {
  // The payer pays for its bytes, and a contract wallet can accept any number of them.
  const bytes = signatureBytes(signature);
  if (!bytes) throw invalidSignature();
  let refusal: Error = invalidSignature();
  const ask = async () => {
    try {
      const digest = await accountConfig.read('hashSignedWrites', [hash, calls, nonce, deadline]);
      for (const form of signatureForms(bytes)) {
        const accepted = bytesToHex(form);
        // The contract recovers no wallet from a v of 0 or 1.
        const signer = (form[64] ?? 27) < 27 ? undefined : recoverSigner(digest, form);
        // An account that does not exist has no admin: its hash is the identity of the wallet that signed.
        const isValid = isOpening
          ? signer !== undefined && walletIdentity(signer) === hash
          : await accountConfig.read('isValidAccountSignature', [hash, digest, accepted]);
        if (isValid) return { digest, accepted, signer };
      }
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof ContractRevertError)) throw thrown;
      refusal = thrown;
      return undefined;
    }
  };
  const signed = await countMisses(unknownKeyLimit, ip, ask);
  if (!signed) throw refusal;
  return signed;
}

/**
 * Counts unexplained reverts of an account. A contract wallet causes them at will, so that each of its writes takes its
 * point in advance, which bounds concurrent ones, and gets it back when it ends otherwise.
 */
async function countReverts<T>(
  limit: RateLimit,
  { account, isContract }: { account: bigint; isContract: boolean },
  write: () => Promise<T>,
): Promise<T> {
  const key = hashText(account);
  const points = await limit.take(key, isContract ? 1 : 0);
  let isUnexplained = false;
  try {
    return await write();
  } catch (thrown) {
    isUnexplained = thrown instanceof UnexplainedRevertError;
    throw thrown;
  } finally {
    points.settle(isUnexplained ? 1 : 0);
  }
}

/**
 * Returns the reply of writes that another caller submitted first. Otherwise throws the refusal: a client that signs executed writes again,
 * with another nonce, executes them twice.
 */
async function findExecuted(
  { accountConfig, findExecuted }: Slice,
  { account, hash, nonce, digest }: { account: bigint; hash: bigint; nonce: bigint; digest: Hex },
  thrown: unknown,
): Promise<Executed> {
  if (!(thrown instanceof ContractRevertError) || thrown.revert?.errorName !== 'NonceAlreadyUsed')
    throw thrown;
  const isSame = async (...signed: [readonly Hex[], bigint, bigint]) =>
    (await accountConfig.read('hashSignedWrites', [hash, ...signed])) === digest;
  const executed = await findExecuted(account, nonce, isSame).catch(() => {
    throw conflict('The nonce was used before, by these writes or by others.', {
      fix: 'Look for SignedWritesExecuted of the account before you sign again: these writes may have been executed.',
    });
  });
  if (!executed) throw thrown;
  return executed;
}

export const submitSignedWrite = defineRoute({
  method: 'POST',
  path: `${prefix}/submit_signed_write`,
  tag: 'accounts',
  summary: 'Submits writes that the admin wallet of a ChainSecured account signed',
  description:
    'A payer sends `executeSigned` of the contract and pays the gas; the account pays the price of a write for each call. The typed data is ' +
    'described in docs/chain-secured.md. A single signed call of newChainSecuredAccount opens the account of a wallet; it is free and ' +
    'limited like new_account. The same signed writes are executed once: while the signature is valid, a repeated request returns the reply of ' +
    'the first, also when another caller submitted them to the contract; this costs nothing. After a signed transfer or retirement it returns it only with the same `Idempotency-Key`.',
  auth: 'none',
  price: 'admin_write',
  headers: challengeHeaders,
  body: z.strictObject({
    api_key_hash: hash.meta({
      description: "The account as in the calls: its master hash, or its admin wallet's identity.",
    }),
    calls: z
      .array(hexBytes)
      .min(1)
      .max(MAX_CALLS)
      .meta({ description: 'Calldata of functions of the contract, in the order of execution.' }),
    nonce: hash.meta({ description: 'The signed nonce: any number that the wallet did not use before.' }),
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
  handle: async (context: Slice, { body, headers, ip, setHeader }) => {
    const { accountConfig, keyRegistry, unexplainedRevertLimit } = context;
    const { api_key_hash: hash, calls, nonce, deadline, signature } = body;
    const isOpening = calls.some((call) => call.startsWith(OPENING));
    if (isOpening && calls.length > 1)
      throw badRequest('calls: newChainSecuredAccount must be the only call');
    const { digest, accepted, signer } = await verify(
      context,
      { hash, calls, nonce, deadline, signature },
      isOpening,
      ip,
    );
    const known = isOpening ? undefined : await keyRegistry.find(hash, 0n);
    const account = known?.account ?? hash;
    const isContract = !isOpening && signer !== known?.adminWallet;
    // Also identifies the request to the challenge: a retry needs no other solution.
    const idempotencyId = `signed ${digest}`;
    const execute = (paidBy: WriteOptions['paidBy']) =>
      countReverts(unexplainedRevertLimit, { account, isContract }, () =>
        accountConfig.write('executeSigned', [hash, calls, nonce, deadline, accepted], {
          account,
          idempotencyId,
          paidBy,
        }),
      );
    const submitted = isOpening
      ? openAccount(context, {
          ...{ ip, headers, requestId: idempotencyId },
          write: async () => ({ ...(await execute(undefined)), account }),
        })
      : execute({ key: account, reason: 'submit_signed_write', writes: calls.length });
    const { blockNumber, transactionHash } = await submitted.catch((thrown: unknown) =>
      findExecuted(context, { account, hash, nonce, digest }, thrown),
    );
    setHeader('X-Block-Number', blockNumber);
    return { success: true as const, transaction_hash: transactionHash };
  },
});

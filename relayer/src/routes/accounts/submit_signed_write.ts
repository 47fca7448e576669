import { type ContractError, ContractRevertError, UnexplainedRevertError } from '@latchkey/chain/errors';
import {
  address,
  badRequest,
  countMisses,
  HttpError,
  hash,
  hexBytes,
  type RateLimit,
  unixSeconds,
} from '@latchkey/http';
import { accountConfigAbi, recoverSigner, signatureBytes, walletIdentity } from '@latchkey/protocol';
import { type Address, bytesToHex, getAbiItem, type Hex, toFunctionSelector } from 'viem';
import { z } from 'zod';
import type { WriteOptions } from '../../chain/account-config.ts';
import type { ExecutedWrites } from '../../chain/executed-writes.ts';
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
  | 'findExecutedWrites'
  | 'giveStarterCredit'
  | 'log'
  | 'newAccounts'
  | 'unexplainedRevertLimit'
  | 'unknownKeyLimit'
>;
type SignedWrite = {
  hash: bigint;
  signer: Address;
  calls: Hex[];
  nonce: bigint;
  deadline: bigint;
  signature: Hex;
};
/** `isContract`: the contract asks the wallet (ERC-1271), because no key recovers from the signature. */
type Verified = { digest: Hex; accepted: Hex; isContract: boolean };

const invalidSignature = () =>
  badRequest('The signature is not that of the admin wallet.', {
    fix: 'Sign the typed data of executeSigned for this chain and contract with the admin wallet, and send the wallet as signer.',
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
 * Resolves to the signed digest and the form of the signature that the contract accepts. An invalid signature costs only calls of
 * views, which are limited per address.
 */
async function verify(
  { accountConfig, unknownKeyLimit }: Slice,
  { hash, signer, calls, nonce, deadline, signature }: SignedWrite,
  ip: string,
): Promise<Verified> {
  // The payer pays for its bytes, and a contract wallet can accept any number of them.
  const bytes = signatureBytes(signature);
  if (!bytes) throw invalidSignature();
  let refusal: Error = invalidSignature();
  const ask = async (): Promise<Verified | undefined> => {
    try {
      const digest = await accountConfig.read('hashSignedWrites', [hash, signer, calls, nonce, deadline]);
      for (const form of signatureForms(bytes)) {
        const accepted = bytesToHex(form);
        // The contract recovers no wallet from a v of 0 or 1.
        if ((form[64] ?? 27) >= 27 && recoverSigner(digest, form) === signer)
          return { digest, accepted, isContract: false };
        if (await accountConfig.read('isValidWalletSignature', [signer, digest, accepted]))
          return { digest, accepted, isContract: true };
      }
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof ContractRevertError)) throw thrown;
      refusal = thrown;
      return undefined;
    }
  };
  const verified = await countMisses(unknownKeyLimit, ip, ask);
  if (!verified) throw refusal;
  return verified;
}

/** Resolves to the master hash of the account that pays. Rejects when the signer can sign no write of it. */
async function findAccount({ accountConfig }: Slice, { hash, signer }: SignedWrite): Promise<bigint> {
  const state = await accountConfig.read('accountState', [hash]);
  const { masterApiKeyHash: account, adminWalletAddress, giver } = state;
  // The contract refuses writes of an account that does not exist.
  if (account === 0n) return hash;
  // A wallet without authority must not use up the writes of the account.
  if (signer !== adminWalletAddress && signer !== giver) throw invalidSignature();
  return account;
}

/** Reverts after which the same writes can have been executed: by an earlier request, or by another submitter. */
const AFTER_EXECUTION: readonly unknown[] = [
  'NonceAlreadyUsed',
  'SignatureExpired',
  'NoAccountAccess',
  'AccountDoesNotExist',
] satisfies ContractError['errorName'][];
const canBeExecuted = (thrown: unknown): boolean =>
  thrown instanceof ContractRevertError
    ? AFTER_EXECUTION.includes(thrown.revert?.errorName)
    : thrown instanceof HttpError && thrown.code === 'bad_request';

/**
 * Resolves to the transaction that has executed the writes, also when `write` is refused because they were executed before. A client
 * that is told to sign again would execute them twice.
 */
async function executedOnce(
  { findExecutedWrites, unknownKeyLimit }: Slice,
  { signer, nonce, digest, ip }: Pick<SignedWrite, 'signer' | 'nonce'> & { digest: Hex; ip: string },
  write: () => Promise<ExecutedWrites>,
): Promise<ExecutedWrites> {
  try {
    return await write();
  } catch (thrown) {
    if (!canBeExecuted(thrown)) throw thrown;
    const find = () => findExecutedWrites({ signer, nonce, digest });
    const executed = await countMisses(unknownKeyLimit, ip, find);
    if (!executed) throw thrown;
    return executed;
  }
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
  handle: async (context: Slice, { body, headers, ip, setHeader }) => {
    const { api_key_hash: hash, ...signed } = body;
    const { signer, calls, nonce, deadline } = signed;
    const isOpening = calls.some((call) => call.startsWith(OPENING));
    if (isOpening && calls.length > 1)
      throw badRequest('calls: newChainSecuredAccount must be the only call');
    // An account that does not exist has no admin: its hash is the identity of the wallet that signed.
    if (isOpening && walletIdentity(signer) !== hash) throw invalidSignature();
    const { digest, accepted, isContract } = await verify(context, { hash, ...signed }, ip);
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
    const { blockNumber, transactionHash } = await executedOnce(
      context,
      { ...signed, digest, ip },
      async () => {
        if (isOpening)
          return openAccount(context, {
            ...{ ip, headers, requestId: idempotencyId },
            write: async () => ({ ...(await execute(hash, undefined)), account: hash }),
          });
        const account = await findAccount(context, { hash, ...signed });
        return execute(account, { key: account, reason: 'submit_signed_write', writes: calls.length });
      },
    );
    setHeader('X-Block-Number', blockNumber);
    return { success: true as const, transaction_hash: transactionHash };
  },
});

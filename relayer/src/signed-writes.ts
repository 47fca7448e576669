/** Writes that a wallet signed: their signature, their account, and whether they were executed before. */

import { type ContractError, ContractRevertError, UnexplainedRevertError } from '@latchkey/chain/errors';
import { badRequest, countMisses, HttpError, type RateLimit } from '@latchkey/http';
import { accountConfigAbi, recoverSigner, signatureBytes, walletIdentity } from '@latchkey/protocol';
import { type Address, bytesToHex, getAbiItem, type Hex, toFunctionSelector } from 'viem';
import type { ExecutedWrites } from './chain/executed-writes.ts';
import type { Context } from './context.ts';
import { hashText } from './db/text.ts';

const OPENING = toFunctionSelector(getAbiItem({ abi: accountConfigAbi, name: 'newChainSecuredAccount' }));

type Slice = Pick<Context, 'accountConfig' | 'findExecutedWrites' | 'unknownKeyLimit'>;
export type SignedWrite = {
  hash: bigint;
  signer: Address;
  calls: Hex[];
  nonce: bigint;
  deadline: bigint;
  signature: Hex;
};
/** `isContract`: the wallet is a contract that verifies the signature itself (ERC-1271). */
type Verified = { digest: Hex; accepted: Hex; isContract: boolean };

/** Returns true when the writes open the account of the wallet that signed. */
export function opensAccount({ hash, signer, calls }: SignedWrite): boolean {
  const isOpening = calls.some((call) => call.startsWith(OPENING));
  if (isOpening && calls.length > 1) throw badRequest('calls: newChainSecuredAccount must be the only call');
  // An account that does not exist has no admin: its hash is the identity of the wallet that signed.
  if (isOpening && walletIdentity(signer) !== hash) throw invalidSignature();
  return isOpening;
}

const invalidSignature = () =>
  badRequest('The signature is not that of the admin wallet.', {
    fix: 'Sign the typed data of executeSigned for this chain and contract with the admin wallet, and send the wallet as signer.',
  });

/**
 * Returns the forms of a signature to ask the contract about. Hardware wallets send a v of 0 or 1 for 27 or 28; a contract wallet can
 * give such a v its own meaning.
 */
function signatureForms(sent: Uint8Array): Uint8Array[] {
  const v = sent[64] ?? 27;
  return sent.length === 65 && v < 2 ? [sent.with(64, v + 27), sent] : [sent];
}

/**
 * Resolves to the signed digest and the form of the signature that the contract accepts. An invalid signature costs only calls of
 * views, which are limited per address.
 */
export async function verifySignature(
  { accountConfig, unknownKeyLimit }: Slice,
  { hash, signer, calls, nonce, deadline, signature }: SignedWrite,
  ip: string,
): Promise<Verified> {
  // Limited, because the payer pays for the bytes and a contract wallet can accept any number of them.
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
export async function findPayingAccount(
  { accountConfig }: Slice,
  { hash, signer }: SignedWrite,
): Promise<bigint> {
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
 * Resolves to the transaction that executed the writes, also when `write` is refused because they were executed before: a client that
 * is told to sign again would execute them twice.
 */
export async function executedOnce(
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
 * Counts unexplained reverts of an account. A contract wallet can cause them at will, so each of its writes is counted in advance, which
 * bounds concurrent writes, and uncounted when it ends otherwise.
 */
export async function countReverts<T>(
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

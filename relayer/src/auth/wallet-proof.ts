import { setTimeout as delay } from 'node:timers/promises';
import {
  checkTypedData,
  type PrimaryType,
  recoverSigner,
  signatureBytes,
  TypedDataError,
  typedDataDigest,
} from '@latchkey/protocol';
import { type Address, bytesToHex } from 'viem';
import type { AccountConfig } from '../chain/account-config.ts';
import { ChainUnavailableError } from '../chain/errors.ts';

const ERC1271_TIMEOUT_MS = 5_000;

/** A wallet's signed envelope: the typed data as an object or as its JSON text, the signature as 0x hex. */
export type WalletProof = { typed_data: unknown; signature: string };

/** A proof that is refused. `step` is for tests and logs: callers get one message for all of them. */
export class WalletProofError extends Error {
  override readonly name = 'WalletProofError';
  readonly step: TypedDataError['step'] | 'signature';

  constructor(step: WalletProofError['step']) {
    super(`the proof of a wallet is refused for its ${step}`);
    this.step = step;
  }
}

/**
 * The wallet that a proof is of. Checks, in this order: size, JSON, schema, primary type, domain, time, signature. Throws
 * `WalletProofError`, or `ChainUnavailableError` when a contract wallet cannot be asked.
 */
export type VerifyWallet = (proof: WalletProof, primaryType: PrimaryType) => Promise<Address>;

/** @param nowMs The clock against which `issuedAt` is judged. */
export function createWalletVerifier(
  chainId: number,
  accountConfig: Pick<AccountConfig, 'read'>,
  nowMs: () => number = Date.now,
): VerifyWallet {
  return async ({ typed_data, signature }, primaryType) => {
    const claim = claimOf(typed_data, {
      primaryType,
      chainId: BigInt(chainId),
      now: BigInt(Math.floor(nowMs() / 1000)),
    });
    const wallet = claim.address;
    const bytes = signatureBytes(signature);
    if (!bytes) throw new WalletProofError('signature');
    const digest = typedDataDigest(claim);
    if (recoverSigner(digest, bytes) === wallet) return wallet;
    // Tries ECDSA again, with the same result, and bounds what the wallet may burn and answer.
    const isValid = accountConfig.read('isValidWalletSignature', [wallet, digest, bytesToHex(bytes)]);
    if (await withinTime(isValid)) return wallet;
    throw new WalletProofError('signature');
  };
}

function claimOf(typedData: unknown, expected: Parameters<typeof checkTypedData>[1]) {
  try {
    return checkTypedData(typedData, expected);
  } catch (thrown) {
    throw thrown instanceof TypedDataError ? new WalletProofError(thrown.step) : thrown;
  }
}

async function withinTime<T>(answer: Promise<T>): Promise<T> {
  const timeout = new AbortController();
  const late = delay(ERC1271_TIMEOUT_MS, undefined, { signal: timeout.signal }).then(() => {
    throw new ChainUnavailableError('the signature of a contract wallet was not checked in time');
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    timeout.abort();
    late.catch(() => {});
  }
}

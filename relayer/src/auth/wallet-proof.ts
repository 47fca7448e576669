import { ChainUnavailableError } from '@latchkey/chain/errors';
import {
  checkTypedData,
  type PrimaryType,
  recoverSigner,
  signatureBytes,
  TypedDataError,
  typedDataDigest,
} from '@latchkey/protocol';
import { within } from '@latchkey/service/within';
import { type Address, bytesToHex } from 'viem';
import type { AccountConfig } from '../chain/account-config.ts';

const ERC1271_TIMEOUT_MS = 5_000;

/** A wallet's signed envelope: the typed data as an object or as JSON text, and the signature as 0x hex. */
export type WalletProof = { typed_data: unknown; signature: string };

/** A refused proof. `step` is for tests and logs; callers get one message for all steps. */
export class WalletProofError extends Error {
  override readonly name = 'WalletProofError';
  readonly step: TypedDataError['step'] | 'signature';

  constructor(step: WalletProofError['step']) {
    super(`wallet proof refused at step ${step}`);
    this.step = step;
  }
}

/**
 * Returns the wallet that signed a proof. Checks in this order: size, JSON, schema, primary type, domain, time,
 * signature. Throws `WalletProofError`, or `ChainUnavailableError` when a contract wallet cannot be asked.
 */
export type VerifyWallet = (proof: WalletProof, primaryType: PrimaryType) => Promise<Address>;

/** @param nowMs Current time that `issuedAt` is compared with. */
export function createWalletVerifier(
  chainId: number,
  accountConfig: Pick<AccountConfig, 'read'>,
  nowMs: () => number = Date.now,
): VerifyWallet {
  return async ({ typed_data, signature }, primaryType) => {
    const claim = readClaim(typed_data, {
      primaryType,
      chainId: BigInt(chainId),
      now: BigInt(Math.floor(nowMs() / 1000)),
    });
    const wallet = claim.address;
    const bytes = signatureBytes(signature);
    if (!bytes) throw new WalletProofError('signature');
    const digest = typedDataDigest(claim);
    if (recoverSigner(digest, bytes) === wallet) return wallet;
    // The call repeats ECDSA with the same result, and bounds the gas and the return data of the wallet.
    const isValid = accountConfig.read('isValidWalletSignature', [wallet, digest, bytesToHex(bytes)]);
    if (await within(ERC1271_TIMEOUT_MS, isValid, unchecked)) return wallet;
    throw new WalletProofError('signature');
  };
}

const unchecked = () => new ChainUnavailableError('the contract wallet did not check its signature in time');

function readClaim(typedData: unknown, expected: Parameters<typeof checkTypedData>[1]) {
  try {
    return checkTypedData(typedData, expected);
  } catch (thrown) {
    throw thrown instanceof TypedDataError ? new WalletProofError(thrown.step) : thrown;
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { checkTypedData, type PrimaryType, TypedDataError, typedDataDigest } from '@latchkey/protocol';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { type Address, bytesToHex, type Hex, hexToBytes } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import type { AccountConfig } from '../chain/account-config.ts';
import { ChainUnavailableError } from '../chain/errors.ts';

const MAX_SIGNATURE_BYTES = 4_096;
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
    const digest = typedDataDigest(claim);
    if (recover(digest, bytes) === wallet) return wallet;
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

function signatureBytes(signature: string): Uint8Array {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(signature) || signature.length > 2 + 2 * MAX_SIGNATURE_BYTES)
    throw new WalletProofError('signature');
  return hexToBytes(signature as Hex);
}

/** The signer of 65 bytes (v of 0, 1, 27 or 28) or of 64 compact ones (ERC-2098); undefined for a high s and what is none. */
function recover(digest: Hex, bytes: Uint8Array): Address | undefined {
  if (bytes.length !== 65 && bytes.length !== 64) return undefined;
  const rs = bytes.slice(0, 64);
  const yParityAndS = rs[32] as number;
  const v = bytes[64] ?? yParityAndS >> 7;
  if (bytes.length === 64) rs[32] = yParityAndS & 0x7f;
  const recovery = v >= 27 ? v - 27 : v;
  if (recovery > 1) return undefined;
  try {
    const signature = secp256k1.Signature.fromBytes(rs, 'compact').addRecoveryBit(recovery);
    if (signature.hasHighS()) return undefined;
    return publicKeyToAddress(bytesToHex(signature.recoverPublicKey(hexToBytes(digest)).toBytes(false)));
  } catch {
    // r or s out of range, or r of no point.
    return undefined;
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

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { type Address, bytesToHex, type Hex, hexToBytes } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';

const MAX_SIGNATURE_BYTES = 4_096;

/** Returns the bytes of a signature in 0x hex; undefined for a malformed text and for more than 4,096 bytes. */
export function signatureBytes(signature: string): Uint8Array | undefined {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(signature) || signature.length > 2 + 2 * MAX_SIGNATURE_BYTES)
    return undefined;
  return hexToBytes(signature as Hex);
}

/**
 * Returns the signer of 65 bytes (v of 0, 1, 27 or 28) or of 64 compact bytes (ERC-2098); undefined for a high s and
 * for a malformed signature.
 */
export function recoverSigner(digest: Hex, bytes: Uint8Array): Address | undefined {
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
    // r or s is out of range, or r is not the x of a point.
    return undefined;
  }
}

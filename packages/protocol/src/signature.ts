import { secp256k1 } from '@noble/curves/secp256k1.js';
import { type Address, bytesToHex, type Hex, hexToBytes } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';

const MAX_SIGNATURE_BYTES = 4_096;

/** The bytes of a signature in 0x hex; undefined for what is none, and for more than 4,096. */
export function signatureBytes(signature: string): Uint8Array | undefined {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(signature) || signature.length > 2 + 2 * MAX_SIGNATURE_BYTES)
    return undefined;
  return hexToBytes(signature as Hex);
}

/** The signer of 65 bytes (v of 0, 1, 27 or 28) or of 64 compact ones (ERC-2098); undefined for a high s and what is none. */
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
    // r or s out of range, or r of no point.
    return undefined;
  }
}

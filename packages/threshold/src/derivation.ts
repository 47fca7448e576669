/** Inputs of evaluations, and the secrets that derive from their outputs. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { equalBytes } from '@noble/curves/utils.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { createReader, label, u16 } from './bytes.ts';

/** The secret that an evaluation is for. A wallet path and a usage key path with one number are different inputs. */
export type KeyRequest =
  | { kind: 'wallet' | 'usage-key' /** uint256 */; path: bigint }
  | { kind: 'action' /** CID text, 1 to 256 letters and digits */; cid: string };

const DOMAIN = label('latchkey/threshold/v1');
const kinds = ['wallet', 'usage-key', 'action'] as const;
const labels = {
  walletSigningKey: 'wallet-signing-key/v2',
  walletEncryptionKey: 'wallet-encryption-key/v2',
  actionSigningKey: 'action-signing-key/v2',
  usageKeySecret: 'usage-key-secret/v2',
};

/**
 * Returns the input of an evaluation: the labels `latchkey/threshold/v1` and the kind, each after its length (u8), and
 * the context after its length (u16): a path in 32 bytes, big endian, or the CID text. Throws a RangeError for a
 * path that is not a uint256 and for text that cannot be a CID.
 */
export function encodeInput(request: KeyRequest): Uint8Array {
  const context = request.kind === 'action' ? cidBytes(request.cid) : pathBytes(request.path);
  return concatBytes(DOMAIN, label(request.kind), u16(context.length), context);
}

/** Returns the request of an input, so that a node can judge it. Throws a RangeError unless the input is canonical. */
export function decodeInput(input: Uint8Array): KeyRequest {
  const reader = createReader(input);
  reader.take(DOMAIN.length);
  const name = new TextDecoder().decode(reader.take(reader.integer(1)));
  const context = reader.take(reader.integer(2));
  const kind = kinds.find((candidate) => candidate === name);
  if (!kind) throw new RangeError('an input of an unknown kind');
  const request: KeyRequest =
    kind === 'action'
      ? { kind, cid: new TextDecoder().decode(context) }
      : { kind, path: BigInt(`0x${bytesToHex(context) || '0'}`) };
  // Also refuses another domain, another length of a path, trailing bytes, and text that is not UTF-8.
  if (!equalBytes(encodeInput(request), input)) throw new RangeError('the input is not canonical');
  return request;
}

/** SECRET. Keys of a wallet, 32 bytes each. */
export type WalletKeys = { signingKey: Uint8Array; encryptionKey: Uint8Array };

/** Returns the secp256k1 key and the AES-256 key of a wallet from the output for its path. */
export function deriveWalletKeys(output: Uint8Array): WalletKeys {
  return {
    signingKey: secpScalar(output, labels.walletSigningKey),
    encryptionKey: expand(output, labels.walletEncryptionKey, 32),
  };
}

/** Returns the secp256k1 key of an action, 32 bytes, SECRET, from the output for its CID. */
export const deriveActionKey = (output: Uint8Array): Uint8Array =>
  secpScalar(output, labels.actionSigningKey);

/** Returns the secret of a usage key, a secp256k1 scalar of 32 bytes, from the output for its path. */
export const deriveUsageKeySecret = (output: Uint8Array): Uint8Array =>
  secpScalar(output, labels.usageKeySecret);

/** Reduces 48 bytes to 1 … order − 1 (FIPS 186-5, A.2.1). The bias is below 2⁻¹²⁸. */
function secpScalar(output: Uint8Array, info: string): Uint8Array {
  return secp256k1.utils.randomSecretKey(expand(output, info, 48));
}

/** HKDF-SHA512 (RFC 5869) of an output. Kind and context are in the output, so that the info is the label only. */
function expand(output: Uint8Array, info: string, bytes: number): Uint8Array {
  if (output.length !== 64) throw new RangeError('an output must have 64 bytes');
  return hkdf(sha512, output, DOMAIN, utf8ToBytes(info), bytes);
}

function pathBytes(path: bigint): Uint8Array {
  if (path < 0n || path >= 1n << 256n) throw new RangeError('the path is not a uint256');
  return hexToBytes(path.toString(16).padStart(64, '0'));
}

function cidBytes(cid: string): Uint8Array {
  if (!/^[A-Za-z0-9]{1,256}$/.test(cid)) throw new RangeError('the CID must be 1 to 256 letters and digits');
  return utf8ToBytes(cid);
}

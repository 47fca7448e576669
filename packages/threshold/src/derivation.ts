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
  | { kind: 'action' /** CID text, 1 to 256 letters and digits */; cid: string }
  /** No secret: the proven partial evaluations of t nodes are their signature of the public key of an action. */
  | { kind: 'action-public-key'; cid: string /** Compressed, 66 hexadecimal digits */; publicKey: string }
  /** No secret: as a signature, that the wallet at the path has this address. */
  | { kind: 'wallet-address'; path: bigint /** 40 lower-case hexadecimal digits */; address: string };

const DOMAIN = label('latchkey/threshold/v1');
const kinds = ['wallet', 'usage-key', 'action', 'action-public-key', 'wallet-address'] as const;
const PUBLIC_KEY_BYTES = 33;
const ADDRESS_BYTES = 20;
const labels = {
  walletSigningKey: 'wallet-signing-key/v2',
  walletEncryptionKey: 'wallet-encryption-key/v2',
  actionSigningKey: 'action-signing-key/v2',
  usageKeySecret: 'usage-key-secret/v2',
};

/**
 * Returns the input of an evaluation: the labels `latchkey/threshold/v1` and the kind, each after its length (u8), and
 * the context after its length (u16): a path in 32 bytes, big endian, or the CID text, after the public key (33 bytes) or the address (20)
 * if it is for one. Throws a RangeError for a path that is not a uint256, for text that cannot be a CID, and for a malformed key or address.
 */
export function encodeInput(request: KeyRequest): Uint8Array {
  const context = contextOf(request);
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
  const request = requestOf(kind, context);
  // Also refuses another domain, another length of a path, trailing bytes, and text that is not UTF-8.
  if (!equalBytes(encodeInput(request), input)) throw new RangeError('the input is not canonical');
  return request;
}

function contextOf(request: KeyRequest): Uint8Array {
  if (request.kind === 'action') return cidBytes(request.cid);
  if (request.kind === 'action-public-key')
    return concatBytes(publicKeyBytes(request.publicKey), cidBytes(request.cid));
  if (request.kind === 'wallet-address')
    return concatBytes(addressBytes(request.address), pathBytes(request.path));
  return pathBytes(request.path);
}

function requestOf(kind: KeyRequest['kind'], context: Uint8Array): KeyRequest {
  const text = (from: number): string => new TextDecoder().decode(context.subarray(from));
  if (kind === 'action') return { kind, cid: text(0) };
  if (kind === 'action-public-key')
    return {
      kind,
      cid: text(PUBLIC_KEY_BYTES),
      publicKey: bytesToHex(context.subarray(0, PUBLIC_KEY_BYTES)),
    };
  const pathFrom = (from: number): bigint => BigInt(`0x${bytesToHex(context.subarray(from)) || '0'}`);
  if (kind === 'wallet-address')
    return { kind, path: pathFrom(ADDRESS_BYTES), address: bytesToHex(context.subarray(0, ADDRESS_BYTES)) };
  return { kind, path: pathFrom(0) };
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

function publicKeyBytes(publicKey: string): Uint8Array {
  if (!/^0[23][0-9a-f]{64}$/.test(publicKey)) throw new RangeError('the public key is not compressed');
  return hexToBytes(publicKey);
}

function addressBytes(address: string): Uint8Array {
  if (!/^[0-9a-f]{40}$/.test(address)) throw new RangeError('the address is not 20 bytes in lower case');
  return hexToBytes(address);
}

function cidBytes(cid: string): Uint8Array {
  if (!/^[A-Za-z0-9]{1,256}$/.test(cid)) throw new RangeError('the CID must be 1 to 256 letters and digits');
  return utf8ToBytes(cid);
}

import { base64pad } from 'multiformats/bases/base64';
import { type Address, keccak256, stringToBytes, toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';

/** Bytes of an account key or usage key before base64 encoding. */
const API_KEY_BYTES = 32;

/** 32 bytes in standard base64: 42 free characters, one whose low two bits are zero, and the padding. */
const canonicalKey = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/** Returns true for the canonical base64 text of 32 bytes: 44 characters, standard alphabet, padded, no stray bits. */
export function isApiKey(text: string): boolean {
  return canonicalKey.test(text);
}

/**
 * Returns true for a text that can be a usage key: 1 to 512 visible ASCII characters. Clients that add keys on the
 * chain themselves choose their own format; keys of the service satisfy `isApiKey`. A text in the form of a key's
 * public hash is never a key, so that a hash in a key header grants nothing.
 */
export function isApiKeyText(text: string): boolean {
  return /^[\x21-\x7e]{1,512}$/.test(text) && !/^0x[0-9a-f]{64}$/i.test(text);
}

/** Returns the key text of 32 bytes. Throws a RangeError for another length. */
export function apiKeyFromBytes(bytes: Uint8Array): string {
  if (bytes.length !== API_KEY_BYTES) throw new RangeError(`a key must have ${API_KEY_BYTES} bytes`);
  return base64pad.baseEncode(bytes);
}

/** Returns the 32 bytes of a key text. Throws a RangeError, without the text, when it is malformed. */
export function apiKeyToBytes(key: string): Uint8Array {
  if (!isApiKey(key)) throw new RangeError('not the base64 text of 32 bytes');
  return base64pad.baseDecode(key);
}

/** Returns the on-chain identity of an account key or usage key: keccak256 of its text in UTF-8. */
export function apiKeyHash(key: string): bigint {
  return BigInt(keccak256(stringToBytes(key)));
}

/**
 * Returns `wallet_address` of a managed account: the secp256k1 address of the key's bytes. Throws for bytes that are
 * not a secp256k1 scalar (zero, or the group order and above).
 */
export function accountWalletAddress(key: string): Address {
  return privateKeyToAddress(toHex(apiKeyToBytes(key)));
}

/** Conversions between parameters and their forms on the wire and in the contract. */
import { apiKeyHash, cidHash as hashOfCid, isApiKey, isApiKeyText, parseCid } from '@latchkey/protocol';
import {
  type Address,
  bytesToBigInt,
  bytesToHex,
  type Hex,
  keccak256,
  numberToHex,
  stringToBytes,
} from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { LatchkeyError } from './errors.ts';

/** Returns a hash or a derivation path in its wire form: 0x and 64 hex digits. */
export function word(value: bigint): Hex {
  return numberToHex(value, { size: 32 });
}

/**
 * Returns the hash of a usage key that is given by its text or its hash, as lists have it. Throws for a text that cannot be a
 * key.
 */
export function usageKeyHash(key: string | bigint): bigint {
  if (typeof key === 'bigint') return key;
  if (!isApiKeyText(key))
    throw new LatchkeyError(
      'configuration',
      'expected a usage key of 1 to 512 visible ASCII characters, or its hash as a bigint',
    );
  return apiKeyHash(key);
}

/** Returns the hash of a new key. Throws for a text that would not be accepted as a key afterwards, or could be guessed. */
export function newKeyHash(key: string): bigint {
  if (!isApiKey(key))
    throw new LatchkeyError(
      'configuration',
      'expected the base64 text of 32 random bytes, without spaces and line ends',
    );
  return apiKeyHash(key);
}

/** Returns the address of an uncompressed public key. Throws for a malformed one. */
export function addressOfPublicKey(publicKey: Hex): Address {
  if (!/^0x04[0-9a-fA-F]{128}$/.test(publicKey))
    throw new LatchkeyError('configuration', 'expected an uncompressed public key: 0x04 and 128 hex digits');
  return publicKeyToAddress(publicKey);
}

/** Returns the nonce of signed writes that is given by itself or by their idempotency key. */
export function signedNonce(nonce: bigint | string): bigint {
  return typeof nonce === 'bigint' ? nonce : BigInt(keccak256(stringToBytes(nonce)));
}

/**
 * Returns the hash of an action's CID that is given by its text or its hash, as lists and the contract have it. Throws for a
 * text that is not a CID, which the contract could not detect.
 */
export function cidHash(cid: string | bigint): bigint {
  if (typeof cid === 'bigint') return cid;
  try {
    parseCid(cid);
  } catch {
    throw new LatchkeyError('configuration', 'expected an IPFS CID, or its hash as a bigint');
  }
  return hashOfCid(cid);
}

const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));

/** Placeholder for an address that is not minted yet. */
export function anyAddress(): Address {
  return bytesToHex(randomBytes(20));
}

/** Placeholder for a derivation path that is not minted yet: the wallet that it is minted for, and 96 random bits. */
export function placeholderPath(admin: Address): bigint {
  return (BigInt(admin) << 96n) | bytesToBigInt(randomBytes(12));
}

/** Placeholder for the text of a key that is not minted yet. */
export function anyHash(): bigint {
  return bytesToBigInt(randomBytes(32));
}

/** `"name"`, with the description in parentheses when there is one. */
export function labelled(name: string, description: string): string {
  return description === '' ? `“${name}”` : `“${name}” (${description})`;
}

/** Returns a hash in its wire form, and a text unchanged. */
export function asText(value: string | bigint): string {
  return typeof value === 'bigint' ? word(value) : value;
}

/** `3 wallets: a, b, c`, or `no wallets`. */
export function listed(things: readonly (bigint | string)[], one: string): string {
  if (things.length === 0) return `no ${one}s`;
  return `${things.length} ${one}${things.length === 1 ? '' : 's'}: ${things.map(asText).join(', ')}`;
}

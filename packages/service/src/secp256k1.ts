/**
 * Keys and signatures by libsecp256k1 as WebAssembly. Unlike viem's, it needs no warming: in a service that signs three times per
 * second a signature takes a fraction of the time.
 */
import { pointCompress, pointFromScalar, pointMultiply, recover, signRecoverable } from 'tiny-secp256k1';
import {
  type Address,
  bytesToHex,
  type Hex,
  hexToBytes,
  keccak256,
  serializeTransaction,
  slice,
  type TransactionSerializableEIP1559,
} from 'viem';
import { publicKeyToAddress } from 'viem/accounts';

/** @param privateKey - SECRET. Throws a TypeError unless it is from 1 to order − 1. */
export const addressOf = (privateKey: Uint8Array): Address =>
  publicKeyToAddress(bytesToHex(publicKeyOf(privateKey, false)));

/** @param publicKey - 33 or 65 bytes. Throws a TypeError when it is not a point. */
export const addressOfPublicKey = (publicKey: Hex): Address =>
  publicKeyToAddress(bytesToHex(pointCompress(hexToBytes(publicKey), false)));

/** Returns the 65 bytes of the public key. @param privateKey - SECRET */
export const uncompressedPublicKey = (privateKey: Uint8Array): Hex =>
  bytesToHex(publicKeyOf(privateKey, false));

/** Returns the compressed point of ECDH, 33 bytes. Throws a TypeError when the public key is not a point. @param privateKey - SECRET */
export const sharedPoint = (publicKey: Uint8Array, privateKey: Uint8Array): Uint8Array =>
  pointMultiply(publicKey, privateKey, true) as Uint8Array;

/** Returns the 33 bytes of the compressed public key. @param privateKey - SECRET */
export const compressedPublicKey = (privateKey: Uint8Array): Hex => bytesToHex(publicKeyOf(privateKey, true));

const publicKeyOf = (privateKey: Uint8Array, isCompressed: boolean): Uint8Array =>
  pointFromScalar(privateKey, isCompressed) as Uint8Array;

/** Returns the 65 bytes of an RFC 6979 signature, v of 27 or 28. @param privateKey - SECRET */
export function signHash(hash: Hex, privateKey: Uint8Array): Hex {
  const { signature, recoveryId } = signRecoverable(hexToBytes(hash), privateKey);
  return `${bytesToHex(signature)}${(27 + recoveryId).toString(16)}` as Hex;
}

/** Returns the signer of 65 bytes of signature, v of 27 or 28; undefined when it is malformed. */
export function recoverSigner(hash: Hex, signature: Hex): Address | undefined {
  const bytes = hexToBytes(signature);
  const recoveryId = (bytes[64] ?? 0) - 27;
  if (bytes.length !== 65 || (recoveryId !== 0 && recoveryId !== 1)) return undefined;
  try {
    const publicKey = recover(hexToBytes(hash), bytes.subarray(0, 64), recoveryId, false);
    return publicKey ? publicKeyToAddress(bytesToHex(publicKey)) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the signed transaction. @param privateKey - SECRET */
export function signTransaction(transaction: TransactionSerializableEIP1559, privateKey: Uint8Array): Hex {
  const signature = signHash(keccak256(serializeTransaction(transaction)), privateKey);
  const [r, s, v] = [slice(signature, 0, 32), slice(signature, 32, 64), slice(signature, 64)];
  return serializeTransaction(transaction, { r, s, yParity: Number(v) - 27 });
}

/** Returns the signer of transactions of an outbox. @param privateKey - SECRET */
export function localSigner(privateKey: Hex) {
  const key = hexToBytes(privateKey);
  return {
    address: addressOf(key),
    sign: (transaction: TransactionSerializableEIP1559) => signTransaction(transaction, key),
  };
}

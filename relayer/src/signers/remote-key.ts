/** Signers whose keys other services hold. Such a service is not trusted: it can refuse, hang, or return any bytes. */
import { createPublicKey } from 'node:crypto';
import type { Signer } from '@latchkey/outbox';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import {
  type Address,
  bytesToHex,
  concatHex,
  type Hex,
  hexToBytes,
  keccak256,
  numberToHex,
  recoverAddress,
  serializeTransaction,
} from 'viem';
import { publicKeyToAddress } from 'viem/accounts';

/** A write waits so long for its signature before another payer is used. */
const DEADLINE_MS = 5_000;
const ORDER = secp256k1.Point.Fn.ORDER;

export type RemoteKey = {
  address: Address;
  /** Returns r and s, 64 bytes, over the Keccak-256 hash of the bytes. */
  sign: (unsigned: Hex, signal: AbortSignal) => Promise<Hex>;
};

/** Resolves to the result, or rejects when `work` takes longer than the deadline. */
export async function inTime<T>(work: (signal: AbortSignal) => Promise<T>, ms = DEADLINE_MS): Promise<T> {
  const signal = AbortSignal.timeout(ms);
  const { promise: late, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(new Error(`no answer within ${ms} ms`)));
  return Promise.race([work(signal), late]);
}

/**
 * Returns the signer of a key. The transaction is serialized here, and the signature must recover to the key's address: the service cannot make
 * the relayer broadcast another transaction, or one that the chain refuses.
 */
export function remoteSigner({ address, sign }: RemoteKey, deadlineMs = DEADLINE_MS): Signer {
  return {
    address,
    async sign(transaction) {
      const unsigned = serializeTransaction(transaction);
      const bytes = hexToBytes(await inTime((signal) => sign(unsigned, signal), deadlineMs));
      const { r, s: anyS } = secp256k1.Signature.fromBytes(bytes, 'compact');
      // The chain refuses the higher one of the two s that are valid.
      const s = anyS > ORDER / 2n ? ORDER - anyS : anyS;
      const parts = { r: numberToHex(r, { size: 32 }), s: numberToHex(s, { size: 32 }) };
      const hash = keccak256(unsigned);
      for (const yParity of [0, 1])
        if ((await recoverAddress({ hash, signature: { ...parts, yParity } })) === address)
          return serializeTransaction(transaction, { ...parts, yParity });
      throw new Error('the signature is not of this key and transaction');
    },
  };
}

/** Returns r and s of a DER signature, as key management services return it. */
export const signatureOfDer = (der: Uint8Array): Hex =>
  bytesToHex(secp256k1.Signature.fromBytes(der, 'der').toBytes('compact'));

/** Returns the address of a public key in PEM or, as bytes, in DER. Throws when it is not on secp256k1. */
export function addressOfSpki(publicKey: string | Uint8Array): Address {
  const key =
    typeof publicKey === 'string'
      ? createPublicKey(publicKey)
      : createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
  const { crv, x = '', y = '' } = key.export({ format: 'jwk' });
  if (crv !== 'secp256k1') throw new Error(`the key is on the curve ${crv}, expected secp256k1`);
  const point = [x, y].map((coordinate) => bytesToHex(Buffer.from(coordinate, 'base64url')));
  return publicKeyToAddress(concatHex(['0x04', ...point]));
}

/**
 * Passkeys as signers of a digest: the challenge of an assertion (WebAuthn) is the digest. A passkey is named by its P-256 public key: 0x and
 * the 33 bytes of the compressed point in lower case.
 */
import { p256 } from '@noble/curves/nist.js';
import { base64url } from 'multiformats/bases/base64';
import {
  bytesToHex,
  concatBytes,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  hexToBytes,
  sha256,
  stringToBytes,
} from 'viem';
import { signatureBytes } from './signature.ts';
import { parseStrictJson } from './strict-json.ts';

/** The parts of an assertion as an authenticator and its browser return them. */
export type PasskeyAssertion = {
  authenticatorData: Uint8Array;
  clientDataJSON: Uint8Array;
  /** DER. */
  signature: Uint8Array;
};

const encoding = [
  { name: 'authenticatorData', type: 'bytes' },
  { name: 'clientDataJSON', type: 'bytes' },
  { name: 'signature', type: 'bytes' },
] as const;

/** Returns the text in which an assertion travels: its three parts in ABI encoding. */
export const encodeAssertion = ({ authenticatorData, clientDataJSON, signature }: PasskeyAssertion): Hex =>
  encodeAbiParameters(encoding, [
    bytesToHex(authenticatorData),
    bytesToHex(clientDataJSON),
    bytesToHex(signature),
  ]);

/** Returns undefined for a malformed text, and for one that other texts can stand for. */
function decodeAssertion(text: string): PasskeyAssertion | undefined {
  const bytes = signatureBytes(text);
  if (!bytes) return undefined;
  try {
    const parts = decodeAbiParameters(encoding, bytes);
    if (encodeAbiParameters(encoding, parts) !== bytesToHex(bytes)) return undefined;
    const [authenticatorData, clientDataJSON, signature] = parts.map((part) => hexToBytes(part));
    return { authenticatorData, clientDataJSON, signature } as PasskeyAssertion;
  } catch {
    return undefined;
  }
}

/** Returns the public key of a passkey in lower case; undefined when the text is not the compressed form of a point. */
export function parsePasskey(text: string): Hex | undefined {
  if (!/^0x0[23][0-9a-fA-F]{64}$/.test(text)) return undefined;
  try {
    p256.Point.fromHex(text.slice(2));
    return text.toLowerCase() as Hex;
  } catch {
    return undefined;
  }
}

/** The signer that an assertion must be of. */
export type Passkey = {
  publicKey: Hex;
  /** Domain of the pages for which the passkey was made. */
  rpId: string;
};

/**
 * Returns why an encoded assertion is not the signature of the passkey over the digest; undefined when it is. Steps of "Verifying an
 * Authentication Assertion" (WebAuthn Level 3, 7.2). The counter of signatures is not compared: nothing is kept between assertions.
 */
export function findPasskeyFault(
  digest: Hex,
  { publicKey, rpId }: Passkey,
  text: string,
): string | undefined {
  const assertion = decodeAssertion(text);
  if (!assertion) return 'it is not the ABI encoding of authenticatorData, clientDataJSON and signature';
  const { authenticatorData, clientDataJSON, signature } = assertion;
  const fault = findClientDataFault(clientDataJSON, digest, rpId) ?? findDataFault(authenticatorData, rpId);
  if (fault !== undefined) return fault;
  const signed = concatBytes([authenticatorData, sha256(clientDataJSON, 'bytes')]);
  return isSigned(signature, signed, publicKey) ? undefined : 'the signature is not that of the passkey';
}

/** Authenticators sign with a low or a high s. */
function isSigned(signature: Uint8Array, message: Uint8Array, publicKey: Hex): boolean {
  try {
    return p256.verify(signature, message, hexToBytes(publicKey), { format: 'der', lowS: false });
  } catch {
    return false;
  }
}

const JSON_LIMITS = { maxDepth: 4, maxMembers: 50 };

/** Keeps a byte order mark, which JSON does not have. */
const utf8 = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function findClientDataFault(bytes: Uint8Array, digest: Hex, rpId: string): string | undefined {
  let data: unknown;
  try {
    data = parseStrictJson(utf8().decode(bytes), JSON_LIMITS);
  } catch {
    return 'its clientDataJSON is not JSON, or has a duplicate name';
  }
  // Of another value than an object, `type` is undefined.
  const { type, challenge, origin, crossOrigin, topOrigin } = Object(data) as Record<string, unknown>;
  // The same key signs registrations, of type "webauthn.create".
  if (type !== 'webauthn.get') return 'its type is not webauthn.get';
  if (challenge !== base64url.baseEncode(hexToBytes(digest))) return 'its challenge is not the digest';
  if ((crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined)
    return 'it was made in a frame of another page';
  return isOriginOf(rpId, origin) ? undefined : `its origin is not a page of ${rpId}`;
}

/** Returns whether a page is one of the domain, or of a subdomain, over TLS or on this machine. */
function isOriginOf(rpId: string, origin: unknown): boolean {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  const { origin: canonical, protocol, hostname } = new URL(origin);
  return (
    canonical === origin &&
    (hostname === rpId || hostname.endsWith(`.${rpId}`)) &&
    (protocol === 'https:' || (protocol === 'http:' && rpId === 'localhost'))
  );
}

/** Hash of the domain, flags, and a counter. Extensions can follow. */
const MIN_DATA_BYTES = 37;
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;

function findDataFault(data: Uint8Array, rpId: string): string | undefined {
  if (data.length < MIN_DATA_BYTES) return 'its authenticatorData is too short';
  if (bytesToHex(data.subarray(0, 32)) !== sha256(stringToBytes(rpId)))
    return `its passkey is not of ${rpId}`;
  const flags = data[32] as number;
  if ((flags & USER_PRESENT) === 0) return 'the user was not present';
  return (flags & USER_VERIFIED) === 0 ? 'the authenticator did not verify the user' : undefined;
}

/** Passkeys without a browser: an authenticator and its page, which can make wrong assertions too. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { encodeAssertion, type PasskeyAssertion } from '@latchkey/protocol/passkey';
import { bytesToHex, type Hex, hexToBytes } from 'viem';

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** Changes of an assertion. */
type Changes = {
  /** Default: user present and verified. */
  flags?: number;
  /** Bytes after the counter. */
  extensions?: Uint8Array;
  rpId?: string;
  origin?: string;
  /** Replaces fields of the client data. */
  client?: { [name: string]: unknown };
  /** Replaces the text of the client data. */
  text?: (text: string) => string | Uint8Array;
  signer?: KeyObject;
};

export type TestPasskey = {
  /** Compressed, in lower case. */
  publicKey: Hex;
  privateKey: KeyObject;
  rpId: string;
  /** Signs a digest with node:crypto, whose s is high in half of the signatures. */
  assert: (digest: Hex, changes?: Changes) => PasskeyAssertion;
  /** The encoded assertion. */
  sign: (digest: Hex, changes?: Changes) => Hex;
};

export function newPasskey(ownRpId = 'localhost'): TestPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const isOdd = (Buffer.from(y, 'base64url').at(-1) ?? 0) % 2;
  const assert: TestPasskey['assert'] = (digest, changes = {}) => {
    const { flags = 0x05, extensions = [], rpId = ownRpId, signer = privateKey } = changes;
    const { origin = `https://${ownRpId}`, client = {}, text = (same: string) => same } = changes;
    const challenge = Buffer.from(hexToBytes(digest)).toString('base64url');
    const fields = { type: 'webauthn.get', challenge, origin, crossOrigin: false, ...client };
    const clientDataJSON = new Uint8Array(Buffer.from(text(JSON.stringify(fields))));
    const authenticatorData = new Uint8Array([...sha256(rpId), flags, 0, 0, 0, 0, ...extensions]);
    const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
    return { authenticatorData, clientDataJSON, signature: new Uint8Array(sign('sha256', signed, signer)) };
  };
  return {
    publicKey: bytesToHex(Buffer.concat([Uint8Array.of(2 + isOdd), Buffer.from(x, 'base64url')])),
    privateKey,
    rpId: ownRpId,
    assert,
    sign: (digest, changes) => encodeAssertion(assert(digest, changes)),
  };
}

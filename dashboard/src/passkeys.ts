/** Passkeys (WebAuthn). They belong to the domain of the page that makes them, and authenticators find them without an id. */
import { bytesToHex, type Hex } from 'viem';

/** Pages at an IP address have none. */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname);

/** Returns whether this page can ask for passkeys of the domain: its own, or one above it. */
export const canAskFor = (rpId: string): boolean =>
  hasPasskeys() && (location.hostname === rpId || location.hostname.endsWith(`.${rpId}`));

/** ECDSA with P-256 and SHA-256, of COSE. */
const ES256 = -7;

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** Asks the user for a new passkey. `name` is what the authenticator lists it as. */
async function create(name: string): Promise<AuthenticatorAttestationResponse> {
  const credential = (await ask(() =>
    navigator.credentials.create({
      publicKey: {
        rp: { name: 'Latchkey' },
        user: { id: random(32), name, displayName: name },
        // No attestation is verified: the owner vouches for the public key.
        challenge: random(32),
        pubKeyCredParams: [{ type: 'public-key', alg: ES256 }],
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      },
    }),
  )) as PublicKeyCredential;
  return credential.response as AuthenticatorAttestationResponse;
}

/** Makes a passkey of an approver. Resolves to its public key in the form of `passkeyApprovers`. */
export async function createApprover(name: string): Promise<Hex> {
  const spki = (await create(name)).getPublicKey();
  if (!spki) throw new Error('The authenticator made a passkey without a P-256 key. Try another one.');
  const key = await crypto.subtle.importKey('spki', spki, { name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'verify',
  ]);
  // The byte 4, x and y.
  const point = new Uint8Array(await crypto.subtle.exportKey('raw', key));
  return bytesToHex(Uint8Array.of(2 + ((point.at(-1) ?? 0) & 1), ...point.subarray(1, 33)));
}

/** Browsers say only that the user cancelled, or that there is no such passkey. */
async function ask<Result>(request: () => Promise<Result | null>): Promise<Result> {
  const asked = await request().catch((cause: unknown) => {
    if ((cause as Error).name !== 'NotAllowedError') throw cause;
    return null;
  });
  if (!asked) throw new Error('No passkey was used: the request was cancelled, or has timed out.');
  return asked;
}

/** Passkeys (WebAuthn). They belong to the domain of the page that makes them, and authenticators find them without an id. */
import { bytesToHex, type Hex } from 'viem';
import { t } from './i18n.ts';

type Bytes = Uint8Array<ArrayBuffer>;

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
async function create(
  name: string,
  extensions: AuthenticationExtensionsClientInputs = {},
): Promise<PublicKeyCredential> {
  return (await ask(() =>
    navigator.credentials.create({
      publicKey: {
        rp: { name: 'Latchkey' },
        user: { id: random(32), name, displayName: name },
        // No attestation is verified: the owner vouches for the public key.
        challenge: random(32),
        pubKeyCredParams: [{ type: 'public-key', alg: ES256 }],
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        extensions,
      },
    }),
  )) as PublicKeyCredential;
}

/** Makes a passkey of an approver. Resolves to its public key in the form of `passkeyApprovers`. */
export async function createApprover(name: string): Promise<Hex> {
  const { response } = await create(name);
  const spki = (response as AuthenticatorAttestationResponse).getPublicKey();
  if (!spki) throw new Error(t('The authenticator made a passkey without a P-256 key. Try another one.'));
  const key = await crypto.subtle.importKey('spki', spki, { name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'verify',
  ]);
  // The byte 4, x and y.
  const point = new Uint8Array(await crypto.subtle.exportKey('raw', key));
  return bytesToHex(Uint8Array.of(2 + ((point.at(-1) ?? 0) & 1), ...point.subarray(1, 33)));
}

/** Resolves to whether the browser lets passkeys derive secrets (the extension `prf`). An authenticator can still lack it. */
export async function canDeriveSecrets(): Promise<boolean> {
  if (!hasPasskeys()) return false;
  const capabilities = await PublicKeyCredential.getClientCapabilities?.();
  return capabilities?.['extension:prf'] === true;
}

/** Makes a passkey that derives secrets. Resolves to its id, and its secret for the salt. */
export async function createSecret(name: string, salt: Bytes): Promise<{ id: Bytes; secret: Bytes }> {
  const credential = await create(name, { prf: { eval: { first: salt } } });
  const { prf } = credential.getClientExtensionResults();
  if (!prf?.enabled)
    throw new Error(t('This passkey cannot seal a key. Use a passphrase, and delete the passkey.'));
  const id = new Uint8Array(credential.rawId);
  // Some authenticators derive nothing while they make a passkey.
  return { id, secret: secretOf(credential) ?? (await readSecret(id, salt)) };
}

/** Resolves to the 32 bytes that only this passkey derives from the salt. */
export async function readSecret(id: Bytes, salt: Bytes): Promise<Bytes> {
  const credential = (await ask(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: random(32),
        allowCredentials: [{ type: 'public-key', id }],
        userVerification: 'required',
        extensions: { prf: { eval: { first: salt } } },
      },
    }),
  )) as PublicKeyCredential;
  const secret = secretOf(credential);
  if (!secret) throw new Error(t('The passkey derived no secret.'));
  return secret;
}

function secretOf(credential: PublicKeyCredential): Bytes | undefined {
  const first = credential.getClientExtensionResults().prf?.results?.first;
  return first && new Uint8Array(first as ArrayBuffer);
}

/** Browsers say only that the user cancelled, or that there is no such passkey. */
async function ask<Result>(request: () => Promise<Result | null>): Promise<Result> {
  const asked = await request().catch((cause: unknown) => {
    if ((cause as Error).name !== 'NotAllowedError') throw cause;
    return null;
  });
  if (!asked) throw new Error(t('No passkey was used: the request was cancelled, or has timed out.'));
  return asked;
}

/**
 * Keeps an account key in the browser, sealed by AES-256-GCM of Web Crypto. Its key comes from a passphrase (PBKDF2-SHA256), or from what a passkey
 * derives from the salt (HKDF-SHA256), and is stored nowhere.
 */
import { t } from '../i18n.ts';
import { createSecret, readSecret } from '../passkeys.ts';

const STORED = 'latchkey.account-key';
const ITERATIONS = 600_000;
const AES = { name: 'AES-GCM', length: 256 };
const INFO = new TextEncoder().encode('latchkey account key');

type Bytes = Uint8Array<ArrayBuffer>;
type Sealed = {
  salt: string;
  nonce: string;
  text: string;
  /** Id of the passkey that opens it. Absent with a passphrase. */
  passkey?: string;
};
export type SealedBy = 'passkey' | 'passphrase';

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const fromBase64 = (text: string): Bytes =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

const deriveKey = async (secret: Bytes, derivation: { name: string; hash: string; salt: Bytes }) => {
  const material = await crypto.subtle.importKey('raw', secret, derivation.name, false, ['deriveKey']);
  return crypto.subtle.deriveKey(derivation, material, AES, false, ['encrypt', 'decrypt']);
};

const keyOfPassphrase = (passphrase: string, salt: Bytes): Promise<CryptoKey> => {
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: ITERATIONS };
  return deriveKey(new TextEncoder().encode(passphrase), derivation);
};

const keyOfPasskey = (secret: Bytes, salt: Bytes): Promise<CryptoKey> => {
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt, info: INFO };
  return deriveKey(secret, derivation);
};

/** Returns undefined when the browser keeps no key, or a damaged one. */
function readSealed(): Sealed | undefined {
  try {
    return (JSON.parse(localStorage.getItem(STORED) ?? 'null') as Sealed | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns what opens the key that the browser keeps; undefined when it keeps none. */
export function sealedBy(): SealedBy | undefined {
  const sealed = readSealed();
  return sealed && (sealed.passkey === undefined ? 'passphrase' : 'passkey');
}

export const forgetSealedKey = (): void => localStorage.removeItem(STORED);

async function store(accountKey: string, key: CryptoKey, fields: Pick<Sealed, 'salt' | 'passkey'>) {
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const bytes = new TextEncoder().encode(accountKey);
  const text = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, key, bytes);
  const sealed: Sealed = { ...fields, nonce: toBase64(nonce), text: toBase64(new Uint8Array(text)) };
  localStorage.setItem(STORED, JSON.stringify(sealed));
}

export async function sealKey(accountKey: string, passphrase: string): Promise<void> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  await store(accountKey, await keyOfPassphrase(passphrase, salt), { salt: toBase64(salt) });
}

/** Makes a passkey for this. Rejects when the user cancels, and when the authenticator derives no secrets. */
export async function sealKeyWithPasskey(accountKey: string): Promise<void> {
  const salt = crypto.getRandomValues(new Uint8Array(32));
  const { id, secret } = await createSecret(t('Latchkey account key'), salt);
  const fields = { salt: toBase64(salt), passkey: toBase64(id) };
  await store(accountKey, await keyOfPasskey(secret, salt), fields);
}

/** Rejects when the passphrase or the passkey is another one, the user cancels, or the stored value is damaged. */
export async function unsealKey(passphrase = ''): Promise<string> {
  const { salt, nonce, text, passkey } = readSealed() ?? { salt: '', nonce: '', text: '' };
  const secret = passkey === undefined ? undefined : await readSecret(fromBase64(passkey), fromBase64(salt));
  try {
    const key = await (secret
      ? keyOfPasskey(secret, fromBase64(salt))
      : keyOfPassphrase(passphrase, fromBase64(salt)));
    const iv = fromBase64(nonce);
    const bytes = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, fromBase64(text));
    return new TextDecoder().decode(bytes);
  } catch (cause) {
    throw new Error(secret ? t('The passkey does not open the sealed key.') : t('The passphrase is wrong.'), {
      cause,
    });
  }
}

/** Keeps an account key in the browser, sealed with a passphrase: PBKDF2-SHA256 and AES-256-GCM of Web Crypto. */

const STORED = 'latchkey.account-key';
const ITERATIONS = 600_000;

type Sealed = { salt: string; nonce: string; text: string };

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

async function keyOf(passphrase: string, salt: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const { subtle } = crypto;
  const material = await subtle.importKey('raw', new TextEncoder().encode(passphrase), 'PBKDF2', false, [
    'deriveKey',
  ]);
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: ITERATIONS };
  return subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
}

export const hasSealedKey = (): boolean => localStorage.getItem(STORED) !== null;
export const forgetSealedKey = (): void => localStorage.removeItem(STORED);

export async function sealKey(accountKey: string, passphrase: string): Promise<void> {
  const [salt, nonce] = [
    crypto.getRandomValues(new Uint8Array(16)),
    crypto.getRandomValues(new Uint8Array(12)),
  ];
  const key = await keyOf(passphrase, salt);
  const text = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv: nonce },
    key,
    new TextEncoder().encode(accountKey),
  );
  const sealed: Sealed = {
    salt: toBase64(salt),
    nonce: toBase64(nonce),
    text: toBase64(new Uint8Array(text)),
  };
  localStorage.setItem(STORED, JSON.stringify(sealed));
}

/** Rejects when the passphrase is wrong or the stored value is damaged. */
export async function unsealKey(passphrase: string): Promise<string> {
  try {
    const { salt, nonce, text } = JSON.parse(localStorage.getItem(STORED) ?? '') as Sealed;
    const key = await keyOf(passphrase, fromBase64(salt));
    const bytes = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: fromBase64(nonce) },
      key,
      fromBase64(text),
    );
    return new TextDecoder().decode(bytes);
  } catch (cause) {
    throw new Error('The passphrase is wrong.', { cause });
  }
}

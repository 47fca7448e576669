/** Returns bytes as base64url without padding. */
export const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** Returns 32 random bytes as base64url without padding. */
export const randomSecret = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));

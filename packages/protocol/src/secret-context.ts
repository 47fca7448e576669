/** One version of a secret of an account. */
export type SecretVersion = {
  name: string;
  /** Unix milliseconds at which it was encrypted. */
  version: number;
};

/** UTF-8 bytes of the value of a secret. */
export const MAX_SECRET_BYTES = 64 * 1024;
/** Bytes of a ciphertext besides the value: a compressed public key and a tag. */
export const SECRET_OVERHEAD_BYTES = 33 + 16;

export const isSecretName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text);

/** Binds a ciphertext to one name and version: it does not decrypt as another one. */
export const secretContext = ({ name, version }: SecretVersion): string =>
  `latchkey/secret/v1/${name}/${version}`;

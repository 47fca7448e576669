/** A key provider that derives everything from one root secret, which it keeps in a sealed file. */
import { createCipheriv, createDecipheriv, hkdf, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, type Hex, numberToBytes } from 'viem';
import { type KeyProvider, SealError, type Sealer } from './key-provider.ts';
import { loadOrCreateRootSecret } from './root-secret-file.ts';

const hkdfAsync = promisify(hkdf);

const SALT = 'latchkey/keys/v1';
/** Another purpose is another label, a changed derivation another version: a label's meaning never changes. */
const labels = {
  walletSigningKey: 'wallet-signing-key/v1',
  walletEncryptionKey: 'wallet-encryption-key/v1',
  actionSigningKey: 'action-signing-key/v1',
  usageKeySecret: 'usage-key-secret/v1',
  sealer: 'sealer/v1',
} as const;

const SEAL_VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type LocalKeyProviderOptions = {
  /** File of the sealed root secret; made, with its directory, when it does not exist. */
  path: string;
  passphrase: string;
};

/** Errors: `RootSecretError`, when the file is damaged, readable by others, or sealed with another passphrase. */
export const createLocalKeyProvider = async (options: LocalKeyProviderOptions): Promise<KeyProvider> =>
  keyProviderFrom(await loadOrCreateRootSecret(options));

/** The provider of a root secret of 32 bytes. */
export const keyProviderFrom = (rootSecret: Uint8Array): KeyProvider => {
  /** HKDF-SHA256 with `info = label | 0x00 | context`; no label contains the zero byte, so no two inputs collide. */
  const expand = async (label: string, context: Uint8Array | string, bytes: number): Promise<Uint8Array> => {
    const info = Buffer.concat([Buffer.from(`${label}\0`), Buffer.from(context)]);
    return new Uint8Array(await hkdfAsync('sha256', rootSecret, SALT, info, bytes));
  };
  /** 48 bytes reduced to 1 … order − 1 (FIPS 186-5, A.2.1): the bias is below 2⁻¹²⁸. */
  const scalar = async (label: string, context: Uint8Array | string): Promise<Hex> =>
    bytesToHex(secp256k1.utils.randomSecretKey(await expand(label, context, 48)));

  return {
    derive: async (path) => scalar(labels.walletSigningKey, pathBytes(path)),
    deriveEncryption: async (path) => expand(labels.walletEncryptionKey, pathBytes(path), 32),
    deriveAction: async (cid) => scalar(labels.actionSigningKey, cid),
    deriveUsageKeySecret: async (path) => scalar(labels.usageKeySecret, pathBytes(path)),
    sealer: (label) => createSealer(() => expand(labels.sealer, label, 32)),
  };
};

/** A RangeError for what is no uint256. */
const pathBytes = (path: bigint): Uint8Array => {
  if (path < 0n || path >= 1n << 256n) throw new RangeError('the derivation path is not a uint256');
  return numberToBytes(path, { size: 32 });
};

const createSealer = (getKey: () => Promise<Uint8Array>): Sealer => {
  let key: Promise<Uint8Array> | undefined;
  const theKey = () => {
    key ??= getKey();
    return key;
  };
  const open = async (sealed: string, context = ''): Promise<Uint8Array> => {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < 1 + NONCE_BYTES + TAG_BYTES || bytes[0] !== SEAL_VERSION) {
      throw new SealError('not a sealed value');
    }
    const decipher = createDecipheriv('aes-256-gcm', await theKey(), bytes.subarray(1, 1 + NONCE_BYTES));
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const data = decipher.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES));
      return new Uint8Array(Buffer.concat([data, decipher.final()]));
    } catch {
      throw new SealError(
        'the sealed value was changed, or sealed with another label, context or root secret',
      );
    }
  };
  return {
    async seal(data, context = '') {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', await theKey(), nonce);
      cipher.setAAD(Buffer.from(context));
      const ciphertext = [cipher.update(Buffer.from(data)), cipher.final()];
      const parts = [Buffer.of(SEAL_VERSION), nonce, ...ciphertext, cipher.getAuthTag()];
      return Buffer.concat(parts).toString('base64url');
    },
    open,
    openText: async (sealed, context) => Buffer.from(await open(sealed, context)).toString('utf8'),
  };
};

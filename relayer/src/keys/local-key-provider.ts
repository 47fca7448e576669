/** A key provider that derives all secrets from one root secret, which is stored in a sealed file. */
import { hkdf, hkdfSync } from 'node:crypto';
import { promisify } from 'node:util';
import { createSealer } from '@latchkey/service/sealer';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, type Hex, numberToBytes } from 'viem';
import type { KeyProvider } from './key-provider.ts';
import { loadOrCreateRootSecret, type RootSecretOptions } from './root-secret-file.ts';

const hkdfAsync = promisify(hkdf);

const SALT = 'latchkey/keys/v1';
/**
 * Derivation labels. A new purpose needs a new label and a changed derivation a new version; the meaning of a label
 * never changes.
 */
const labels = {
  walletSigningKey: 'wallet-signing-key/v1',
  walletEncryptionKey: 'wallet-encryption-key/v1',
  actionSigningKey: 'action-signing-key/v1',
  usageKeySecret: 'usage-key-secret/v1',
  ed25519Keys: 'ed25519-keys/v1',
  bip340Keys: 'bip340-keys/v1',
  receiptSigningKey: 'receipt-signing-key/v1',
  sealer: 'sealer/v1',
} as const;

/** Prefix of sealed values. Another derivation of the key needs another id. */
const SEALING_KEY_ID = Uint8Array.of(1);

/** Rejects with `RootSecretError` when the file is damaged, readable by others, or sealed with another passphrase. */
export const createLocalKeyProvider = async (options: RootSecretOptions): Promise<KeyProvider> =>
  keyProviderFrom(await loadOrCreateRootSecret(options));

/** Returns the provider of a 32-byte root secret. */
export const keyProviderFrom = (rootSecret: Uint8Array): KeyProvider => {
  const expand = async (label: string, context: Uint8Array | string, bytes: number): Promise<Uint8Array> =>
    new Uint8Array(await hkdfAsync('sha256', rootSecret, SALT, hkdfInfo(label, context), bytes));
  /** Reduces 48 bytes to 1 … order − 1 (FIPS 186-5, A.2.1). The bias is below 2⁻¹²⁸. */
  const scalar = async (label: string, context: Uint8Array | string): Promise<Hex> =>
    bytesToHex(secp256k1.utils.randomSecretKey(await expand(label, context, 48)));

  return {
    derive: async (path) => scalar(labels.walletSigningKey, pathBytes(path)),
    deriveEncryption: async (path) => expand(labels.walletEncryptionKey, pathBytes(path), 32),
    deriveAction: async (cid) => scalar(labels.actionSigningKey, cid),
    deriveUsageKeySecret: async (path) => scalar(labels.usageKeySecret, pathBytes(path)),
    async sign(keyType, path, message) {
      // A relayer with key nodes never signs: it has 20 MB less.
      const { signWhole } = await import('@latchkey/threshold/signing');
      const label = keyType === 'ed25519' ? labels.ed25519Keys : labels.bip340Keys;
      return signWhole(await expand(label, '', 48), keyType, path, message);
    },
    receiptSigningKey: async () => scalar(labels.receiptSigningKey, ''),
    sealer: (label) => {
      const key = new Uint8Array(hkdfSync('sha256', rootSecret, SALT, hkdfInfo(labels.sealer, label), 32));
      return createSealer([{ id: SEALING_KEY_ID, key }]);
    },
  };
};

/** Returns `label | 0x00 | context` for HKDF-SHA256: no label contains the zero byte, so no two inputs collide. */
const hkdfInfo = (label: string, context: Uint8Array | string): Buffer =>
  Buffer.concat([Buffer.from(`${label}\0`), Buffer.from(context)]);

/** Throws a RangeError when the path is not a uint256. */
const pathBytes = (path: bigint): Uint8Array => {
  if (path < 0n || path >= 1n << 256n) throw new RangeError('the derivation path is not a uint256');
  return numberToBytes(path, { size: 32 });
};

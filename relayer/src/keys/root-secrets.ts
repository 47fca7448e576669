/** Secrets that the relayer derives from the root secret: no key of a wallet, an action or an account. */
import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import { createSealer, type Sealer } from '@latchkey/service/sealer';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, type Hex } from 'viem';
import { LOCAL_PASSPHRASE } from '../config-checks.ts';
import { loadOrCreateRootSecret } from './root-secret-file.ts';

const SALT = 'latchkey/keys/v1';
/** Prefix of sealed values. Another derivation of the key needs another id. */
const SEALING_KEY_ID = Uint8Array.of(1);

export type RootSecrets = {
  /** Private key that signs receipts of runs. */
  receiptSigningKey: Hex;
  /** Returns a sealer for data at rest. Each label has its own key. */
  sealer(label: string): Sealer;
};

/** Where the root secret is: ROOT_SECRET, or else a sealed file. */
export type RootSecretPlace = {
  dataDir: string;
  secrets: { rootSecret?: string | undefined; rootSecretPassphrase: string };
};

export const rootSecretPath = (dataDir: string): string => join(dataDir, 'root-secret.json');

/** Rejects with `RootSecretError` when the file is damaged, readable by others, or sealed with another passphrase. */
export const openRootSecrets = async ({ dataDir, secrets }: RootSecretPlace): Promise<RootSecrets> => {
  const { rootSecret, rootSecretPassphrase: passphrase } = secrets;
  if (rootSecret !== undefined) return rootSecretsFrom(Buffer.from(rootSecret, 'hex'));
  const isPublic = passphrase === LOCAL_PASSPHRASE;
  return rootSecretsFrom(
    await loadOrCreateRootSecret({ path: rootSecretPath(dataDir), passphrase, isPublic }),
  );
};

/** Returns the secrets of a root secret of 32 bytes. */
export const rootSecretsFrom = (rootSecret: Uint8Array): RootSecrets => {
  /** NOTE A new purpose needs a new label. A label has no zero byte, because that byte ends it and keeps inputs from colliding. */
  const expand = (label: string, context: string, bytes: number): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', rootSecret, SALT, Buffer.from(`${label}\0${context}`), bytes));
  return {
    // Reduces 48 bytes to 1 … order − 1 (FIPS 186-5, A.2.1). The bias is below 2⁻¹²⁸.
    receiptSigningKey: bytesToHex(secp256k1.utils.randomSecretKey(expand('receipt-signing-key/v1', '', 48))),
    sealer: (label) => createSealer([{ id: SEALING_KEY_ID, key: expand('sealer/v1', label, 32) }]),
  };
};

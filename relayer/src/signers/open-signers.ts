/** The keys of the payers, wherever they are. */
import type { Signer } from '@latchkey/outbox';
import { localSigner } from '@latchkey/service/secp256k1';
import type { Hex } from 'viem';
import { remoteSigner } from './remote-key.ts';

type Keys = {
  /** SECRET */
  payerPrivateKeys: readonly Hex[];
  /** As in PAYERS. */
  payers: readonly string[];
  /** SECRET */
  keystorePassphrase: string;
};

/** Cloud clients are loaded only when a payer needs them. */
async function openSigner(uri: string, passphrase: string): Promise<Signer> {
  const [, kind, name = ''] = /^([\w-]+):(.+)$/.exec(uri) ?? [];
  if (kind === 'keystore')
    return localSigner(await (await import('./keystore.ts')).readKeystore(name, passphrase));
  if (kind === 'aws-kms') return remoteSigner(await (await import('./aws-kms.ts')).awsKmsKey(name));
  if (kind === 'gcp-kms') return remoteSigner(await (await import('./gcp-kms.ts')).gcpKmsKey(name));
  return remoteSigner(await (await import('./web3signer.ts')).web3SignerKey(name));
}

/** Rejects when a key cannot be opened, or two are the same. */
export async function openSigners({ payerPrivateKeys, payers, keystorePassphrase }: Keys): Promise<Signer[]> {
  const opened = payers.map((uri, index) =>
    openSigner(uri, keystorePassphrase).catch((cause: unknown) => {
      // The URI can contain credentials.
      throw new Error(`PAYERS: the key at position ${index + 1} cannot be used`, { cause });
    }),
  );
  const signers = [...payerPrivateKeys.map(localSigner), ...(await Promise.all(opened))];
  const addresses = signers.map(({ address }) => address);
  const twice = addresses.find((address, index) => addresses.indexOf(address) !== index);
  if (twice) throw new Error(`PAYER_PRIVATE_KEYS, PAYERS: ${twice} is listed twice`);
  return signers;
}

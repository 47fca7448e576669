/** The reply with a new wallet. */
import { address, derivationPath } from '@latchkey/http';
import { z } from 'zod';
import { addressCertificate, type MintedWallet } from '../../keys/mints.ts';

export const mintedWalletReply = z.object({
  wallet_address: address,
  derivation_path: derivationPath,
  public_key: z.string().nullable().meta({
    description:
      '0x04 and 128 hex digits, to encrypt secrets to. The address is its hash. Null while runners of an earlier version are in use.',
  }),
  certificate: addressCertificate.meta({
    description:
      'The signature of the key nodes that the wallet at this path has this address. Verify it, with the parameters that the contract ' +
      'publishes, before you use the address.',
  }),
});

export const mintedWalletExample: z.input<typeof mintedWalletReply> = {
  wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  derivation_path: `0x${'00'.repeat(20)}a3f1c9d27b64e80d5f92c1ab`,
  public_key:
    '0x048318535b54105d4a7aae60c08fc45f9687181b4fdfc625bd1a753fa7397fed753547f11ca8696646f2f3acb08e31016afac23e630c5d11f59f61fef57b0d2aa5',
  certificate: { parameters: 'latchkey-threshold/1 …', partials: [{ identifier: 1, partial: 'AAEC' }] },
};

export const toMintedWalletReply = (
  { address: wallet_address, publicKey, certificate }: MintedWallet,
  derivation_path: bigint,
): z.output<typeof mintedWalletReply> => ({
  wallet_address,
  derivation_path,
  public_key: publicKey ?? null,
  certificate,
});

/** The reply with a new wallet. */
import { address, derivationPath } from '@latchkey/http';
import { z } from 'zod';
import { addressCertificate, type MintedWallet } from '../../keys/mints.ts';

export const mintedWalletReply = z.object({
  wallet_address: address,
  derivation_path: derivationPath,
  certificate: addressCertificate.meta({
    description:
      'The signature of the key nodes that the wallet at this path has this address. Verify it, with the parameters that the contract ' +
      'publishes, before you use the address.',
  }),
});

export const mintedWalletExample: z.input<typeof mintedWalletReply> = {
  wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  derivation_path: `0x${'00'.repeat(20)}a3f1c9d27b64e80d5f92c1ab`,
  certificate: { parameters: 'latchkey-threshold/1 …', partials: [{ identifier: 1, partial: 'AAEC' }] },
};

export const toMintedWalletReply = (
  { address: wallet_address, certificate }: MintedWallet,
  derivation_path: bigint,
): z.output<typeof mintedWalletReply> => ({
  wallet_address,
  derivation_path,
  certificate,
});

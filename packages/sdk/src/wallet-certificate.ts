/** Certificates of the addresses of new wallets, verified offline. */
import type { Address } from 'viem';

/** The signature of the key nodes that the wallet at a derivation path has an address. */
export interface AddressCertificate {
  /** Parameters of the group under which the partials hold. */
  parameters: string;
  /** Proven partial evaluations, in base64. */
  partials: { identifier: number; partial: string }[];
}

export interface VerifyWalletAddressParameters {
  walletAddress: Address;
  derivationPath: bigint;
  certificate: AddressCertificate;
  /** The key nodes that the contract names: its node configuration `key-nodes`, which you read from the chain. */
  keyNodes: string;
}

/**
 * Resolves to true when as many key nodes as it takes to derive the key of a wallet have signed that the wallet at this path has this
 * address. Sends no request. The certificate does not say whose wallet it is: the contract does.
 */
export async function verifyWalletAddress({
  walletAddress,
  derivationPath: path,
  certificate,
  keyNodes,
}: VerifyWalletAddressParameters): Promise<boolean> {
  // Loaded when it is needed: it is larger than the rest of the SDK.
  const { decodeGroupParameters, verifyGroupSignature } = await import('@latchkey/threshold/group-signature');
  try {
    const { groupPublicKey } = decodeGroupParameters(keyNodes);
    const statement = {
      kind: 'wallet-address',
      path,
      address: walletAddress.slice(2).toLowerCase(),
    } as const;
    verifyGroupSignature(groupPublicKey, statement, certificate);
    return true;
  } catch {
    return false;
  }
}

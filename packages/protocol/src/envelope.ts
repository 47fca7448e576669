import { type Address, type Hex, hashTypedData } from 'viem';

/**
 * The signed typed-data envelope (EIP-712) by which a wallet proves itself to the service. The primary type names the
 * purpose and is part of the signed data: a signature for one purpose is refused for every other one.
 */
export const primaryTypes = ['CreateWallet', 'ConvertAccount', 'AddUsageApiKey', 'BillingAuth'] as const;
export type PrimaryType = (typeof primaryTypes)[number];

export const TYPED_DATA_NAME = 'Service ChainSecured';
export const TYPED_DATA_VERSION = '1';
/** Maximum size of the serialized text. */
export const MAX_TYPED_DATA_BYTES = 4096;
/** Maximum distance of `issuedAt` from the verifier's clock, in either direction. */
export const TYPED_DATA_WINDOW_SECONDS = 300n;

export const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
] as const;
export const messageFields = [
  { name: 'address', type: 'address' },
  { name: 'issuedAt', type: 'uint256' },
] as const;

export interface TypedDataClaim {
  primaryType: PrimaryType;
  /** The wallet that proves itself. */
  address: Address;
  chainId: bigint;
  /** Unix seconds. */
  issuedAt: bigint;
}

/** Returns the envelope of a claim in the form that `signTypedData` of viem and wallets takes. */
export function buildTypedData({ primaryType, address, chainId, issuedAt }: TypedDataClaim) {
  return {
    types: { EIP712Domain: domainFields, [primaryType]: messageFields },
    primaryType,
    domain: { name: TYPED_DATA_NAME, version: TYPED_DATA_VERSION, chainId },
    message: { address, issuedAt },
  };
}

/** Returns the digest that the wallet signs. */
export function typedDataDigest(claim: TypedDataClaim): Hex {
  return hashTypedData(buildTypedData(claim) as Parameters<typeof hashTypedData>[0]);
}

import { type Address, type Hex, hashTypedData } from 'viem';

/**
 * The signed typed-data envelope (EIP-712) by which a wallet proves itself to the service. The primary type says what for,
 * and is part of what is signed: a signature for one purpose is refused for every other one.
 */
export const primaryTypes = ['CreateWallet', 'ConvertAccount', 'AddUsageApiKey', 'BillingAuth'] as const;
export type PrimaryType = (typeof primaryTypes)[number];

export const TYPED_DATA_NAME = 'Service ChainSecured';
export const TYPED_DATA_VERSION = '1';
/** Of the serialized text. */
export const MAX_TYPED_DATA_BYTES = 4096;
/** How far `issuedAt` may lie from the verifier's clock, to either side. */
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

/** The envelope of a claim, as viem's and every wallet's `signTypedData` take it. */
export function buildTypedData({ primaryType, address, chainId, issuedAt }: TypedDataClaim) {
  return {
    types: { EIP712Domain: domainFields, [primaryType]: messageFields },
    primaryType,
    domain: { name: TYPED_DATA_NAME, version: TYPED_DATA_VERSION, chainId },
    message: { address, issuedAt },
  };
}

/** What the wallet signs. */
export function typedDataDigest(claim: TypedDataClaim): Hex {
  return hashTypedData(buildTypedData(claim) as Parameters<typeof hashTypedData>[0]);
}

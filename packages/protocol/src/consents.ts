/** The consent of the holder of an account key, as `IAccountWrites` of the contracts describes it. */
import type { Address } from 'viem';
import { domainOf, type SignedWritesTypedData } from './signed-writes.ts';

/** The fields of each consent, by the primary type that names its write. */
const consentTypes = {
  RotateAccountKey: [
    { name: 'apiKeyHash', type: 'uint256' },
    { name: 'newApiKeyHash', type: 'uint256' },
    { name: 'newAdminWalletAddress', type: 'address' },
    { name: 'deadline', type: 'uint256' },
  ],
  RetireManagedAccount: [
    { name: 'apiKeyHash', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  ConvertToChainSecuredAccount: [
    { name: 'apiKeyHash', type: 'uint256' },
    { name: 'newAdminWalletAddress', type: 'address' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;

type Values = { uint256: bigint; address: Address };
export type ConsentType = keyof typeof consentTypes;
export type ConsentMessage<Type extends ConsentType> = {
  [Field in (typeof consentTypes)[Type][number] as Field['name']]: Values[Field['type']];
};

/** Returns the typed data that the key of an account signs (EIP-712). The `deadline` is in Unix seconds. */
export function buildConsent<Type extends ConsentType>(
  { chainId, contractAddress }: { chainId: number; contractAddress: Address },
  primaryType: Type,
  message: ConsentMessage<Type>,
): SignedWritesTypedData {
  const types = { [primaryType]: [...consentTypes[primaryType]] };
  return { domain: domainOf(chainId, contractAddress), types, primaryType, message };
}

/** The consent of the holder of an account key to a write that an api payer alone must not make. */
import { forbidden } from '@latchkey/http';
import {
  apiKeyHash,
  apiKeyToBytes,
  buildConsent,
  type ConsentMessage,
  type ConsentType,
} from '@latchkey/protocol';
import { signHash } from '@latchkey/service/secp256k1';
import { type Hex, hashTypedData } from 'viem';
import type { AccountConfig } from '../chain/account-config.ts';

/** Fields of a consent that depend on its type. The account is always the account of the key. */
export type ConsentFields<Type extends ConsentType> = Omit<ConsentMessage<Type>, 'apiKeyHash' | 'deadline'>;

/** Signs a consent with the account key of a request. The `deadline` is in Unix seconds. */
export type SignConsent = <Type extends ConsentType>(
  type: Type,
  fields: ConsentFields<Type>,
  deadline: bigint,
) => Hex;

/**
 * Returns the signer of an account key. A consent names the hash of that key, so that no request can make one for another account.
 *
 * @param key SECRET. Not stored, and in no error.
 */
export function createConsentSigner(
  { chainId, address }: Pick<AccountConfig, 'chainId' | 'address'>,
  key: string,
): SignConsent {
  return <Type extends ConsentType>(type: Type, fields: ConsentFields<Type>, deadline: bigint) => {
    const message = { ...fields, apiKeyHash: apiKeyHash(key), deadline } as unknown as ConsentMessage<Type>;
    const typedData = buildConsent({ chainId, contractAddress: address }, type, message);
    const digest = hashTypedData(typedData as Parameters<typeof hashTypedData>[0]);
    try {
      return signHash(digest, apiKeyToBytes(key));
    } catch {
      throw forbidden('This account key can sign no consent: it is not the base64 text of a secp256k1 key.', {
        fix: 'Sign the consent with the wallet of the account, and let its api payer send the write.',
      });
    }
  };
}

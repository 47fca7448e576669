/** Keys in AWS KMS. Region, endpoint and credentials that the URI does not name are found as every AWS client finds them. */
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { hexToBytes, keccak256 } from 'viem';
import { addressOfSpki, inTime, type RemoteKey, signatureOfDer } from './remote-key.ts';

/** @param name - `<region>/<key id, alias or ARN>` of a key of the type ECC_SECG_P256K1. */
export async function awsKmsKey(name: string): Promise<RemoteKey> {
  const [, region = '', keyId = ''] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  const client = new KMSClient({ region });
  const { PublicKey } = await inTime((abortSignal) =>
    client.send(new GetPublicKeyCommand({ KeyId: keyId }), { abortSignal }),
  );
  if (!PublicKey) throw new Error('AWS KMS returned no public key');
  return {
    address: addressOfSpki(PublicKey),
    async sign(unsigned, abortSignal) {
      const digest = { Message: hexToBytes(keccak256(unsigned)), MessageType: 'DIGEST' } as const;
      const command = new SignCommand({ KeyId: keyId, ...digest, SigningAlgorithm: 'ECDSA_SHA_256' });
      const { Signature } = await client.send(command, { abortSignal });
      if (!Signature) throw new Error('AWS KMS returned no signature');
      return signatureOfDer(Signature);
    },
  };
}

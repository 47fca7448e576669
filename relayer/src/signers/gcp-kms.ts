/** Keys in Google Cloud KMS. Credentials are found as every Google client finds them. */
import { GoogleAuth } from 'google-auth-library';
import { hexToBytes, keccak256 } from 'viem';
import { z } from 'zod';
import { addressOfSpki, inTime, type RemoteKey, signatureOfDer } from './remote-key.ts';

const publicKey = z.object({ pem: z.string() });
const signed = z.object({ signature: z.base64() });

/** @param name - `projects/…/cryptoKeyVersions/<n>` of a key of the algorithm EC_SIGN_SECP256K1_SHA256. */
export async function gcpKmsKey(name: string): Promise<RemoteKey> {
  // Without a project it would start `gcloud` to ask for one.
  const [, projectId = ''] = name.split('/');
  const auth = new GoogleAuth({ projectId, scopes: 'https://www.googleapis.com/auth/cloudkms' });
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    const headers = await auth.getRequestHeaders();
    headers.set('content-type', 'application/json');
    const response = await fetch(`https://cloudkms.googleapis.com/v1/${name}${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`Google Cloud KMS replied ${response.status}`);
    return response.json();
  };
  const { pem } = publicKey.parse(await inTime((signal) => ask('/publicKey', { signal })));
  return {
    address: addressOfSpki(pem),
    async sign(unsigned, signal) {
      // The service signs the 32 bytes as they are: their name does not mean that it hashes.
      const sha256 = Buffer.from(hexToBytes(keccak256(unsigned))).toString('base64');
      const body = JSON.stringify({ digest: { sha256 } });
      const reply = await ask(':asymmetricSign', { method: 'POST', body, signal });
      return signatureOfDer(Buffer.from(signed.parse(reply).signature, 'base64'));
    },
  };
}

/** Keys in a Web3Signer that serves `eth1`. It signs the hash of the bytes that it gets, so it needs no downstream node. */
import { Agent, request } from 'undici';
import { type Address, type Hex, isAddressEqual, isHex, slice } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { inTime, type RemoteKey } from './remote-key.ts';

/** Thousands of public keys. */
const MAX_REPLY_BYTES = 1024 * 1024;
const dispatcher = new Agent({ maxResponseSize: MAX_REPLY_BYTES });

const publicKeys = z.array(z.custom<Hex>((value) => isHex(value) && value.length === 130));

/** @param name - `<URL>#<address of the key>` */
export async function web3SignerKey(name: string): Promise<RemoteKey> {
  const [url, address] = name.split('#') as [string, Address];
  const ask = async (path: string, options: Parameters<typeof request>[1]): Promise<string> => {
    const asked = `${url.replace(/\/$/, '')}/api/v1/eth1/${path}`;
    const { statusCode, body } = await request(asked, { ...options, dispatcher });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`Web3Signer replied ${statusCode}`);
    return text;
  };
  const known = publicKeys.parse(JSON.parse(await inTime((signal) => ask('publicKeys', { signal }))));
  const addressOf = (key: Hex): Address => publicKeyToAddress(`0x04${key.slice(2)}`);
  const identifier = known.find((key) => isAddressEqual(addressOf(key), address));
  if (!identifier) throw new Error(`Web3Signer has no key of ${address}`);
  return {
    address: addressOf(identifier),
    async sign(data, signal) {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ data });
      const text = await ask(`sign/${identifier}`, { method: 'POST', headers, body, signal });
      if (!isHex(text) || text.length !== 132) throw new Error('Web3Signer did not return a signature');
      return slice(text, 0, 64);
    },
  };
}

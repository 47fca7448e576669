/** The enclave of this runner: an identity that only it knows, and quotes for it. */
import { randomBytes } from 'node:crypto';
import { createIdentity, reportData } from '@latchkey/key-protocol';
import { connectGuestAgent } from '@latchkey/service/guest-agent';

export type Enclave = {
  /** Public key of the runner. */
  identity: string;
  /** Returns a quote for the identity and the nonce of a key node, as JSON. */
  quote: (nonce: string) => Promise<string>;
};

/** SECRET. Random, because the operator could use a seed from a setting outside the enclave. */
export const randomSeed = (): string => randomBytes(32).toString('hex');

export function openEnclave(socketPath: string, seed: string): Enclave {
  const agent = connectGuestAgent(socketPath);
  const { publicKey: identity } = createIdentity(seed);
  return {
    identity,
    quote: async (nonce) =>
      JSON.stringify(await agent.quote(reportData({ purpose: 'runner', identity, nonce }))),
  };
}

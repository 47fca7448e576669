/** The enclave of this node: a key that seals its file, and quotes for its identity. */
import { hkdfSync } from 'node:crypto';
import { type Evidence, reportData } from '@latchkey/key-protocol';
import { connectGuestAgent } from '@latchkey/service/guest-agent';

const KEY_PATH = 'latchkey/key-node';

export type Tee = {
  /** Returns 32 bytes that only this application in an enclave gets. SECRET. */
  sealingKey: (salt: Uint8Array) => Promise<Uint8Array>;
  /** Returns a quote of the enclave for the identity of this node and this nonce. */
  quote: (identity: string, nonce: string) => Promise<Evidence>;
};

export function connectTee(socketPath: string): Tee {
  const agent = connectGuestAgent(socketPath);
  return {
    async sealingKey(salt) {
      const key = await agent.key(KEY_PATH, 'sealing');
      return new Uint8Array(hkdfSync('sha256', Buffer.from(key, 'hex'), salt, `${KEY_PATH}/sealing/v1`, 32));
    },
    quote: (identity, nonce) => agent.quote(reportData({ purpose: 'key-node', identity, nonce })),
  };
}

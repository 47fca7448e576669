/** Peers whose replies do not end: each reader gives up at its largest reply, long before its time is over. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createIdentity } from '@latchkey/key-protocol';
import { createLogger } from '@latchkey/service/logger';
import { expect, onTestFinished, test } from 'vitest';
import { createIndexerClient } from '../indexer-client.ts';
import { web3SignerKey } from '../signers/web3signer.ts';
import { askDealing, askHealth } from './node-health.ts';
import { createRunnerAttestations } from './runner-attestations.ts';

const CHUNK = Buffer.alloc(1024 * 1024, ' ');
/** The buffers of sockets, which a reader of a small reply leaves full. */
const BUFFERED_MIB = 16;

async function startEndless() {
  const server = createServer((_request, response) => send(response.writeHead(200)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const peer = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sentMib: 0 };
  const send = (response: ServerResponse): void => {
    if (response.destroyed) return;
    peer.sentMib++;
    response.write(CHUNK, () => send(response));
  };
  return peer;
}

const log = createLogger({ name: 'test', level: 'silent' });
const runners = { attested: () => [{ identity: '0a', quote: async () => '{}' }] };

test.each<[string, (url: string) => Promise<unknown>, number]>([
  ['the health of a key node', askHealth, 0],
  ['the dealing of a key node', askDealing, 0],
  ['the keys of a Web3Signer', (url) => web3SignerKey(`${url}#0x00`), 1],
  [
    'a list of the indexer',
    (url) =>
      createIndexerClient({ urls: [url], timeoutMs: 20_000 }).list(
        1n,
        'groups',
        { page_number: 0, page_size: 1 },
        0n,
      ),
    64,
  ],
  [
    'the nonce of a key node for a runner',
    async (url) => {
      const told: unknown[] = [];
      const warn = (fields: { err: unknown }) => told.push(fields.err);
      const identity = createIdentity('02'.repeat(32));
      await createRunnerAttestations({ urls: [url], identity, runners, log: { ...log, warn } as never })();
      throw told[0];
    },
    0,
  ],
])('%s', async (_what, read, limitMib) => {
  const peer = await startEndless();
  await expect(read(peer.url)).rejects.toThrow();
  expect(peer.sentMib).toBeLessThan(limitMib + BUFFERED_MIB);
});

import { protocols } from '@latchkey/service/versions';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from './server.ts';

const service = {
  follower: {
    head: { block: { number: 7n, hash: '0x' }, reaches: async () => true },
    isFollowing: () => true,
  },
  routes: { fetch: () => Response.json([]) },
} as never;

const ask = async (latest: number, offered?: string) => {
  protocols.indexer.latest = latest;
  onTestFinished(() => {
    protocols.indexer.latest = 1;
  });
  const headers: Record<string, string> = offered === undefined ? {} : { 'Latchkey-Protocol': offered };
  const reply = await createApp(() => service).request('/accounts/0x1/groups', { headers });
  return [reply.status, reply.headers.get('latchkey-protocol')];
};

test.each([
  ['its own version', 1, 'latchkey-indexer.1', [200, 'latchkey-indexer.1']],
  ['one version up', 1, 'latchkey-indexer.2, latchkey-indexer.1', [200, 'latchkey-indexer.1']],
  ['one version down', 2, 'latchkey-indexer.1', [200, 'latchkey-indexer.1']],
  ['no version', 1, undefined, [200, null]],
  ['two versions up', 1, 'latchkey-indexer.3, latchkey-indexer.2', [426, 'latchkey-indexer.1']],
  ['two versions down', 3, 'latchkey-indexer.1', [426, 'latchkey-indexer.3, latchkey-indexer.2']],
])('a relayer of %s', async (_, latest, offered, expected) => {
  expect(await ask(latest, offered)).toEqual(expected);
});

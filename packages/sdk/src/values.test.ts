/** Actions and usage keys by their text or their hash. */
import { expect, test } from 'vitest';
import { cidHash, createClient, usageKeyHash } from './index.ts';

const cid = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';
const hash = 0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5n;
const client = createClient({ url: 'http://localhost', apiKey: 'key' });

test('cidHash returns the hash of a CID, and a hash as it is', () => {
  expect(cidHash(cid)).toBe(hash);
  expect(cidHash(hash)).toBe(hash);
  for (const text of ['', 'Qm', `${cid} `, '0'])
    expect(() => cidHash(text)).toThrow('expected an IPFS CID, or its hash as a bigint');
});

test('usageKeyHash returns the hash of a key, and a hash as it is', () => {
  const key = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
  expect(usageKeyHash(key)).toBe(0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1n);
  expect(usageKeyHash(7n)).toBe(7n);
  expect(() => usageKeyHash('two words')).toThrow('expected a usage key');
});

test.each<[string, (cid: string | bigint) => Promise<{ request: { body: object } }>]>([
  ['updateActionMetadata', (cid) => client.prepare.updateActionMetadata({ cid, name: '', description: '' })],
  ['deleteAction', (cid) => client.prepare.deleteAction({ cid })],
  ['addGroup', (cid) => client.prepare.addGroup({ name: '', description: '', cids: [cid] })],
  [
    'updateGroup',
    (cid) => client.prepare.updateGroup({ groupId: 1n, name: '', description: '', cids: [cid], pkpIds: [] }),
  ],
  ['addActionToGroup', (cid) => client.prepare.addActionToGroup({ groupId: 1n, cid })],
  ['removeActionFromGroup', (cid) => client.prepare.removeActionFromGroup({ groupId: 1n, cid })],
  ['addToGroup', (cid) => client.prepare.addToGroup({ groupId: 1n, cids: [cid] })],
  ['removeFromGroup', (cid) => client.prepare.removeFromGroup({ groupId: 1n, cids: [cid] })],
])('%s takes a CID or its hash', async (_name, prepare) => {
  const { body } = (await prepare(cid)).request;
  expect((await prepare(cidHash(cid))).request.body).toEqual(body);
  expect(JSON.stringify(body)).toContain(`0x${hash.toString(16)}`);
  await expect(prepare('Qm')).rejects.toMatchObject({ code: 'configuration' });
});

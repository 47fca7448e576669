/** Stored code and new versions of actions, in both modes. */
import { cidOf } from '@latchkey/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type ActionVersionParameters,
  type ApiClient,
  type ChainSecuredClient,
  cidHash,
  prepareActionVersion,
} from '../src/index.ts';
import { newApiClient, newChainSecuredClient } from './clients.ts';

const newCode = () => `const main = () => ${JSON.stringify(crypto.randomUUID())}`;

describe.each([
  ['API', newApiClient],
  ['ChainSecured', () => newChainSecuredClient('indexer')],
] as const)('%s mode', (mode, open) => {
  let client: ApiClient | ChainSecuredClient;
  beforeAll(async () => {
    client = await open();
  });

  const listed = async () => ({
    actions: (await client.listActions()).items,
    groups: (await client.listGroups()).items,
  });
  const prepare = async (version: Omit<ActionVersionParameters, 'actions' | 'groups'>) =>
    prepareActionVersion(client, { ...version, ...(await listed()) });
  const addGroup = async (...cids: (string | bigint)[]) =>
    (await client.addGroup({ name: 'group', description: '', cids })).groupId;
  const cidsOf = async (groupId: bigint) =>
    (await listed()).groups.find((group) => group.groupId === groupId)?.cidHashes;
  const isRegistered = async (cid: string) =>
    (await listed()).actions.some((action) => action.cidHash === cidHash(cid));

  test('code is stored, listed, read and deleted', async () => {
    const code = newCode();
    const cid = await cidOf(code);
    await client.storeActionCode({ cid, code, replaces: 5n });
    const item = { cid, bytes: code.length, replaces: 5n, storedAt: expect.any(Date) };
    expect(await client.listActionCodes()).toEqual([item]);
    expect(await client.getActionCode({ cid })).toEqual({ ...item, code });
    await client.deleteActionCode({ cid });
    expect(await client.listActionCodes()).toEqual([]);
    await expect(client.getActionCode({ cid })).rejects.toMatchObject({ status: 404 });
    await expect(client.storeActionCode({ cid, code: 'other' })).rejects.toMatchObject({ status: 400 });
  });

  test('a first version is registered in its groups, and then there is nothing to write', async () => {
    const [cid, groupId] = [await cidOf(newCode()), await addGroup()];
    const version = { cid, name: 'first', groupIds: [groupId] };
    const prepared = await prepare(version);
    expect(prepared?.changes).toHaveLength(2);
    await prepared?.send();
    expect(await cidsOf(groupId)).toEqual([cidHash(cid)]);
    expect(await prepare(version)).toBeUndefined();
    expect(await prepare({ ...version, replaces: cid })).toBeUndefined();
  });

  test.each([
    ['registered', 1, true],
    ['permitted', 2, true],
    ['removed', 1, false],
  ] as const)('the version before is then %s', async (replaced, size, stays) => {
    const [before, cid] = [await cidOf(newCode()), await cidOf(newCode())];
    await client.addAction({ cid: before, name: 'a', description: '' });
    const groups = [await addGroup(before), await addGroup(before)];
    const [wildcard, other] = [await addGroup(0n), await addGroup()];
    const prepared = await prepare({ cid, name: 'a', replaces: before, replaced });
    if (prepared?.mode === 'api')
      expect(prepared.priceMicros).toBe(BigInt(prepared.requests.length) * 10_000n);
    await prepared?.send();
    for (const group of groups) {
      expect(await cidsOf(group)).toHaveLength(size);
      expect(await cidsOf(group)).toContain(cidHash(cid));
    }
    expect([await cidsOf(wildcard), await cidsOf(other)]).toEqual([[0n], []]);
    expect([await isRegistered(before), await isRegistered(cid)]).toEqual([stays, true]);
    expect(await prepare({ cid, name: 'a', replaces: before, replaced })).toBeUndefined();
  });

  if (mode === 'API')
    test('additions come before removals, and a second send with the same key continues', async () => {
      const [before, cid] = [await cidOf(newCode()), await cidOf(newCode())];
      const groupId = await addGroup(before);
      const prepared = await prepare({ cid, name: 'a', replaces: before });
      if (prepared?.mode !== 'api') throw new Error('not prepared');
      expect(prepared.requests.map(({ url }) => new URL(url).pathname)).toEqual([
        '/core/v1/add_action',
        '/core/v1/add_to_group',
        '/core/v1/remove_action_from_group',
      ]);
      const idempotencyKey = crypto.randomUUID();
      await client.addAction({ cid, name: 'a', description: '' }, { idempotencyKey: `${idempotencyKey}-0` });
      await prepared.send({ idempotencyKey });
      expect(await cidsOf(groupId)).toEqual([cidHash(cid)]);
    });
});

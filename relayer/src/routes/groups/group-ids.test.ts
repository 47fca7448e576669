/** The `id` of list_groups in every call that takes a group id, and the reply to a value that is too wide. */
import { cidHash } from '@latchkey/protocol';
import {
  type Account,
  addGroup,
  addUsageKey,
  createWallet,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  post,
  read,
} from '@latchkey/testing/stack';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { prefix } from '../define-route.ts';
import { routes } from '../index.ts';

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';
const permissionArrays = [
  'manage_ipfs_ids_in_groups',
  'add_pkp_to_groups',
  'remove_pkp_from_groups',
  'execute_in_groups',
];

let account: Account;
let wallet: string;
/** Writes with a `group_id`, in an order in which each succeeds. */
let bodies: Record<string, object>;

beforeAll(async () => {
  account = await newAccount();
  wallet = await createWallet(account.key);
  bodies = {
    update_group: { name: 'n', description: '', pkp_ids_permitted: [], cid_hashes_permitted: [] },
    add_action_to_group: { action_ipfs_cid: cid },
    add_pkp_to_group: { pkp_id: wallet },
    remove_action_from_group: { hashed_cid: hex(cidHash(cid)) },
    remove_pkp_from_group: { pkp_id: wallet },
    add_to_group: { cid_hashes: [hex(cidHash(cid))] },
    remove_from_group: { cid_hashes: [hex(cidHash(cid))] },
    remove_group: {},
  };
});

const listFields = (schema: z.ZodType | undefined): string[] =>
  schema ? Object.keys(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {}) : [];
const listRoutes = (method: 'GET' | 'POST', fields: string[]): string[] =>
  routes
    .filter((route) => route.method === method)
    .filter((route) => {
      const { body, query } = route as { body?: z.ZodType; query?: z.ZodType };
      return listFields(method === 'GET' ? query : body).some((field) => fields.includes(field));
    })
    .map(({ path }) => path.slice(prefix.length + 1));

test('covers every call that takes a group id', () => {
  expect(listRoutes('POST', ['group_id']).sort()).toEqual(Object.keys(bodies).sort());
  expect(listRoutes('GET', ['group_id']).sort()).toEqual(['list_actions', 'list_wallets_in_group']);
  expect(listRoutes('POST', permissionArrays).sort()).toEqual(['add_usage_api_key', 'update_usage_api_key']);
});

async function newListedGroup(): Promise<string> {
  await addGroup(account.key);
  return ((await get('list_groups', account.key)).body as { id: string }[]).at(-1)?.id as string;
}

test('every write accepts the id of list_groups', async () => {
  const group_id = await newListedGroup();
  expect(group_id).toHaveLength(66);
  for (const [path, body] of Object.entries(bodies))
    expectWritten(await post(path, { group_id, ...body }, account.key));
});

test('lists accept the id of list_groups', async () => {
  const group_id = await newListedGroup();
  expectWritten(await post('add_action_to_group', { group_id, action_ipfs_cid: cid }, account.key));
  expectWritten(await post('add_pkp_to_group', { group_id, pkp_id: wallet }, account.key));
  expect((await get(`list_actions?group_id=${group_id}`, account.key)).body).toMatchObject([
    { id: hex(cidHash(cid)) },
  ]);
  expect((await get(`list_wallets_in_group?group_id=${group_id}`, account.key)).body).toMatchObject([
    { wallet_address: wallet },
  ]);
});

test('permission arrays accept the id of list_groups', async () => {
  const { key, hash } = await newAccount();
  await addGroup(key);
  const [group] = (await get('list_groups', key)).body as { id: string }[];
  const permissions = Object.fromEntries(permissionArrays.map((name) => [name, [group?.id]]));
  const expected = [
    {
      permissions: {
        manageIPFSIdsInGroups: [1n],
        addPkpToGroups: [1n],
        removePkpFromGroups: [1n],
        executeInGroups: [1n],
      },
    },
  ];
  const usage_api_key = await addUsageKey(key, permissions);
  expect(await read('listApiKeys', [hash, 0n, 10n])).toMatchObject(expected);
  expectWritten(await post('update_usage_api_key', { usage_api_key }, key));
  expectWritten(await post('update_usage_api_key', { usage_api_key, ...permissions }, key));
  expect(await read('listApiKeys', [hash, 0n, 10n])).toMatchObject(expected);
});

describe('returns 400 for a value above 64 bits and says that it is too wide', () => {
  const wide = [`0x1${'0'.repeat(16)}`, `0x${'f'.repeat(64)}`, String(2n ** 64n), 2 ** 70];
  test.each(wide)('%s', async (group_id) => {
    for (const [path, body] of Object.entries(bodies))
      expectError(await post(path, { group_id, ...body }, account.key), 400, /^body\.group_id: is too large/);
    for (const path of ['list_actions', 'list_wallets_in_group'])
      expectError(
        await get(`${path}?group_id=${BigInt(group_id)}`, account.key),
        400,
        /^query\.group_id: is too large/,
      );
    for (const name of permissionArrays)
      expectError(
        await post('add_usage_api_key', { [name]: [0, group_id] }, account.key),
        400,
        new RegExp(`^body\\.${name}\\[1\\]: is too large`),
      );
  });
});

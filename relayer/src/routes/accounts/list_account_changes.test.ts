import { accountConfigAbi, apiKeyHash, buildSignedWrites, walletIdentity } from '@latchkey/protocol';
import {
  addUsageKey,
  expectError,
  expectWritten,
  get,
  hex,
  newAccount,
  payAndConfirm,
  post,
  stack,
} from '@latchkey/testing/stack';
import { accountOf, billingAuth, eoa, seconds } from '@latchkey/testing/wallet-proof';
import { encodeFunctionData, hashTypedData } from 'viem';
import { expect, test } from 'vitest';

type Change = { id: string; event: string; data: Record<string, unknown> } & Record<string, unknown>;

async function changesOf(key?: string, headers?: Record<string, string>, query = ''): Promise<Change[]> {
  const { status, body } = await get(`list_account_changes${query}`, key, headers);
  expect(status).toBe(200);
  return body as Change[];
}

async function addNamed(key: string, group_name: string): Promise<string> {
  const reply = await post('add_group', { group_name, group_description: '' }, key);
  expectWritten(reply);
  return String(BigInt((reply.body as { group_id: string }).group_id));
}

test('lists writes newest first, those of the account key and of a usage key', async () => {
  const { key } = await newAccount();
  const usageKey = await addUsageKey(key, { can_create_groups: true });
  const added = await addNamed(usageKey, 'by the usage key');
  const renamed = await post('update_group', { group_id: added, name: 'renamed', description: '' }, key);
  const block = expectWritten(renamed);
  const changes = await changesOf(key);
  const service = { is_sent_by_service: true, signer: null };
  expect(changes).toMatchObject([
    {
      event: 'GroupUpdated',
      data: { group_id: added, name: 'renamed' },
      usage_key_hash: null,
      block_number: String(block),
      transaction_hash: renamed.headers.get('x-transaction-hash'),
      ...service,
    },
    {
      event: 'GroupAdded',
      data: { group_id: added, name: 'by the usage key', cid_hashes: [], pkp_ids: [] },
      usage_key_hash: hex(apiKeyHash(usageKey)),
      ...service,
    },
    {
      event: 'UsageApiKeySet',
      data: {
        usage_api_key_hash: hex(apiKeyHash(usageKey)),
        expiration: '0',
        permissions: { create_groups: true, create_pkps: false, manage_ipfs_ids_in_groups: [] },
      },
      usage_key_hash: null,
      ...service,
    },
    { event: 'AccountCreated', data: { managed: true }, usage_key_hash: null, ...service },
  ]);
  for (const { at } of changes)
    expect(Math.abs(Date.parse(at as string) - Date.now())).toBeLessThan(3_600_000);
  const text = JSON.stringify(changes);
  for (const secret of [key, usageKey]) expect(text).not.toContain(secret);
});

test('the next page begins with the last id', async () => {
  const { key } = await newAccount();
  for (const name of ['first', 'second', 'third']) await addNamed(key, name);
  const all = await changesOf(key);
  const pages: Change[] = [];
  for (let query = '?page_size=2'; ; query = `?page_size=2&before=${pages.at(-1)?.id}`) {
    const page = await changesOf(key, {}, query);
    pages.push(...page);
    if (page.length < 2) break;
  }
  expect(pages).toEqual(all);
  expect(all.map(({ event }) => event)).toEqual(['GroupAdded', 'GroupAdded', 'GroupAdded', 'AccountCreated']);
});

test('names the admin wallet that sent a write, and the one that signed it for a payer', async () => {
  const admin = await eoa();
  const [account, write] = [walletIdentity(admin.address), accountOf(admin)];
  await write('newChainSecuredAccount', ['', '']);
  await write('addGroup', [account, 'sent', '', [], []]);
  await payAndConfirm(await billingAuth(admin));
  const call = encodeFunctionData({
    abi: accountConfigAbi,
    functionName: 'addGroup',
    args: [account, 'signed', '', [], []],
  });
  const limits = { signer: admin.address, nonce: 77n, deadline: seconds() + 600n };
  const { chainId, contractAddress } = stack;
  const typedData = buildSignedWrites({ chainId, contractAddress, calls: [call], ...limits });
  const submitted = await post('submit_signed_write', {
    api_key_hash: hex(account),
    signer: admin.address,
    calls: [call],
    nonce: hex(limits.nonce),
    deadline: String(limits.deadline),
    signature: await admin.signDigest(hashTypedData(typedData as never)),
  });
  expectWritten(submitted, { success: true });
  const [signed, sent, ...rest] = await changesOf(undefined, await billingAuth(admin));
  expect(signed).toMatchObject({
    event: 'GroupAdded',
    data: { name: 'signed' },
    signer: admin.address,
    is_sent_by_service: true,
    usage_key_hash: null,
  });
  expect(sent).toMatchObject({
    event: 'GroupAdded',
    data: { name: 'sent' },
    signer: null,
    sender: admin.address,
    is_sent_by_service: false,
  });
  expect(rest.map(({ event }) => event)).not.toContain('SignedWritesExecuted');
});

test('returns 403 to a usage key, and never the changes of another account', async () => {
  const [own, other] = [await newAccount(), await newAccount()];
  expectError(await get('list_account_changes', await addUsageKey(own.key)), 403);
  await addNamed(other.key, 'of the neighbour');
  expect(JSON.stringify(await changesOf(own.key))).not.toContain('of the neighbour');
  const stranger = await eoa();
  expectError(await get('list_account_changes', undefined, await billingAuth(stranger)), 401);
});

test.each(['1', '1-', '-1', '1-2-3', '0x1-2', "1-2'", '12345678901234567-0', '1-1234567890'])(
  'returns 400 for before=%s',
  async (before) => {
    const { key } = await newAccount();
    expectError(await get(`list_account_changes?before=${encodeURIComponent(before)}`, key), 400);
  },
);

import { buildConsent, walletIdentity } from '@latchkey/protocol';
import { type Chain, deploy, startChain } from '@latchkey/testing/chain';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { type Indexer, startIndexer } from '@latchkey/testing/services';
import { freePort } from '@latchkey/testing/until';
import { type Address, getAddress, keccak256, numberToHex, stringToHex, zeroAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWriter, noPermissions, type Writer } from './writes.ts';

const word = (value: bigint) => numberToHex(value, { size: 32 });
const hashText = (text: string) => BigInt(keccak256(stringToHex(text)));
const wallet = (n: number) => getAddress(numberToHex(0xa11ce0000 + n, { size: 20 }));

const cleanUp = new AsyncDisposableStack();
let chain: Chain;
let indexer: Indexer;
let metricsPort: number;
let writer: Writer;
let payer: Address;
let accounts: readonly Address[];
/** The block of the last write. */
let block = 0n;
let accountsMade = 0;
/** Requested before the first test, because the refusal takes ten seconds. */
let waitingInVain: ReturnType<typeof get>;

beforeAll(async () => {
  const directory = cleanUp.use(temporaryDirectory()).path;
  chain = cleanUp.use(await startChain());
  accounts = await chain.client.getAddresses();
  payer = accounts[0] as Address;
  writer = createWriter(chain, await deploy(chain, directory, accounts.slice(0, 2)));
  metricsPort = await freePort();
  indexer = cleanUp.use(
    await startIndexer({
      METRICS_PORT: String(metricsPort),
      RPC_URL: chain.url,
      WS_RPC_URL: chain.wsUrl,
      DEPLOYMENTS_DIR: directory,
      DATABASE_URL: cleanUp.use(await createTestDatabase()).url,
    }),
  );
  waitingInVain = get('/api-payers?min_block=100000');
}, 600_000);
afterAll(() => cleanUp.disposeAsync());

const write: Writer['write'] = async (...args) => {
  block = await writer.write(...args);
  return block;
};

/** Rotates the account key with the consent of `holder`, the address of the current one. */
async function rotate(
  holder: Address,
  [apiKeyHash, newApiKeyHash, newAdminWalletAddress]: [bigint, bigint, Address],
): Promise<void> {
  const deadline = 2n ** 40n;
  const names = { apiKeyHash, newApiKeyHash, newAdminWalletAddress };
  const contract = { chainId: await chain.client.getChainId(), contractAddress: writer.address };
  const typedData = buildConsent(contract, 'RotateAccountKey', { ...names, deadline });
  const consent = await chain.client.signTypedData({ account: holder, ...typedData } as never);
  await write(payer, 'rotateAccountKey', [
    apiKeyHash,
    newApiKeyHash,
    newAdminWalletAddress,
    deadline,
    consent,
  ]);
}

async function newAccount(): Promise<bigint> {
  const master = hashText(`account ${accountsMade++}`);
  await write(payer, 'newAccount', [master, true, 'Account', 'of a test', payer]);
  return master;
}

/** Returns the indexer's reply once it has the last write. */
async function get(path: string): Promise<{ status: number; headers: Headers; body: unknown }> {
  const url = new URL(path, indexer.url);
  if (!url.searchParams.has('min_block')) url.searchParams.set('min_block', block.toString());
  const response = await fetch(url, { signal: AbortSignal.timeout(20_000) });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const list = async (master: bigint, path: string) => (await get(`/accounts/${word(master)}/${path}`)).body;

describe('GET /accounts/:hash', () => {
  test('200: a managed account, then its conversion and transfer, by all of its names', async () => {
    const [, , first, second] = accounts as [Address, Address, Address, Address];
    const master = await newAccount();
    const account = {
      api_key_hash: word(master),
      admin_wallet_address: payer,
      managed: true,
      name: 'Account',
      description: 'of a test',
    };
    const byMaster = await get(`/accounts/${word(master)}`);
    expect(byMaster.body).toEqual(account);
    await write(payer, 'convertToChainSecuredAccount', [master, first]);
    await write(first, 'transferChainSecuredAccountOwnership', [master, second]);
    expect((await get(`/accounts/${word(walletIdentity(second))}`)).status).toBe(404);
    await write(second, 'acceptAccount', [master]);
    for (const hash of [master, walletIdentity(first), walletIdentity(second)]) {
      const { body } = await get(`/accounts/${word(hash)}`);
      expect(body).toEqual({ ...account, managed: false, admin_wallet_address: getAddress(second) });
    }
  });

  test('200: a wallet that opens its account evicts the account that took its identity', async () => {
    const admin = accounts[4] as Address;
    const identity = walletIdentity(admin);
    await write(payer, 'newAccount', [identity, true, 'squatter', '', payer]);
    await write(payer, 'addAction', [identity, 'theirs', '', hashText('theirs')]);
    await write(payer, 'registerWalletDerivation', [identity, wallet(900), 9_000n, 'theirs', '']);
    await write(payer, 'addGroup', [identity, 'theirs', '', [hashText('theirs')], [wallet(900)]]);
    await write(payer, 'setUsageApiKey', [identity, hashText('their key'), 0n, 0n, '', '', ...noPermissions]);
    await write(admin, 'newChainSecuredAccount', ['mine', '']);
    expect((await get(`/accounts/${word(identity)}`)).body).toMatchObject({ name: 'mine', managed: false });
    for (const path of ['api-keys', 'groups', 'actions', 'wallets']) {
      expect(await list(identity, path)).toEqual([]);
    }
  });

  const find = async (hash: bigint) =>
    ((await get(`/accounts/${word(hash)}`)).body as { api_key_hash: string }).api_key_hash;

  test('200: a rotated account by its current key only', async () => {
    const master = await newAccount();
    const [second, third] = [hashText(`second ${master}`), hashText(`third ${master}`)];
    const admins = [payer, accounts[1], wallet(700)] as [Address, Address, Address];
    await rotate(admins[0], [master, second, admins[1]]);
    await rotate(admins[1], [second, third, admins[2]]);
    expect((await get(`/accounts/${word(third)}`)).body).toMatchObject({
      api_key_hash: word(master),
      admin_wallet_address: getAddress(admins[2]),
      managed: true,
    });
    for (const hash of [master, second]) expect((await get(`/accounts/${word(hash)}`)).status).toBe(404);
    await write(payer, 'addGroup', [third, 'after', '', [], []]);
    expect(await list(master, 'groups')).toMatchObject([{ name: 'after' }]);
  });

  test('404: a retired account, by all of its names', async () => {
    const admin = accounts[5] as Address;
    const master = await newAccount();
    await write(payer, 'addGroup', [master, 'group', '', [], []]);
    await write(payer, 'convertToChainSecuredAccount', [master, admin]);
    await write(admin, 'retireAccount', [master]);
    for (const hash of [master, walletIdentity(admin)])
      expect((await get(`/accounts/${word(hash)}`)).status).toBe(404);
    expect(await list(master, 'groups')).toEqual([]);
  });

  test('200: the identity of a wallet names the account that it accepted first, not an account that waits for it', async () => {
    const [giver, other, wallet] = accounts.slice(6, 9) as [Address, Address, Address];
    const first = await newAccount();
    const second = await newAccount();
    await write(payer, 'convertToChainSecuredAccount', [first, giver]);
    await write(payer, 'convertToChainSecuredAccount', [second, other]);
    await write(giver, 'transferChainSecuredAccountOwnership', [first, wallet]);
    await write(other, 'transferChainSecuredAccountOwnership', [second, wallet]);
    expect((await get(`/accounts/${word(walletIdentity(wallet))}`)).status).toBe(404);
    await write(wallet, 'addGroup', [second, 'chosen', '', [], []]);
    await write(wallet, 'acceptAccount', [first]);
    expect(await find(walletIdentity(wallet))).toBe(word(second));
    expect(await find(first)).toBe(word(first));
  });

  test('200: an account that was given back has its former admin wallet, and is named by it alone', async () => {
    const giver = accounts[9] as Address;
    const taker = wallet(701);
    const master = await newAccount();
    await write(payer, 'convertToChainSecuredAccount', [master, giver]);
    await write(giver, 'transferChainSecuredAccountOwnership', [master, taker]);
    await write(giver, 'cancelTransfer', [master]);
    for (const hash of [master, walletIdentity(giver)])
      expect((await get(`/accounts/${word(hash)}`)).body).toMatchObject({
        api_key_hash: word(master),
        admin_wallet_address: getAddress(giver),
      });
    expect((await get(`/accounts/${word(walletIdentity(taker))}`)).status).toBe(404);
  });

  test('404: an unknown hash', async () => {
    expect((await get(`/accounts/${word(12n)}`)).status).toBe(404);
  });
});

describe('GET /accounts/:masterHash/api-keys', () => {
  test('200: permissions ascending, without duplicates and removed groups, the wildcard alone', async () => {
    const master = await newAccount();
    for (const name of ['one', 'two', 'three']) await write(payer, 'addGroup', [master, name, '', [], []]);
    const hash = hashText(`key ${master}`);
    await write(payer, 'setUsageApiKey', [
      master,
      hash,
      4_000_000_000n,
      2n ** 256n - 1n,
      'key',
      'all of it',
      true,
      false,
      true,
      [3n, 1n, 3n],
      [2n, 0n],
      [2n],
      [],
    ]);
    await write(payer, 'removeGroup', [master, 2n]);
    const { body, headers } = await get(`/accounts/${word(master)}/api-keys`);
    expect(body).toEqual([
      {
        id: word(hash),
        api_key_hash: word(hash),
        name: 'key',
        description: 'all of it',
        expiration: '4000000000',
        balance: (2n ** 256n - 1n).toString(),
        can_create_groups: true,
        can_delete_groups: false,
        can_create_pkps: true,
        can_manage_ipfs_ids_in_groups: [1, 3],
        can_add_pkp_to_groups: [0],
        can_remove_pkp_from_groups: [],
        can_execute_in_groups: [],
      },
    ]);
    expect(headers.get('x-total-count')).toBe('1');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toBe('X-Total-Count,X-Block-Number');
    expect(headers.get('x-block-number')).toBe(block.toString());
  });

  test('200: a replaced key keeps its position, a removed and recreated key is the last', async () => {
    const master = await newAccount();
    const keys = ['a', 'b', 'c'].map((name) => ({ name, hash: hashText(`${name} ${master}`) }));
    const set = (hash: bigint, name: string) =>
      write(payer, 'setUsageApiKey', [master, hash, 0n, 0n, name, '', ...noPermissions]);
    for (const { hash, name } of keys) await set(hash, name);
    const [a, b] = keys as [(typeof keys)[0], (typeof keys)[0]];
    await set(b.hash, 'b again');
    await write(payer, 'updateUsageApiKeyMetadata', [master, b.hash, 'b renamed', 'and described']);
    await write(payer, 'removeUsageApiKey', [master, a.hash]);
    await set(a.hash, 'a again');
    expect(await list(master, 'api-keys')).toMatchObject([
      { name: 'b renamed', description: 'and described' },
      { name: 'c' },
      { name: 'a again' },
    ]);
  });
});

describe('GET /accounts/:masterHash/groups', () => {
  test('200: contents in order of registration, wildcards first', async () => {
    const master = await newAccount();
    const [x, y] = [hashText('x'), hashText('y')];
    for (const hash of [x, y]) await write(payer, 'addAction', [master, '', '', hash]);
    for (const n of [11, 12]) {
      await write(payer, 'registerWalletDerivation', [master, wallet(n), BigInt(n), '', '']);
    }
    await write(payer, 'addGroup', [
      master,
      'first',
      'group',
      [y, x, 0n, y],
      [wallet(12), zeroAddress, wallet(11)],
    ]);
    await write(payer, 'addGroup', [master, 'second', '', [], []]);
    const first = {
      id: word(1n),
      name: 'first',
      description: 'group',
      cid_hashes_permitted: [word(0n), word(x), word(y)],
      pkp_ids_permitted: [zeroAddress, wallet(11), wallet(12)],
    };
    expect(await list(master, 'groups')).toEqual([
      first,
      { id: word(2n), name: 'second', description: '', cid_hashes_permitted: [], pkp_ids_permitted: [] },
    ]);
    await write(payer, 'updateGroup', [master, 1n, 'changed', '', [x], []]);
    await write(payer, 'addPkpToGroup', [master, 1n, wallet(11)]);
    await write(payer, 'addActionToGroup', [master, 2n, hashText('new')]);
    await write(payer, 'updateGroupMetadata', [master, 2n, 'second', 'now described']);
    expect(await list(master, 'groups')).toMatchObject([
      { name: 'changed', cid_hashes_permitted: [word(x)], pkp_ids_permitted: [wallet(11)] },
      { description: 'now described', cid_hashes_permitted: [word(hashText('new'))] },
    ]);
    await write(payer, 'removeGroup', [master, 1n]);
    expect(await list(master, 'groups')).toMatchObject([{ id: word(2n) }]);
  });
});

describe('GET /accounts/:masterHash/actions', () => {
  test('200: all actions, or the actions of a group; a removed action leaves every group and returns to none', async () => {
    const master = await newAccount();
    const [x, y] = [hashText('action x'), hashText('action y')];
    await write(payer, 'addAction', [master, 'x', 'labelled', x]);
    await write(payer, 'addGroup', [master, '', '', [x, y, 0n], []]);
    const described = { id: word(x), name: 'x', description: 'labelled' };
    expect(await list(master, 'actions')).toEqual([described, { id: word(y), name: '', description: '' }]);
    expect(await list(master, 'actions?group_id=1')).toEqual([
      { id: word(0n), name: '', description: '' },
      described,
      { id: word(y), name: '', description: '' },
    ]);
    await write(payer, 'removeAction', [master, x]);
    await write(payer, 'addAction', [master, 'x again', '', x]);
    await write(payer, 'removeActionFromGroup', [master, 1n, 0n]);
    await write(payer, 'updateActionMetadata', [master, y, 1n, 'y', '']);
    expect(await list(master, 'actions')).toMatchObject([{ name: 'y' }, { name: 'x again' }]);
    expect(await list(master, 'actions?group_id=0x1')).toMatchObject([{ name: 'y' }]);
  });

  test('404: a removed or unknown group', async () => {
    const master = await newAccount();
    await write(payer, 'addGroup', [master, '', '', [], []]);
    await write(payer, 'removeGroup', [master, 1n]);
    for (const id of ['0', '1', '2', '18446744073709551615']) {
      const { status, body } = await get(`/accounts/${word(master)}/actions?group_id=${id}`);
      expect([status, (body as { error: string }).error]).toEqual([404, 'not_found']);
    }
  });
});

describe('GET /registered-actions', () => {
  test('200: the hashes that any account has registered, until the last account removes them', async () => {
    const [first, second] = [await newAccount(), await newAccount()];
    const [x, y, z] = [hashText('registered x'), hashText('registered y'), hashText('registered z')];
    await write(payer, 'addAction', [first, '', '', x]);
    await write(payer, 'addAction', [second, '', '', x]);
    await write(payer, 'addGroup', [second, '', '', [y], []]);
    const registered = async () =>
      (await get(`/registered-actions?hashes=${[x, y, z].map(word).join()}`)).body;
    expect(new Set((await registered()) as string[])).toEqual(new Set([word(x), word(y)]));
    await write(payer, 'removeAction', [first, x]);
    expect(await registered()).toHaveLength(2);
    await write(payer, 'removeAction', [second, x]);
    expect(await registered()).toEqual([word(y)]);
  });

  test('400: no hashes, too many, or a malformed one', async () => {
    const many = Array.from({ length: 101 }, () => word(1n)).join();
    for (const query of ['', '?hashes=', '?hashes=0x1', `?hashes=${word(1n)},`, `?hashes=${many}`])
      expect((await get(`/registered-actions${query}`)).status).toBe(400);
  });
});

describe('GET /accounts/:masterHash/wallets', () => {
  test('200: all wallets, or the wallets of a group, with checksummed addresses', async () => {
    const master = await newAccount();
    const path = 2n ** 96n - 5n;
    await write(payer, 'registerWalletDerivation', [master, wallet(31), path, 'wallet', 'of an account']);
    await write(payer, 'registerWalletDerivation', [master, wallet(32), 32n, '', '']);
    await write(payer, 'addGroup', [master, '', '', [], [wallet(31), wallet(32), zeroAddress]]);
    const described = {
      id: word(path),
      name: 'wallet',
      description: 'of an account',
      wallet_address: wallet(31),
      derivation_path: word(path),
      exportable: true,
    };
    expect(await list(master, 'wallets')).toMatchObject([described, { wallet_address: wallet(32) }]);
    await write(payer, 'removeWalletDerivation', [master, wallet(32)]);
    expect(await list(master, 'wallets')).toEqual([described]);
    expect(await list(master, 'wallets?group_id=1')).toEqual([
      {
        id: word(0n),
        name: '',
        description: '',
        wallet_address: zeroAddress,
        derivation_path: word(0n),
        exportable: true,
      },
      described,
    ]);
    await write(payer, 'removePkpFromGroup', [master, 1n, wallet(31)]);
    expect(await list(master, 'wallets?group_id=1')).toMatchObject([{ wallet_address: zeroAddress }]);
  });

  test('200: pages are stable and empty past the end', async () => {
    const master = await newAccount();
    for (let n = 0; n < 5; n++) {
      await write(payer, 'registerWalletDerivation', [master, wallet(50 + n), BigInt(50 + n), String(n), '']);
    }
    const pages: string[][] = [];
    for (const page of [0, 1, 2, 3]) {
      const { body, headers } = await get(
        `/accounts/${word(master)}/wallets?page_number=${page}&page_size=2`,
      );
      expect(headers.get('x-total-count')).toBe('5');
      pages.push((body as { name: string }[]).map(({ name }) => name));
    }
    expect(pages).toEqual([['0', '1'], ['2', '3'], ['4'], []]);
  });
});

describe('GET /accounts/:masterHash/changes', () => {
  type Change = { id: string; event: string; data: object } & Record<string, unknown>;
  const changesOf = async (master: bigint, query = '') => (await list(master, `changes${query}`)) as Change[];

  let wallets = 0;
  async function freshWallet(): Promise<Address> {
    const address = wallet(2_000 + wallets++);
    await chain.client.impersonateAccount({ address });
    await chain.client.setBalance({ address, value: 10n ** 18n });
    return address;
  }

  test('200: newest first, with the arguments of the event, its transaction and who caused it', async () => {
    const admin = await freshWallet();
    const master = await newAccount();
    await write(payer, 'registerWalletDerivation', [master, wallet(60), 60_000n, '', '']);
    const key = hashText(`key of ${master}`);
    const permissions = [true, false, false, [0n], [0n], [], []] as const;
    await write(payer, 'setUsageApiKey', [
      master,
      key,
      4_000_000_000n,
      0n,
      'key',
      'a\u0000b',
      ...permissions,
    ]);
    await write(payer, 'addGroup', [key, 'group', '', [hashText('x')], [wallet(60)]]);
    const added = await chain.client.getBlock({ blockNumber: block });
    await write(payer, 'convertToChainSecuredAccount', [master, admin]);
    await write(admin, 'removeUsageApiKey', [master, key]);
    const service = { sender: getAddress(payer), is_sent_by_service: true, signer: null };
    const [removed, converted, group, action, set, registered, created] = await changesOf(master);
    expect(removed).toMatchObject({
      event: 'UsageApiKeyRemoved',
      data: { usage_api_key_hash: word(key) },
      sender: getAddress(admin),
      is_sent_by_service: false,
      usage_key_hash: null,
    });
    expect(converted).toMatchObject({ event: 'AccountConvertedToChainSecured', ...service });
    expect(group).toEqual({
      id: `${added.number}-1`,
      event: 'GroupAdded',
      data: {
        group_id: '1',
        name: 'group',
        description: '',
        cid_hashes: [word(hashText('x'))],
        pkp_ids: [wallet(60)],
      },
      at: new Date(Number(added.timestamp) * 1_000).toISOString(),
      block_number: String(added.number),
      transaction_hash: added.transactions[0],
      usage_key_hash: word(key),
      ...service,
    });
    expect(action).toMatchObject({
      id: `${added.number}-0`,
      event: 'ActionAdded',
      usage_key_hash: word(key),
    });
    expect(set).toMatchObject({
      data: {
        expiration: '4000000000',
        description: 'ab',
        permissions: { create_groups: true, create_pkps: false, manage_ipfs_ids_in_groups: ['0'] },
      },
      usage_key_hash: null,
    });
    expect(registered).toMatchObject({ data: { pkp_id: wallet(60), derivation_path: word(60_000n) } });
    expect(created).toMatchObject({ event: 'AccountCreated', data: { managed: true, name: 'Account' } });
  });

  test('200: pages continue before an id, also within a block', async () => {
    const master = await newAccount();
    await write(payer, 'addGroup', [master, '', '', [1n, 2n, 3n].map((n) => hashText(`paged ${n}`)), []]);
    const all = await changesOf(master);
    expect(all.map(({ event }) => event)).toEqual([
      'GroupAdded',
      'ActionAdded',
      'ActionAdded',
      'ActionAdded',
      'AccountCreated',
    ]);
    const second = await changesOf(master, `?page_size=2&before=${all[1]?.id}`);
    expect([...all.slice(0, 2), ...second]).toEqual(all.slice(0, 4));
    expect(await changesOf(master, `?before=${all[3]?.id}`)).toEqual(all.slice(4));
    expect(await changesOf(master, `?before=${all[4]?.id}`)).toEqual([]);
  });

  test('200: an evicted account leaves none to the wallet that claims its identity', async () => {
    const fresh = await freshWallet();
    expect((await get(`/accounts/${word(walletIdentity(fresh))}`)).status).toBe(404);
    await write(payer, 'newAccount', [walletIdentity(fresh), true, 'squatter', '', payer]);
    await write(fresh, 'newChainSecuredAccount', ['mine', '']);
    expect(await changesOf(walletIdentity(fresh))).toMatchObject([
      { event: 'AccountCreated', data: { name: 'mine' }, sender: fresh },
    ]);
  });

  test('200: a roll-back takes its changes back', async () => {
    const master = await newAccount();
    const snapshot = await chain.client.snapshot();
    await write(payer, 'addGroup', [master, 'rolled back', '', [], []]);
    expect(await changesOf(master)).toHaveLength(2);
    await chain.client.revert({ id: snapshot });
    block = await chain.client.getBlockNumber();
    await expect.poll(() => changesOf(master), { timeout: 10_000 }).toHaveLength(1);
  });

  test.each(['1', '1-', '-1', '1-2-3', '0x1-2', '12345678901234567-0', '1-1234567890', ''])(
    '400: before=%s',
    async (before) => {
      expect((await get(`/accounts/${word(1n)}/changes?before=${before}`)).status).toBe(400);
    },
  );
});

describe('GET /api-payers', () => {
  test('200: the payers of the deployment, then the new set', async () => {
    const payers = accounts.slice(0, 2).map((payer) => getAddress(payer));
    expect(new Set((await get('/api-payers')).body as Address[])).toEqual(new Set(payers));
    await write(payer, 'setApiPayers', [[payer, accounts[5] as Address]]);
    const changed = [payer, accounts[5] as Address].map((payer) => getAddress(payer));
    expect(new Set((await get('/api-payers')).body as Address[])).toEqual(new Set(changed));
  });
});

describe('every list', () => {
  test('200: an unknown account has empty lists', async () => {
    for (const path of ['api-keys', 'groups', 'actions', 'wallets']) {
      expect(await list(77n, path)).toEqual([]);
    }
  });

  test('200: returns hostile labels unchanged', async () => {
    const master = await newAccount();
    const name = `'; DROP TABLE x;--\t\\N\n"\u{1f511} \\. {1,2}`;
    await write(payer, 'addAction', [master, name, 'a\u0000b', hashText('hostile')]);
    // PostgreSQL cannot store NUL.
    expect(await list(master, 'actions')).toMatchObject([{ name, description: 'ab' }]);
  });

  test.each([
    'page_size=0',
    'page_size=1001',
    'page_size=-1',
    'page_size=x',
    'page_size=',
    'page_number=-1',
    'page_number=1.5',
    'page_number=99999999999999999999',
    'min_block=-1',
    'min_block=latest',
    'min_block=0x1',
  ])('400: %s', async (query) => {
    for (const path of ['api-keys', 'groups', 'actions', 'wallets']) {
      const { status, body } = await get(`/accounts/${word(1n)}/${path}?${query}`);
      expect([status, (body as { error: string }).error]).toEqual([400, 'bad_request']);
    }
  });

  test.each(['x', '-1', '1.5', '18446744073709551616', '', '0x', `0x${'f'.repeat(64)}`])(
    '400: group_id=%s',
    async (id) => {
      for (const path of ['actions', 'wallets']) {
        expect((await get(`/accounts/${word(1n)}/${path}?group_id=${id}`)).status).toBe(400);
      }
    },
  );

  test.each(['0x12', '12', `${word(1n)}0`, `0x${'g'.repeat(64)}`])('400: account %s', async (hash) => {
    expect((await get(`/accounts/${hash}/groups`)).status).toBe(400);
  });

  test('404: other paths', async () => {
    expect((await get(`/accounts/${word(1n)}/secrets`)).status).toBe(404);
    expect((await get('/')).status).toBe(404);
  });
});

describe('min_block', () => {
  test('200: answers a waiting reader as soon as the block is indexed', async () => {
    const master = await newAccount();
    const waiting = get(`/accounts/${word(master)}/actions?min_block=${block + 1n}`);
    await write(payer, 'addAction', [master, 'awaited', '', hashText('awaited')]);
    const { body, headers } = await waiting;
    expect(body).toMatchObject([{ name: 'awaited' }]);
    expect(BigInt(headers.get('x-block-number') as string)).toBeGreaterThanOrEqual(block);
  });

  test('503: a block that never arrives', async () => {
    const { status, body } = await waitingInVain;
    expect([status, (body as { error: string }).error]).toEqual([503, 'service_unavailable']);
  });
});

describe('GET /health', () => {
  test('200: follows the chain and reports the last indexed block', async () => {
    await get('/api-payers');
    const { status, body } = await get('/health');
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'ok', version: expect.any(String), block_number: Number(block) });
  });
});

test('the metrics have the newest indexed block, the lag, and the events that Ponder counts', async () => {
  const read = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)`, 'm').exec(text)?.[1]);
  };
  const head = Number(await chain.client.getBlockNumber());
  await expect.poll(() => read('indexer_block')).toBe(head);
  await expect.poll(() => read('indexer_lag_seconds')).toBe(0);
  expect(await read('ponder_indexing_completed_events')).toBeGreaterThan(0);
});

import { accountConfigAbi, isExportable } from '@latchkey/protocol';
import { type Chain, deploy, startChain } from '@latchkey/testing/chain';
import { createTestDatabase } from '@latchkey/testing/postgres';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { type Indexer, startIndexer } from '@latchkey/testing/services';
import { until } from '@latchkey/testing/until';
import { type Address, getAddress, getContract, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { createRandom, findBalance, findLabels, type Labels, type Model, randomStep } from './session.ts';
import { createWriter } from './writes.ts';

const STEPS = Number(process.env.SESSION_STEPS ?? 300);
const SEED = Number(process.env.SESSION_SEED ?? Date.now() % 2 ** 31);
/** Steps between two comparisons of the tables; writes continue meanwhile. */
const COMPARE_EVERY = 100;
/** Number of steps that are rolled back now and then: fewer blocks than Ponder can follow. */
const ROLLED_BACK = 12;

const word = (value: bigint) => numberToHex(value, { size: 32 });
const noLabels: Labels = { name: '', description: '' };

/** Returns all lists according to the contract's views and the model of emitted data. */
async function expected(chain: Chain, address: Address, model: Model, blockNumber: bigint) {
  const { read } = getContract({ address, abi: accountConfigAbi, client: chain.client });
  const at = { blockNumber };
  const label = (kind: string, master: bigint, id: bigint | string): Labels => {
    const labels = findLabels(model, kind, master, id);
    if (labels === undefined) throw new Error(`The model has no ${kind} ${id}.`);
    return labels;
  };
  const accounts: Record<string, unknown> = {};
  for (const [master, { labels, aliases }] of model.accounts) {
    const pkpToWire = ({ pkpId, derivationPath }: { pkpId: Address; derivationPath: bigint }) => ({
      id: word(derivationPath),
      ...(BigInt(pkpId) === 0n ? noLabels : label('wallet', master, getAddress(pkpId))),
      wallet_address: getAddress(pkpId),
      derivation_path: word(derivationPath),
      exportable: isExportable(derivationPath),
    });
    const actionToWire = (hash: bigint) => ({
      id: word(hash),
      ...(hash === 0n ? noLabels : label('action', master, hash)),
    });
    const [, admin, managed] = await read.resolve([master], at);
    const keys = await read.listApiKeys([master, 0n, 20n], at);
    const groupIds = await read.listGroups([master, 0n, 1_000n], at);
    const groups: Record<string, unknown>[] = [];
    const groupLists: Record<string, unknown> = {};
    for (const id of groupIds) {
      const [cids, pkps] = await read.listGroupContents([master, id], at);
      groups.push({
        id: word(id),
        ...label('group', master, id),
        cid_hashes_permitted: cids.map(word),
        pkp_ids_permitted: pkps.map((pkp) => getAddress(pkp)),
      });
      groupLists[id.toString()] = {
        actions: (await read.listActionsInGroup([master, id, 0n, 1_000n], at)).map(actionToWire),
        wallets: (await read.listWalletsInGroup([master, id, 0n, 1_000n], at)).map(pkpToWire),
      };
    }
    accounts[word(master)] = {
      names: await Promise.all(
        [master, ...aliases].map(async (hash) => word(await read.allApiKeyHashesToMaster([hash], at))),
      ),
      account: { api_key_hash: word(master), admin_wallet_address: admin, managed, ...labels },
      'api-keys': keys.map(({ usageApiKeyHash, expiration, permissions }) => ({
        id: word(usageApiKeyHash),
        api_key_hash: word(usageApiKeyHash),
        ...label('key', master, usageApiKeyHash),
        expiration: expiration.toString(),
        balance: findBalance(model, master, usageApiKeyHash)?.toString(),
        can_create_groups: permissions.createGroups,
        can_delete_groups: permissions.deleteGroups,
        can_create_pkps: permissions.createPKPs,
        can_manage_ipfs_ids_in_groups: permissions.manageIPFSIdsInGroups.map(Number),
        can_add_pkp_to_groups: permissions.addPkpToGroups.map(Number),
        can_remove_pkp_from_groups: permissions.removePkpFromGroups.map(Number),
        can_execute_in_groups: permissions.executeInGroups.map(Number),
      })),
      groups,
      actions: (await read.listActions([master, 0n, 1_000n], at)).map(actionToWire),
      wallets: (await read.listPkps([master, 0n, 1_000n], at)).map(pkpToWire),
      groupLists,
    };
  }
  return { accounts, payers: new Set(await read.api_payers(at)) };
}

/** Returns all lists as the indexer serves them, in pages of three. */
async function served(
  indexer: Indexer,
  model: Model,
  blockNumber: bigint,
  groupIdsByMaster: Record<string, string[]>,
) {
  async function get(path: string) {
    const url = new URL(path, indexer.url);
    url.searchParams.set('min_block', blockNumber.toString());
    // Writes are faster than indexing: 503 asks for a retry.
    const response = await until(
      `${url} is answered`,
      async () => {
        const answer = await fetch(url);
        return answer.status !== 503 && answer;
      },
      120_000,
    );
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    return response;
  }
  async function list(path: string) {
    const items: unknown[] = [];
    for (let page = 0; ; page++) {
      const response = await get(`${path}${path.includes('?') ? '&' : '?'}page_size=3&page_number=${page}`);
      const found = (await response.json()) as unknown[];
      if (found.length === 0) {
        expect(Number(response.headers.get('x-total-count'))).toBe(items.length);
        return items;
      }
      items.push(...found);
    }
  }
  const accounts: Record<string, unknown> = {};
  for (const [master, { aliases }] of model.accounts) {
    const base = `/accounts/${word(master)}`;
    const groupLists: Record<string, unknown> = {};
    for (const id of groupIdsByMaster[word(master)] ?? []) {
      groupLists[id] = {
        actions: await list(`${base}/actions?group_id=${id}`),
        wallets: await list(`${base}/wallets?group_id=${id}`),
      };
    }
    const names = [master, ...aliases].map(async (hash) => {
      const found = (await (await get(`/accounts/${word(hash)}`)).json()) as { api_key_hash: string };
      return found.api_key_hash;
    });
    accounts[word(master)] = {
      names: await Promise.all(names),
      account: await (await get(base)).json(),
      'api-keys': await list(`${base}/api-keys`),
      groups: await list(`${base}/groups`),
      actions: await list(`${base}/actions`),
      wallets: await list(`${base}/wallets`),
      groupLists,
    };
  }
  return { accounts, payers: new Set((await (await get('/api-payers')).json()) as Address[]) };
}

test(`every list equals the contract after a random session (SESSION_SEED=${SEED} SESSION_STEPS=${STEPS})`, {
  timeout: 600_000 + STEPS * 200,
}, async () => {
  using directory = temporaryDirectory();
  await using chain = await startChain();
  const [payer, ...wallets] = (await chain.client.getAddresses()) as [Address, ...Address[]];
  const address = await deploy(chain, directory.path, [payer]);
  const writer = createWriter(chain, address);
  const settings = { RPC_URL: chain.url, WS_RPC_URL: chain.wsUrl, DEPLOYMENTS_DIR: directory.path };
  await using firstDatabase = await createTestDatabase();
  await using secondDatabase = await createTestDatabase();
  await using indexer = await startIndexer({ ...settings, DATABASE_URL: firstDatabase.url });

  const random = createRandom(SEED);
  let model: Model = { accounts: new Map(), chosen: new Set(), labels: new Map(), balances: new Map() };
  const succeeded = new Map<string, number>();

  async function takeSteps(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const step = randomStep(random, model, payer, wallets);
      const { isSuccess } = await writer.send(step.from, step.data);
      if (!isSuccess) continue;
      step.apply(model);
      succeeded.set(step.name, (succeeded.get(step.name) ?? 0) + 1);
    }
  }

  async function compare(lists: Indexer, blockNumber: bigint): Promise<void> {
    const views = await expected(chain, address, model, blockNumber);
    const groupIdsByMaster = Object.fromEntries(
      Object.entries(views.accounts).map(([master, account]) => [
        master,
        Object.keys((account as { groupLists: object }).groupLists),
      ]),
    );
    expect(await served(lists, model, blockNumber, groupIdsByMaster)).toEqual(views);
  }

  for (let taken = 0; taken < STEPS; taken += COMPARE_EVERY) {
    await takeSteps(Math.min(COMPARE_EVERY, STEPS - taken));
    const before = await chain.client.getBlock();
    const kept = structuredClone(model);
    const snapshot = await chain.client.snapshot();
    await takeSteps(ROLLED_BACK);
    await chain.client.revert({ id: snapshot });
    model = kept;
    // Another time makes the block after a roll-back differ from the one before.
    await chain.client.increaseTime({ seconds: 1 });
    await takeSteps(1);
    const { number } = await chain.client.getBlock();
    expect(number).toBeLessThan((before.number ?? 0n) + BigInt(ROLLED_BACK));

    await compare(indexer, number);
  }

  // The same from the history alone: everything is below Ponder's final block.
  await chain.client.mine({ blocks: 50 });
  await using second = await startIndexer({ ...settings, DATABASE_URL: secondDatabase.url });
  await compare(second, await chain.client.getBlockNumber());

  // The session is meaningful only when all kinds of writes succeeded.
  if (STEPS >= 300) expect(succeeded.size).toBeGreaterThanOrEqual(12);
  console.log(
    `${[...succeeded.values()].reduce((a, b) => a + b, 0)} of ${STEPS} steps:`,
    Object.fromEntries(succeeded),
  );
});

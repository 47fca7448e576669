/** Calls of the node, statements and requests to the indexer per request, counted outside of a relayer process. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accountConfigAbi, apiKeyHash } from '@latchkey/protocol';
import { deploy, startChain } from '@latchkey/testing/chain';
import { startKeyNodes } from '@latchkey/testing/key-nodes';
import { startHttpProxy, startPostgresProxy } from '@latchkey/testing/message-proxies';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { startRunnerProcess } from '@latchkey/testing/services';
import { until } from '@latchkey/testing/until';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRelayerDatabase } from '../test/database.ts';
import { type RelayerProcess, startRelayerProcess } from '../test/process.ts';

const OWNER: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const group = {
  group_name: 'g',
  group_description: '',
  pkp_ids_permitted: [],
  cid_hashes_permitted: [],
};
/** Messages of tasks that a timer starts, whatever the requests are. */
const periodic =
  /eth_getBalance|eth_getBlockByNumber|eth_maxPriorityFeePerGas|select is_new|select id, nonce,|select id from|insert into deployments|with recursive|update chain_cursors|insert into account_requests/;

const resources = new AsyncDisposableStack();
const seen: string[] = [];
let chain: Awaited<ReturnType<typeof startChain>>;
let contract: Address;
let relayer: RelayerProcess;
/** The `min_block` of the last request to the indexer. */
let awaitedBlock = 0n;
/** Groups that the stand-in for the indexer lists, by account. */
const groupCounts = new Map<string, number>();

beforeAll(async () => {
  chain = resources.use(await startChain());
  const deployments = resources.use(temporaryDirectory()).path;
  const dataDir = resources.use(temporaryDirectory()).path;
  const payerKey = generatePrivateKey();
  const payer = privateKeyToAddress(payerKey);
  await chain.client.setBalance({ address: payer, value: 10n ** 24n });
  contract = await deploy(chain, deployments, [payer]);
  const database = resources.use(await createRelayerDatabase());

  const count = (kind: string) => (label: string, moment: 'sent' | 'answered') => {
    if (moment === 'sent') seen.push(`${kind} ${label}`);
    return false;
  };
  const method = (_line: string, body: string) => /"method":"(\w+)"/.exec(body)?.[1] ?? 'batch';
  const rpc = resources.use(await startHttpProxy(chain.url, method, count('rpc')));
  const postgres = resources.use(await startPostgresProxy(Number(new URL(database.url).port), count('sql')));
  const indexer = createServer(async (req, res) => {
    seen.push('indexer');
    awaitedBlock = BigInt(new URL(req.url ?? '', 'http://indexer').searchParams.get('min_block') ?? 0);
    const account = /accounts\/(\w+)/.exec(req.url ?? '')?.[1] ?? '';
    const items = Array.from({ length: groupCounts.get(account) ?? 0 }, (_, index) => ({
      id: String(index + 1),
      name: 'g',
      description: '',
      cid_hashes_permitted: [],
      pkp_ids_permitted: [],
    }));
    const block = await chain.client.getBlockNumber();
    res.setHeader('X-Total-Count', items.length).setHeader('X-Block-Number', String(block));
    res.end(JSON.stringify(items));
  }).listen(0, '127.0.0.1');
  resources.defer(() => void indexer.close());
  await until('the indexer listens', async () => indexer.listening);

  const keyNodes = resources.use(await startKeyNodes(chain, contract));
  relayer = await startRelayerProcess({
    ...keyNodes.relayer,
    RUNNER_URLS: resources.use(await startRunnerProcess(keyNodes.runner)).url,
    RPC_URL: rpc.url,
    WS_RPC_URL: chain.wsUrl,
    INDEXER_URLS: `http://127.0.0.1:${(indexer.address() as AddressInfo).port}`,
    DEPLOYMENTS_DIR: deployments,
    PAYER_PRIVATE_KEYS: payerKey,
    STARTER_CREDIT_CENTS: '100000',
    DATABASE_URL: Object.assign(new URL(database.url), { port: String(postgres.port) }).href,
    DATA_DIR: dataDir,
  });
  resources.defer(async () => void (await relayer.stop('SIGKILL')));
});
afterAll(() => resources.disposeAsync());

async function call(path: string, key?: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${relayer.url}/core/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'Content-Type': 'application/json', ...(key !== undefined && { 'X-Api-Key': key }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
const newAccount = async () => {
  const { body } = await call('new_account', undefined, { account_name: 'a', account_description: '' });
  return (body as { api_key: string }).api_key;
};
const addGroup = async (key: string) => expect((await call('add_group', key, group)).status).toBe(200);

/**
 * On a busy machine, a process that could not renew its membership in time reads the head of the account once more, and a run
 * of more than a quarter of a second reserves its next one.
 */
const HEAD = 'sql select account, block';
const RESERVE = 'sql select is_open from';

/** Returns the number of messages of each label that the work caused. */
const messagesOf = async (work: () => Promise<unknown>): Promise<Record<string, number>> => {
  seen.length = 0;
  await work();
  const counts: Record<string, number> = {};
  for (const label of seen) if (!periodic.test(label)) counts[label] = (counts[label] ?? 0) + 1;
  const { [HEAD]: heads = 0, [RESERVE]: _reserves, ...others } = counts;
  expect(heads).toBeLessThanOrEqual(1);
  return others;
};

describe('a write', () => {
  test('makes four calls of the node and two statements', async () => {
    const key = await newAccount();
    await addGroup(key);
    const writes = 10;
    const messages = await messagesOf(async () => {
      for (let i = 0; i < writes; i++) await addGroup(key);
    });
    const perWrite = Object.fromEntries(Object.entries(messages).map(([label, n]) => [label, n / writes]));
    expect(perWrite).toEqual({
      'rpc eth_call': 1,
      'rpc eth_estimateGas': 1,
      'rpc eth_sendRawTransaction': 1,
      'rpc eth_getTransactionReceipt': 1,
      'sql select nexts from': 1,
      'sql select settle_transaction($1, $2,': 1,
    });
  });

  test('that the contract refuses makes no statement', async () => {
    const key = await newAccount();
    await call('add_group', key, { ...group, pkp_ids_permitted: [contract] });
    const messages = await messagesOf(async () => {
      const refused = await call('add_group', key, { ...group, pkp_ids_permitted: [contract] });
      expect(refused.status).toBe(404);
    });
    expect(Object.keys(messages).filter((label) => !label.startsWith('rpc'))).toEqual([]);
  });
});

describe('a run', () => {
  const hello = 'const main = () => "hello"';
  const sign =
    'const main = async ({ pkpId }) => (await Svc.Actions.getPrivateKey({ pkpId })).length // ethers';
  const statements = { 'sql select head, is_recorded,': 1, 'sql select charged, has_code': 1 };
  let accountKey: string;
  let runKey: string;
  let wallet: string;
  beforeAll(async () => {
    const key = await newAccount();
    accountKey = key;
    wallet = ((await call('create_wallet', key, {})).body as { wallet_address: string }).wallet_address;
    await call('add_group', key, { ...group, pkp_ids_permitted: [wallet], cid_hashes_permitted: ['0x0'] });
    const added = await call('add_usage_api_key', key, { execute_in_groups: [1] });
    runKey = (added.body as { usage_api_key: string }).usage_api_key;
    for (const code of [hello, sign, hello, sign]) await run(code);
  });
  const run = async (code: string) => {
    const { status, body } = await call('svc_action', runKey, { code, js_params: { pkpId: wallet } });
    expect([status, body]).toEqual([200, expect.objectContaining({ has_error: false })]);
  };

  test('makes two statements, and no call of the node while the account does not change', async () => {
    // The certificate of the action, which the runs before made, is stored in the background.
    await expect.poll(() => messagesOf(() => run(hello))).toEqual(statements);
  });

  test('whose output is recorded makes no other statement', async () => {
    const body = { usage_api_key: runKey, record_output: true };
    expect((await call('set_usage_api_key_recording', accountKey, body)).status).toBe(200);
    await expect.poll(() => messagesOf(() => run(hello))).toEqual(statements);
  });

  test('makes no call of the node for a key: the key nodes ask the contract', async () => {
    // On a busy machine five seconds pass between two runs, after which the second asks the chain again.
    await expect.poll(() => messagesOf(() => run(sign))).toEqual(statements);
  });
});

describe('a list', () => {
  test('of an account without changes makes no statement, call or request', async () => {
    const key = await newAccount();
    await call('list_groups', key);
    const messages = await messagesOf(() =>
      Promise.all(Array.from({ length: 20 }, () => call('list_groups', key))),
    );
    expect(messages).toEqual({});
  });

  test('after a write asks the indexer once', async () => {
    const key = await newAccount();
    await call('list_groups', key);
    await addGroup(key);
    groupCounts.set(hashText(key), 1);
    const messages = await messagesOf(async () => {
      for (let i = 0; i < 5; i++) expect((await call('list_groups', key)).body).toHaveLength(1);
    });
    expect(messages).toEqual({ 'rpc eth_call': 1, indexer: 1 });
    expect(awaitedBlock).toBe(await chain.client.getBlockNumber());
  });

  test('shows a change that was made without the relayer when its log arrives', async () => {
    const key = await newAccount();
    const payer = privateKeyToAccount(generatePrivateKey());
    await chain.client.setBalance({ address: payer.address, value: 10n ** 20n });
    const known = await chain.client.readContract({
      address: contract,
      abi: accountConfigAbi,
      functionName: 'api_payers',
    });
    const send = async (functionName: 'setApiPayers' | 'addGroup', args: unknown[], account: object) => {
      const hash = await chain.client.writeContract({
        address: contract,
        abi: accountConfigAbi,
        functionName,
        args,
        account,
        chain: null,
      } as never);
      await chain.client.waitForTransactionReceipt({ hash });
    };
    await send('setApiPayers', [[...known, payer.address]], privateKeyToAccount(OWNER));
    expect((await call('list_groups', key)).body).toEqual([]);
    groupCounts.set(hashText(key), 1);
    expect((await call('list_groups', key)).body).toEqual([]);
    await send('addGroup', [apiKeyHash(key), 'g', '', [], []], payer);
    await expect.poll(async () => (await call('list_groups', key)).body).toHaveLength(1);
  });

  test('is 401 from the first request after the removal of the key', async () => {
    const account = await newAccount();
    const added = await call('add_usage_api_key', account, { name: 'n' });
    const { usage_api_key: key } = added.body as { usage_api_key: string };
    await call('list_groups', account);
    expect((await call('list_groups', key)).status).toBe(200);
    expect((await call('remove_usage_api_key', account, { usage_api_key: key })).status).toBe(200);
    expect((await call('list_groups', key)).status).toBe(401);
  });
});

const hashText = (key: string): string => `0x${apiKeyHash(key).toString(16).padStart(64, '0')}`;

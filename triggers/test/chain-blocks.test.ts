/** Requests for the logs of single blocks: skipped by the bloom filter, with the filters of all triggers. */
import { type Chain, startChain } from '@latchkey/testing/chain';
import { type Hex, numberToHex, pad } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runs } from '../src/db/schema.ts';
import type { LogFilter } from '../src/sources/chain-blocks.ts';
import { bitsOf, mayHaveTopics, openBloom } from '../src/sources/chain-bloom.ts';
import { createChainRpc } from '../src/sources/chain-rpc.ts';
import { addTrigger, CONTRACT, clearChains, createFollower, filled, listFirings } from './chain-triggers.ts';
import { type OpenTestDatabase, openTestDatabase } from './database.ts';
import { createStandInChain, type StandInChain } from './stand-in-chain.ts';

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.dispose());
beforeEach(async () => {
  await clearChains(database.db);
});

const other = `0x${'22'.repeat(20)}` as const;
const [TOPIC0 = '0x'] = filled(0).topics;
const idTopic = (id: number) => filled(id).topics[1] as Hex;
const logRequests = (chain: StandInChain) =>
  chain.requests.flatMap(({ method, params: [filter] }) => (method === 'eth_getLogs' ? [filter] : []));

test('reads only blocks whose bloom filter has the contract, the event and the filtered topics', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine([], [filled(1, other)], [filled(1)], [filled(2)], []);
  const id = await addTrigger(db, { start_block: 1, topic_filters: [idTopic(2)] });
  await createFollower(db, chain).tick();
  expect((await listFirings(db, id)).map(({ block }) => block)).toEqual([4]);
  const [{ blockHash } = { blockHash: '' }] = chain.logs(4).filter(({ blockNumber }) => blockNumber === 4n);
  expect(logRequests(chain)).toEqual([{ blockHash, address: [CONTRACT], topics: [[TOPIC0], [idTopic(2)]] }]);
});

test('joins the filters of triggers, and leaves out a topic that one of them does not filter', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine([filled(1), filled(2), filled(3)]);
  await addTrigger(db, { start_block: 1, topic_filters: [idTopic(1)] });
  await addTrigger(db, { start_block: 1, topic_filters: [[idTopic(2), idTopic(1)]] });
  await createFollower(db, chain).tick();
  expect(logRequests(chain)).toMatchObject([{ topics: [[TOPIC0], [idTopic(1), idTopic(2)]] }]);
  expect(await db.$count(runs)).toBe(3);
  await addTrigger(db, { start_block: 1, topic_filters: [] });
  await createFollower(db, chain).tick();
  expect(logRequests(chain).at(-1)).toMatchObject({ topics: [[TOPIC0]] });
  expect(await db.$count(runs)).toBe(6);
});

test('joins at most 500 values of a topic', async () => {
  const { db } = database;
  const chain = createStandInChain();
  chain.mine([filled(1)]);
  for (let n = 0; n < 6; n++)
    await addTrigger(db, {
      start_block: 1,
      topic_filters: [
        [idTopic(1), ...Array.from({ length: 99 }, (_, k) => pad(numberToHex(1_000 * (n + 1) + k)))],
      ],
    });
  await createFollower(db, chain).tick();
  expect(logRequests(chain)).toMatchObject([{ topics: [[TOPIC0]] }]);
  expect(await db.$count(runs)).toBe(6);
});

describe('openBloom', () => {
  const mayHaveLogs = (chainId: number, bloom: Hex | undefined, { address, topics }: Required<LogFilter>) => {
    const mayHave = openBloom(chainId, bloom);
    return mayHave(bitsOf(address)) && mayHaveTopics(mayHave, topics);
  };

  const empty: Hex = `0x${'00'.repeat(256)}`;
  const filter = { address: CONTRACT, topics: [TOPIC0] };

  test.each([
    [1, false],
    [8_453, false],
    [42_161, false],
    [56, false],
    [31_337, false],
    [137, true],
    [10, true],
  ])('chain %i with an empty filter: %s', (chainId, expected) => {
    expect(mayHaveLogs(chainId, empty, filter)).toBe(expected);
    expect(mayHaveLogs(chainId, undefined, filter)).toBe(true);
  });

  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain();
  });
  afterAll(() => chain[Symbol.asyncDispose]());

  test('agrees with the filter of a real block', async () => {
    // Emits its calldata as a log: two topics, then the data.
    await chain.client.setCode({
      address: CONTRACT,
      bytecode: '0x60403603806040600037602035600035826000a200',
    });
    const [account] = await chain.client.getAddresses();
    if (!account) throw new Error('no account');
    const data: Hex = `0x${TOPIC0.slice(2)}${idTopic(7).slice(2)}`;
    const hash = await chain.client.sendTransaction({ account, to: CONTRACT, data, gas: 100_000n });
    const { blockHash } = await chain.client.waitForTransactionReceipt({ hash });
    const rpc = createChainRpc((call) => chain.client.request(call as never));
    const block = await rpc.block({ hash: blockHash });
    const has = (address: Hex, ...topics: (Hex | Hex[] | null)[]) =>
      mayHaveLogs(31_337, block?.logsBloom, { address, topics });
    expect(has(CONTRACT, TOPIC0)).toBe(true);
    expect(has(CONTRACT, TOPIC0, idTopic(7))).toBe(true);
    expect(has(CONTRACT, null, [idTopic(3), idTopic(7)])).toBe(true);
    expect(has(CONTRACT, TOPIC0, idTopic(3))).toBe(false);
    expect(has(other, TOPIC0)).toBe(false);
  });
});

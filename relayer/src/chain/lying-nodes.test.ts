import { ChainUnavailableError } from '@latchkey/chain/errors';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { desc } from 'drizzle-orm';
import { numberToHex, parseGwei } from 'viem';
import { expect, test } from 'vitest';
import { connectToLiar, highFees, type Lie } from '../../test/lying-node.ts';
import { accountCall, openOutboxFixture } from '../../test/outbox-fixture.ts';
import { transactions } from '../db/schema.ts';

const fixture = disposeAfterAll(await openOutboxFixture({ payerCount: 1 }));

/** Hides receipts, and shows the nonce of a pending transaction as used. */
const hidden: Lie = ({ method, params }, result) => {
  if (method === 'eth_getTransactionReceipt') return null;
  const isOfBlock = method === 'eth_getTransactionCount' && params[1] !== 'pending';
  return isOfBlock ? numberToHex(Number(result) + 1) : result;
};
/** Shows every transaction as reverted. */
const reverted: Lie = ({ method }, result) =>
  method === 'eth_getTransactionReceipt' && result !== null
    ? { ...(result as object), status: '0x0' }
    : result;

/** Shows every transaction in a later block. */
const moved: Lie = ({ method }, result) =>
  method === 'eth_getTransactionReceipt' && result !== null
    ? { ...(result as object), blockNumber: '0xffffff' }
    : result;

/** Sends a call through nodes of one chain, the first of which lies. */
async function sendThrough(lie: Lie, honest: number, name: string) {
  const [address] = fixture.addresses;
  if (!address) throw new Error('no payer');
  await using connected = await connectToLiar(fixture.anvil.url, lie, honest);
  const { chain, liar } = connected;
  const before = await fixture.anvil.client.getTransactionCount({ address });
  const payers = fixture.payers({ chain, timeoutMs: 6_000 });
  await payers.start();
  const outcome = await payers.send(accountCall(name)).then(
    ({ status }) => status,
    (error: unknown) => error,
  );
  liar.lie = (_call, result) => result;
  await payers.close();
  const after = await fixture.anvil.client.getTransactionCount({ address });
  expect(chain.head()).toBeLessThan(0xffffffn);
  return { outcome, transactions: after - before };
}

test.each([
  ['hides receipts', hidden],
  ['shows reverts', reverted],
  ['shows another block', moved],
])(
  'a node that %s executes nothing twice and fails nothing while two others are honest',
  async (name, lie) => {
    expect(await sendThrough(lie, 2, `two honest: ${name}`)).toEqual({ outcome: 'success', transactions: 1 });
  },
);

test('two nodes that contradict each other settle nothing', async () => {
  const { outcome, transactions } = await sendThrough(reverted, 1, 'contradicted');
  expect(outcome).toBeInstanceOf(ChainUnavailableError);
  expect(transactions).toBe(1);
});

/** Shows a count for the pending block, the latest one, or both. */
const counts =
  (count: number, blocks: string[]): Lie =>
  ({ method, params }, result) =>
    method === 'eth_getTransactionCount' && blocks.includes(String(params[1])) ? numberToHex(count) : result;

test.each([
  ['of the far future', counts(1_000_000, ['latest', 'pending'])],
  ['of the far future for mined transactions only', counts(1_000_000, ['latest'])],
  ['of the far future for pending transactions only', counts(1_000_000, ['pending'])],
  ['so high that no memory holds so many nonces', counts(2_000_000_000, ['latest', 'pending'])],
  ['of a new payer', counts(0, ['latest', 'pending'])],
  ['of a new payer for pending transactions only', counts(0, ['pending'])],
])(
  'a count %s, which one node of three shows, moves no nonce and costs no payer anything',
  async (which, lie) => {
    const { client } = fixture.anvil;
    const [address] = fixture.addresses;
    if (!address) throw new Error('no payer');
    const before = await client.getTransactionCount({ address });
    await using connected = await connectToLiar(fixture.anvil.url, lie, 2);
    const payers = fixture.payers({ chain: connected.chain });
    await payers.start();
    await client.setAutomine(false);
    try {
      const startMs = performance.now();
      const first = payers.send(accountCall(`pending: ${which}`));
      await until('it is broadcast again', async () => performance.now() - startMs > 5_000);
      for (let i = 0; i < 3; i++) await payers.recheck();
      const second = payers.send(accountCall(`next: ${which}`));
      await until('both can be mined', async () => (await client.getTxpoolStatus()).pending === 2);
      await client.setAutomine(true);
      await client.mine({ blocks: 1 });
      expect(await Promise.all([first, second])).toMatchObject([
        { status: 'success' },
        { status: 'success' },
      ]);
      for (let i = 0; i < 3; i++) await payers.recheck();
    } finally {
      await client.setAutomine(true);
      await payers.close();
    }
    expect(await fixture.store.nextNonce(address)).toBe(before + 2);
    expect(await client.getTransactionCount({ address })).toBe(before + 2);
    expect((await client.getTxpoolStatus()).queued).toBe(0);
  },
);

test('fees that one node of three invents are paid by no payer', async () => {
  expect(await sendThrough(highFees, 2, 'fees')).toMatchObject({ outcome: 'success' });
  const [last] = await fixture.db.select().from(transactions).orderBy(desc(transactions.nonce)).limit(1);
  expect(last?.maxPriorityFeePerGas).toBeLessThan(parseGwei('10'));
  expect(last?.maxFeePerGas).toBeLessThan(parseGwei('50'));
});

/** Shows the blocks of each height as the test says. */
const blocks =
  (change: (height: string, block: object) => object): Lie =>
  ({ method, params }, result) => {
    const isOfHeight = method === 'eth_getBlockByNumber' && params[0] !== 'latest' && result !== null;
    return isOfHeight ? change(String(params[0]), result as object) : result;
  };

/** Starts payers on three nodes, the first of which lies, and sends a call. */
async function sendWithLiar(lie: Lie, name: string) {
  const connected = await connectToLiar(fixture.anvil.url, lie, 2);
  const payers = fixture.payers({ chain: connected.chain });
  await payers.start();
  const { transactionHash: hash } = await payers.send(accountCall(name));
  const dispose = async () => {
    await payers.close();
    await connected[Symbol.asyncDispose]();
  };
  return { payers, hash, [Symbol.asyncDispose]: dispose };
}

test('a reorg that one node of three invents makes no transaction pending again', async () => {
  const lie = blocks((_height, block) => ({ ...block, hash: `0x${'ee'.repeat(32)}` }));
  await using sent = await sendWithLiar(lie, 'invented reorg');
  for (let i = 0; i < 2; i++) await sent.payers.recheck();
  const rows = await fixture.db.select().from(transactions);
  expect(rows.filter(({ droppedAt }) => droppedAt !== null)).toEqual([]);
});

test('a reorg that one node of three hides is found, and the transaction is sent again', async () => {
  const shown = new Map<string, object>();
  const lie = blocks((height, block) => {
    shown.set(height, shown.get(height) ?? block);
    return shown.get(height) ?? block;
  });
  await using sent = await sendWithLiar(lie, 'hidden reorg');
  const { client } = fixture.anvil;
  await sent.payers.recheck();
  const before = await client.getTransactionReceipt({ hash: sent.hash });
  await client.request({ method: 'anvil_reorg', params: [1, []] } as never);
  const after = await until('it is mined again', async () => {
    await sent.payers.recheck();
    return client.getTransactionReceipt({ hash: sent.hash }).catch(() => undefined);
  });
  expect(after.blockHash).not.toBe(before.blockHash);
});

test('payers without funds by one node of three are not skipped', async () => {
  const poor: Lie = ({ method }, result) => (method === 'eth_getBalance' ? '0x0' : result);
  expect(await sendThrough(poor, 2, 'poor')).toEqual({ outcome: 'success', transactions: 1 });
});

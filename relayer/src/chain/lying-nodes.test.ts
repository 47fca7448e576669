import { connectChain } from '@latchkey/chain/chain';
import { ChainUnavailableError } from '@latchkey/chain/errors';
import { rpcProxy } from '@latchkey/testing/rpc-proxy';
import { numberToHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountCall, type OutboxFixture, openOutboxFixture } from '../../test/outbox-fixture.ts';

let fixture: OutboxFixture;
beforeAll(async () => {
  fixture = await openOutboxFixture({ payerCount: 1 });
});
afterAll(() => fixture[Symbol.asyncDispose]());

type Lie = Awaited<ReturnType<typeof rpcProxy>>['lie'];

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
  await using liar = await rpcProxy(fixture.anvil.url);
  liar.lie = lie;
  await using resources = new AsyncDisposableStack();
  const others: string[] = [];
  for (let i = 0; i < honest; i++) others.push(resources.use(await rpcProxy(fixture.anvil.url)).url);
  const chain = connectChain({
    chainId: 31_337,
    name: 'test',
    token: 'ETH',
    rpcUrls: [liar.url, ...others],
    privateRpcUrl: undefined,
    wsUrls: [],
    pollingIntervalMs: 100,
  });
  resources.defer(chain.close);
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

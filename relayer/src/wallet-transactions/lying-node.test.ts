/** Transactions of a wallet while one of three RPC nodes lies. */
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { type Hex, numberToHex, parseGwei, parseTransaction } from 'viem';
import { expect, test, vi } from 'vitest';
import { connectToLiar, highFees, type Lie } from '../../test/lying-node.ts';
import { callOf, openWalletFixture, signer } from '../../test/wallet-fixture.ts';

vi.setConfig({ testTimeout: 60_000 });

const fixture = disposeAfterAll(await openWalletFixture());

const { signal } = new AbortController();

/** Opens a process on three nodes, the first of which lies, and a wallet that has sent two transactions. */
async function open(lie: Lie) {
  const connected = await connectToLiar(fixture.anvil.url, lie, 2);
  const process = await fixture.start({ chain: connected.chain });
  const wallet = await fixture.wallet();
  const send = async (asked: Parameters<typeof callOf>[1] = {}) => {
    const call = callOf(wallet, asked);
    return process.send(call, signer(wallet, call), signal);
  };
  const untilMined = (id: string) =>
    until('it is mined', async () => {
      const row = await fixture.row(id);
      return row.status === 'mined' && row;
    });
  for (let i = 0; i < 2; i++) await untilMined((await send()).id);
  const dispose = async () => {
    await process.close();
    await connected[Symbol.asyncDispose]();
  };
  return { wallet, send, untilMined, [Symbol.asyncDispose]: dispose };
}

const count =
  (told: number): Lie =>
  ({ method }, result) =>
    method === 'eth_getTransactionCount' ? numberToHex(told) : result;

test('a count of the far future gives no transaction a nonce that is never mined', async () => {
  await using opened = await open(count(1_000_000));
  for (const nonce of [2, 3]) {
    const sent = await opened.send();
    expect(sent.nonce).toBe(nonce);
    await opened.untilMined(sent.id);
  }
});

test('a count that is too low for half a minute gives no transaction a nonce that is used', async () => {
  await using opened = await open(count(0));
  expect((await opened.send()).nonce).toBe(2);
  await fixture.db.execute(
    `update wallet_nonces set in_chain_at = in_chain_at - interval '31 s', settled_at = settled_at - interval '31 s' where wallet = '${opened.wallet.address}'`,
  );
  const sent = await opened.send();
  expect(sent.nonce).toBe(3);
  await opened.untilMined(sent.id);
});

test.each([
  ['without a limit', undefined],
  ['with a high limit', parseGwei('10000')],
])('fees that one node invents are not those of a transaction %s', async (_limit, maxFeePerGas) => {
  await using opened = await open(highFees);
  const { id } = await opened.send({ maxFeePerGas });
  const { forms } = await opened.untilMined(id);
  const [first, ...raised] = forms.map((raw) => parseTransaction(raw as Hex));
  expect(first?.maxPriorityFeePerGas).toBeLessThan(parseGwei('10'));
  expect(first?.maxFeePerGas).toBeLessThan(parseGwei('50'));
  for (const form of maxFeePerGas ? [] : raised) expect(form.maxFeePerGas).toBeLessThan(parseGwei('500'));
});

const estimate =
  (told: number): Lie =>
  ({ method }, result) =>
    method === 'eth_estimateGas' ? numberToHex(told) : result;

test.each([
  ['more gas than any block has', estimate(2 ** 40)],
  ['no gas', estimate(0)],
])(
  'a node that estimates %s gives no transaction a limit with which it is never mined',
  async (_what, lie) => {
    await using opened = await open(lie);
    const { forms, cancelRaw } = await opened.untilMined((await opened.send()).id);
    for (const raw of [...forms, cancelRaw]) expect(parseTransaction(raw as Hex).gas).toBeLessThan(100_000n);
  },
);

test('a node that invents a balance has no transaction stored that the wallet cannot pay', async () => {
  const rich = numberToHex(10n ** 30n);
  await using opened = await open(({ method }, result) => (method === 'eth_getBalance' ? rich : result));
  await expect(opened.send({ value: 10n ** 24n })).rejects.toThrow(
    /has \d+\.\d+ of the 1000000 that it needs/,
  );
});

/** A chain that takes no transaction of a payer, and the operator's command. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { bundle } from '@latchkey/bundle';
import { createRescue, listPending } from '@latchkey/outbox';
import { accountConfigAbi } from '@latchkey/protocol';
import { localSigner } from '@latchkey/service/secp256k1';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { type Address, type Hex, parseGwei } from 'viem';
import { beforeEach, expect, test, vi } from 'vitest';
import { accountCall, ETHER, openOutboxFixture } from '../../test/outbox-fixture.ts';

vi.setConfig({ testTimeout: 60_000 });

const CEILING = parseGwei('100');
const HIGH = parseGwei('1000');

const fixture = disposeAfterAll(await openOutboxFixture({ payerCount: 1 }));
beforeEach(() => setBaseFee(parseGwei('1')));

const setBaseFee = async (baseFeePerGas: bigint) => {
  await fixture.anvil.client.setAutomine(false);
  await fixture.anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas });
  await fixture.anvil.client.mine({ blocks: 1 });
};
const mine = async () => {
  await fixture.anvil.client.mine({ blocks: 1 });
};
const rescue = () =>
  createRescue(fixture.chain, fixture.db, {
    signers: fixture.keys.map(localSigner),
    contract: fixture.contract,
  });
const pending = () => listPending(fixture.db, fixture.chain);
const isOpen = async (account: bigint) => {
  const { address, abi } = { address: fixture.contract, abi: accountConfigAbi };
  const [master] = await fixture.anvil.client.readContract({
    address,
    abi,
    functionName: 'resolve',
    args: [account],
  });
  return master === account;
};

/** Sends a call, and makes the chain too expensive for it. Returns its id and the result of `send`. */
async function stick(name: string, options = {}) {
  const payers = fixture.payers({ feeCeiling: CEILING, repriceAfterMs: 1_000, ...options });
  await payers.start();
  const call = accountCall(name);
  const sent = payers.send(call);
  sent.catch(() => {});
  await until('the transaction is stored', async () => (await pending()).length === 1);
  await setBaseFee(HIGH / 2n);
  const [found] = await pending();
  return { payers, call, sent, id: found?.transaction.id ?? '', reason: found?.reason };
}

test('a transaction that the ceiling keeps below the base fee is replaced, mined, and takes effect once', async () => {
  const { call, sent, id, reason } = await stick('too cheap');
  expect(reason).toMatch(/^offers [\d.]+ gwei, and the base fee is 500$/);
  await mine();
  expect(await isOpen(call.account)).toBe(false);
  const { hashes } = await rescue().replace(id, HIGH);
  await mine();
  expect((await sent).transactionHash).toBe(hashes.at(-1));
  expect(await pending()).toEqual([]);
  expect(fixture.mined.filter(({ account }) => account === call.account)).toHaveLength(1);
});

test('relayers broadcast the form of the operator again when the node loses it', async () => {
  const { sent, id } = await stick('dropped');
  const { hashes } = await rescue().replace(id, HIGH);
  const hash = hashes.at(-1) as Hex;
  await fixture.anvil.client.dropTransaction({ hash });
  await until('it is broadcast again', async () =>
    fixture.anvil.client.getTransaction({ hash }).then(
      () => true,
      () => false,
    ),
  );
  await mine();
  expect((await sent).transactionHash).toBe(hash);
});

test('a cancelled transaction has no effect, and the next one of its payer is mined', async () => {
  const { call, payers, sent, id } = await stick('cancelled');
  const hash = await rescue().cancel(id, HIGH);
  await mine();
  expect(await fixture.anvil.client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
  expect((await pending())[0]?.reason).toBe('its nonce is used: it counts as cancelled 64 blocks later');
  await fixture.anvil.client.mine({ blocks: 64 });
  await until('it is settled', async () => (await pending()).length === 0);
  expect(await fixture.store.get(id)).toMatchObject({ status: 'replaced' });
  await expect(sent).rejects.toThrow('the operator cancelled the transaction');
  await setBaseFee(parseGwei('1'));
  await fixture.anvil.client.setAutomine(true);
  await payers.refreshGas();
  const other = fixture.payers();
  expect((await other.send(accountCall('after a cancelled one'))).status).toBe('success');
  expect(await isOpen(call.account)).toBe(false);
});

test('fees that nodes refuse, and transactions that are not pending, are refused and change nothing', async () => {
  const { sent, id } = await stick('refused');
  const before = await pending();
  const low = before[0]?.transaction.maxFeePerGas ?? 0n;
  for (const change of [rescue().replace, rescue().cancel])
    await expect(change(id, low)).rejects.toThrow('nodes replace it for at least');
  await expect(rescue().retry(crypto.randomUUID())).rejects.toThrow('no pending transaction has the id');
  expect((await pending()).map(({ transaction }) => transaction)).toEqual(
    before.map(({ transaction }) => transaction),
  );
  await rescue().replace(id, HIGH);
  await mine();
  await sent;
  await expect(rescue().replace(id, HIGH * 2n)).rejects.toThrow('no pending transaction has the id');
});

test('a transaction waits for an earlier nonce, or for funds of its payer', async () => {
  const payers = fixture.payers();
  const sent = [payers.send(accountCall('first')), payers.send(accountCall('second'))];
  await until('both are stored', async () => (await pending()).length === 2);
  const [address] = fixture.addresses as [Address];
  const [first, second] = await pending();
  expect(first?.reason).toBe('the chain can mine it: retry it, or replace it with higher fees');
  expect(second?.reason).toBe(`waits for nonce ${first?.transaction.nonce} of its payer`);
  await fixture.anvil.client.setBalance({ address, value: 0n });
  expect((await pending())[0]?.reason).toBe('its payer has too little funds');
  await fixture.anvil.client.setBalance({ address, value: 100n * ETHER });
  expect(
    await rescue()
      .retry(second?.transaction.id ?? '')
      .catch(() => 'known to the node'),
  ).toBeDefined();
  await mine();
  await Promise.all(sent);
});

test('npm run transactions lists, replaces and refuses', async () => {
  const run = async (...args: string[]) => {
    const child = spawn(process.execPath, [await bundle('relayer/src/transactions.ts'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        ...fixture.settings,
        PAYER_PRIVATE_KEYS: fixture.keys.join(),
      },
    });
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const [code, out, err] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
    return { code, out, err };
  };
  expect(await run('list')).toMatchObject({ code: 0, out: '0 pending transactions\n' });
  const { sent, id } = await stick('command', { timeoutMs: 60_000 });
  const listed = await run('list');
  expect(listed).toMatchObject({ code: 1, out: expect.stringContaining(`${id}: nonce `) });
  expect(await run('list', '--older-than', '3600')).toMatchObject({ code: 0 });
  for (const command of ['replace', 'cancel'])
    expect(await run(command, id, '--max-fee-gwei', '0.1')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^nodes replace it for at least [\d.]+ gwei/),
    });
  for (const wrong of [
    ['replace', id],
    ['replace'],
    ['list', '--older-than', 'x'],
    ['nothing'],
    ['retry', id, 'more'],
  ])
    expect((await run(...wrong)).code).toBe(2);
  expect(await run('replace', id, '--max-fee-gwei', '1000')).toMatchObject({ code: 0 });
  await mine();
  expect((await sent).status).toBe('success');
});

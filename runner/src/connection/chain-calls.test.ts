import type { FromRunner } from '@latchkey/runner-protocol';
import { expect, test } from 'vitest';
import { createChainCalls } from './chain-calls.ts';

const WALLETS = ['0x00000000000000000000000000000000000000A1', '0x00000000000000000000000000000000000000A2'];
const fees = (maxFeePerGas: number) => ({ maxFeePerGas: String(maxFeePerGas), maxPriorityFeePerGas: '1' });
type Asked = { pkpId: string; transactions: { nonce: number }[] };

/** Chain calls whose key process signs by naming wallet, nonce and place. Each call of it waits for `release`. */
function open() {
  const sent: FromRunner[] = [];
  const asked: Asked[] = [];
  const waiting: (() => void)[] = [];
  const calls = createChainCalls((message) => void sent.push(message));
  const callKey = async (_operation: string, args: unknown): Promise<string> => {
    const { pkpId, transactions } = args as Asked;
    asked.push({ pkpId, transactions });
    await new Promise<void>((resolve) => waiting.push(resolve));
    if (pkpId === WALLETS[1]) throw new Error('no key');
    return JSON.stringify(transactions.map(({ nonce }, place) => `${nonce} ${place}`));
  };
  return {
    sent,
    asked,
    newRun: (run: number) => calls.forRun(run, callKey as never),
    sign: (call: number, nonce: number) =>
      calls.receive({
        type: 'sign transaction',
        call,
        attempt: 1,
        nonce,
        gas: '21000',
        forms: [fees(100), fees(200)],
        cancel: { ...fees(300), gas: '21000' },
      }),
    release: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}
const transfer = (pkpId = WALLETS[0]) => ({ pkpId, chainId: 1, to: WALLETS[1], value: '1', data: '0x' });
const signedOf = ({ sent }: { sent: FromRunner[] }) =>
  sent.flatMap((message) => (message.type === 'transaction signed' ? [message] : []));

test('concurrent transactions of a wallet in one run share its key', async () => {
  const opened = open();
  const run = opened.newRun(1);
  for (let i = 0; i < 11; i++) void run.sendTransaction(transfer()).catch(() => {});
  const signings = Array.from({ length: 11 }, (_, i) => opened.sign(i + 1, 40 + i));
  for (let calls = 1; calls <= 3; calls++) {
    await expect.poll(() => opened.asked.length).toBe(calls);
    opened.release();
  }
  await Promise.all(signings);
  expect(opened.asked.map(({ transactions }) => transactions.length / 3)).toEqual([1, 8, 2]);
  expect(signedOf(opened).map(({ call }) => call)).toEqual(Array.from({ length: 11 }, (_, i) => i + 1));
  expect(signedOf(opened)[2]).toMatchObject({ forms: ['42 3', '42 4'], cancel: '42 5' });
});

test('other runs and other wallets have a key of their own, and their failures', async () => {
  const opened = open();
  const [first, second] = [opened.newRun(1), opened.newRun(2)];
  void first.sendTransaction(transfer()).catch(() => {});
  const failing = first.sendTransaction(transfer(WALLETS[1]));
  void second.sendTransaction(transfer()).catch(() => {});
  const signings = [opened.sign(1, 7), opened.sign(2, 8), opened.sign(3, 9)];
  await expect.poll(() => opened.asked.length).toBe(3);
  opened.release();
  await expect(failing).rejects.toThrow('no key');
  await Promise.all(signings);
  expect(signedOf(opened).map(({ call }) => call)).toEqual([1, 3]);
});

test('a transaction of a run that has ended meanwhile is not handed out', async () => {
  const opened = open();
  const run = opened.newRun(1);
  void run.sendTransaction(transfer()).catch(() => {});
  const signing = opened.sign(1, 7);
  await expect.poll(() => opened.asked.length).toBe(1);
  run.end();
  opened.release();
  await signing;
  expect(opened.sent.map(({ type }) => type)).toEqual(['send transaction', 'transaction not signed']);
});

/** A runner under the control of an attacker, or of an action that is: its requests about chains, and its signatures. */
import { defaultLimits, type FromRunner, type SendRequest, type ToRunner } from '@latchkey/runner-protocol';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { describe, expect, test, vi } from 'vitest';
import { formsAt } from '../../test/wallet-forms.ts';
import type { SignByRun, ToSignByRun } from '../wallet-transactions/types.ts';
import { ChainRequests, createChainRequests, type RunChains } from './chain-requests.ts';

const RUN = 3;
const pkpId = privateKeyToAddress(generatePrivateKey());
const to = privateKeyToAddress(generatePrivateKey());
const transaction: SendRequest = { pkpId, chainId: 5, to, value: '7', data: '0x12' };
const toSign = formsAt(4);

/** A run whose chains have it sign `asked`, one after the other. */
function chainsOf(asked: ToSignByRun[] = [toSign]) {
  const sent: ToRunner[] = [];
  const errors: unknown[] = [];
  const signed: Awaited<ReturnType<SignByRun>>[] = [];
  let sends = 0;
  let reads = 0;
  const chains: RunChains = {
    async sendTransaction(_, sign) {
      sends += 1;
      for (const each of asked) signed.push(await sign(each));
      return { id: 'a', hash: '0x12', nonce: asked.at(-1)?.nonce ?? 0 };
    },
    async callNode() {
      reads += 1;
      return '{}';
    },
  };
  const requests = new ChainRequests(chains);
  const handlers = createChainRequests({
    send: (message) => sent.push(message),
    find: (run) => (run === RUN ? requests : undefined),
    onError: (error) => errors.push(error),
  });
  const send = (call = 1, run = RUN) =>
    handlers.sendTransaction({ type: 'send transaction', call, run, transaction });
  return { ...handlers, send, requests, sent, errors, signed, sends: () => sends, reads: () => reads };
}

type Signed = Extract<FromRunner, { type: 'transaction signed' }>;
const answer = (fields: Partial<Signed> = {}): Signed => ({
  type: 'transaction signed',
  call: 1,
  attempt: 1,
  forms: ['0x01'],
  cancel: '0x02',
  ...fields,
});

test('the run signs, and learns what was sent', async () => {
  const { send, takeSignatures, sent, signed, errors } = chainsOf([toSign, formsAt(5)]);
  const sending = send();
  expect(sent).toEqual([
    {
      type: 'sign transaction',
      call: 1,
      attempt: 1,
      nonce: 4,
      gas: '100000',
      forms: toSign.forms.map((fees) => ({
        maxFeePerGas: String(fees.maxFeePerGas),
        maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
      })),
      cancel: { maxFeePerGas: '20000000000', maxPriorityFeePerGas: '1000000000', gas: '21000' },
    },
  ]);
  takeSignatures(answer());
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  takeSignatures(answer({ attempt: 2, cancel: '0x03' }));
  await sending;
  expect(sent.at(-1)).toEqual({ type: 'transaction sent', call: 1, id: 'a', hash: '0x12', nonce: 5 });
  expect(signed).toEqual([
    { forms: ['0x01'], cancel: '0x02' },
    { forms: ['0x01'], cancel: '0x03' },
  ]);
  expect(errors).toEqual([]);
});

test('signatures of another attempt or call are ignored', async () => {
  const { send, takeSignatures, sent, signed } = chainsOf();
  const sending = send();
  takeSignatures(answer({ call: 2 }));
  takeSignatures(answer({ attempt: 2 }));
  takeSignatures({
    type: 'transaction not signed',
    call: 1,
    attempt: 9,
    error: { name: 'a', message: 'b' },
  });
  await new Promise((turn) => setImmediate(turn));
  expect({ signed, sent: sent.length }).toEqual({ signed: [], sent: 1 });
  takeSignatures(answer());
  await sending;
  expect(signed).toHaveLength(1);
});

describe('a send is refused', () => {
  test('for a run that has ended or has not begun', async () => {
    const { send, sent, sends } = chainsOf();
    await send(1, RUN + 1);
    expect(sent).toMatchObject([{ type: 'transaction refused', call: 1, error: { name: 'StoppedError' } }]);
    expect(sends()).toBe(0);
  });

  test('above the limit of a run', async () => {
    const { send, sent, sends } = chainsOf([]);
    for (let call = 1; call <= defaultLimits.maxTransactions + 5; call++) await send(call);
    expect(sends()).toBe(defaultLimits.maxTransactions);
    expect(sent.at(-1)).toMatchObject({ error: { name: 'TransactionLimitError' } });
  });

  test('when the run does not sign, with its reason', async () => {
    const { send, takeSignatures, sent, errors } = chainsOf();
    const sending = send();
    const error = { name: 'WalletNotPermittedError', message: 'no' };
    takeSignatures({ type: 'transaction not signed', call: 1, attempt: 1, error });
    await sending;
    expect(sent.at(-1)).toEqual({ type: 'transaction refused', call: 1, error });
    expect(errors).toEqual([]);
  });

  test('when the run ends', async () => {
    const { send, requests, sent } = chainsOf();
    const sending = send();
    requests.end();
    await sending;
    expect(sent.at(-1)).toMatchObject({ type: 'transaction refused', error: { name: 'StoppedError' } });
  });

  test('when the run has ended before it is asked to sign', async () => {
    const { send, requests, sent } = chainsOf();
    requests.end();
    await send();
    expect(sent.at(-1)).toMatchObject({ type: 'transaction refused', error: { name: 'StoppedError' } });
  });
});

test('calls of nodes are refused above the limit of a run, and without a run', async () => {
  const { callNode, sent, reads } = chainsOf();
  const call = { type: 'rpc', chainId: 5, method: 'eth_chainId', params: '[]' } as const;
  await callNode({ ...call, call: 1, run: RUN + 1 });
  expect(sent).toMatchObject([{ type: 'rpc refused', call: 1, error: { name: 'StoppedError' } }]);
  for (let i = 2; i <= defaultLimits.maxFetches + 5; i++) await callNode({ ...call, call: i, run: RUN });
  expect(reads()).toBe(defaultLimits.maxFetches);
  expect(sent.at(-1)).toMatchObject({ type: 'rpc refused', error: { name: 'FetchLimitError' } });
});

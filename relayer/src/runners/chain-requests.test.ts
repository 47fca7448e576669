/** A runner under the control of an attacker, or of an action that is: its requests about chains, and its signatures. */
import { defaultLimits, type FromRunner, type SendRequest, type ToRunner } from '@latchkey/runner-protocol';
import { signTransaction } from '@latchkey/service/secp256k1';
import { type Hex, hexToBytes } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { formsAt } from '../../test/wallet-forms.ts';
import type { SignByRun, ToSignByRun } from '../wallet-transactions/types.ts';
import { ChainRequests, createChainRequests, type RunChains } from './chain-requests.ts';

const RUN = 3;
const privateKey = generatePrivateKey();
const pkpId = privateKeyToAddress(privateKey);
const to = privateKeyToAddress(generatePrivateKey());
const transaction: SendRequest = { pkpId, chainId: 5, to, value: '7', data: '0x12' };
const toSign = formsAt(4);

afterEach(() => void vi.useRealTimers());

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

type Fields = Parameters<typeof signTransaction>[0];
/** The forms that an honest run signs, with changes by an attacker. */
function signedForms(
  { nonce, gas, forms, cancel }: ToSignByRun,
  changes: Partial<Fields> = {},
  key = privateKey,
) {
  const sign = (fields: Fields): Hex => signTransaction({ ...fields, ...changes }, hexToBytes(key));
  const common = { type: 'eip1559', chainId: 5, nonce } as const;
  return {
    forms: forms.map((fees) => sign({ ...common, to, value: 7n, data: '0x12', gas, ...fees })),
    cancel: signTransaction({ ...common, to: pkpId, value: 0n, ...cancel }, hexToBytes(key)),
  };
}
type Signed = Extract<FromRunner, { type: 'transaction signed' }>;
const answer = (fields: Partial<Signed> = {}): Signed => ({
  type: 'transaction signed',
  call: 1,
  attempt: 1,
  ...signedForms(toSign),
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
  takeSignatures(answer({ attempt: 2, ...signedForms(formsAt(5)) }));
  await sending;
  expect(sent.at(-1)).toEqual({ type: 'transaction sent', call: 1, id: 'a', hash: '0x12', nonce: 5 });
  expect(signed).toEqual([signedForms(toSign), signedForms(formsAt(5))]);
  expect(errors).toEqual([]);
});

describe('signatures that are not what was asked', () => {
  const honest = signedForms(toSign);
  const wrong: [string, Partial<Signed>][] = [
    ['another recipient', signedForms(toSign, { to: pkpId })],
    ['another value', signedForms(toSign, { value: 8n })],
    ['other data', signedForms(toSign, { data: '0x1234' })],
    ['another chain', signedForms(toSign, { chainId: 6 })],
    ['another nonce', signedForms(toSign, { nonce: 5 })],
    ['other gas', signedForms(toSign, { gas: 1n })],
    ['other fees', signedForms(toSign, { maxFeePerGas: 10n ** 12n })],
    ['an access list', signedForms(toSign, { accessList: [{ address: to, storageKeys: [] }] })],
    ['another wallet', signedForms(toSign, {}, generatePrivateKey())],
    ['another order', { ...honest, forms: honest.forms.toReversed() }],
    ['a form less', { ...honest, forms: honest.forms.slice(1) }],
    ['a form more', { ...honest, forms: [...honest.forms, ...honest.forms] }],
    ['no cancelling form', { ...honest, cancel: honest.forms[0] as Hex }],
    ['bytes after a form', { ...honest, cancel: `${honest.cancel}00` }],
    ['other bytes', { ...honest, cancel: '0x02' }],
    ['no signature', { ...honest, cancel: honest.cancel.slice(0, 60) as Hex }],
  ];
  test.each(wrong)('%s', async (_, fields) => {
    const { send, takeSignatures, sent, signed, errors } = chainsOf();
    const sending = send();
    takeSignatures(answer(fields));
    await sending;
    expect(signed).toEqual([]);
    expect(sent.at(-1)).toMatchObject({ type: 'transaction refused', error: { name: 'InternalError' } });
    expect(errors).toMatchObject([{ message: 'the runner did not sign what it was asked to sign' }]);
  });

  test('of another attempt or call are ignored', async () => {
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

  test('when the runner does not answer within ten seconds', async () => {
    vi.useFakeTimers();
    const { send, sent, errors } = chainsOf();
    const sending = send();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await sending;
    expect(sent.at(-1)).toMatchObject({ type: 'transaction refused', error: { name: 'InternalError' } });
    expect(errors).toHaveLength(1);
  });

  test('when a sixth nonce is needed', async () => {
    const nonces = [4, 5, 6, 7, 8, 9].map((nonce) => formsAt(nonce));
    const { send, takeSignatures, sent, signed } = chainsOf(nonces);
    const sending = send();
    for (let attempt = 1; attempt <= 5; attempt++) {
      await vi.waitFor(() => expect(sent).toHaveLength(attempt));
      takeSignatures(answer({ attempt, ...signedForms(formsAt(3 + attempt)) }));
    }
    await sending;
    expect(signed).toHaveLength(5);
    expect(sent.at(-1)).toMatchObject({
      error: { name: 'TransactionError', message: expect.stringMatching('5 nonces') },
    });
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

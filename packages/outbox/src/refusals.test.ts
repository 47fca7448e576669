import {
  ContractRevertError,
  MinedRevertError,
  SignerError,
  UnexplainedRevertError,
  UnsettledTransactionError,
} from '@latchkey/chain/errors';
import { accountConfigAbi } from '@latchkey/protocol';
import { createLogger } from '@latchkey/service/logger';
import { type Address, encodeErrorResult, type Hex, type TransactionReceipt } from 'viem';
import { expect, test, vi } from 'vitest';
import type { PayerLane } from './lanes.ts';
import { explain, skip, UnfundedError } from './refusals.ts';
import type { StoredTransaction } from './store.ts';

const PAYER: Address = `0x${'aa'.repeat(20)}`;
const OTHER: Address = `0x${'bb'.repeat(20)}`;
const log = createLogger({ name: 'test', level: 'silent' });
const revertOf = (errorName: 'OnlyApiPayer' | 'OnlyApiPayerOrOwner', payer: Address) =>
  encodeErrorResult({ abi: accountConfigAbi, errorName, args: [payer] });

const laneOf = () =>
  ({ signer: { address: PAYER }, isApiPayer: true, restsUntilMs: 0 }) as unknown as PayerLane;

test.each(['OnlyApiPayer', 'OnlyApiPayerOrOwner'] as const)(
  'a payer that is refused with %s is no longer used',
  (name) => {
    const lane = laneOf();
    skip(lane, new ContractRevertError(revertOf(name, PAYER)), log);
    expect(lane).toMatchObject({ isApiPayer: false, restsUntilMs: 0 });
  },
);

test.each([new SignerError('no key'), new UnfundedError('no funds')])('a payer rests after: %s', (error) => {
  const lane = laneOf();
  skip(lane, error, log);
  expect(lane.isApiPayer).toBe(true);
  expect(lane.restsUntilMs).toBeGreaterThan(performance.now());
});

test('other errors are those of the call', () => {
  for (const error of [
    new ContractRevertError(revertOf('OnlyApiPayer', OTHER)),
    new ContractRevertError('0x12345678'),
    new Error('another one'),
  ]) {
    const lane = laneOf();
    expect(() => skip(lane, error, log)).toThrow(error);
    expect(lane).toMatchObject({ isApiPayer: true, restsUntilMs: 0 });
  }
});

/** Explains a mined revert of a call that fails so when it is replayed. */
function explainWith(failure: Error | undefined) {
  const call = vi.fn(async (_call: object) => {
    if (failure) throw failure;
    return {};
  });
  const chain = { client: { call } } as never;
  const transaction = { payer: PAYER, nonce: 1, data: '0x1234' as Hex } as StoredTransaction;
  const receipt = { blockNumber: 9n, gasUsed: 77n } as TransactionReceipt;
  return { call, explained: explain({ chain, contract: OTHER, log }, transaction, receipt) };
}

test('a mined revert is explained by a replay of its call in its block', async () => {
  const { call, explained } = explainWith(new ContractRevertError('0x12345678'));
  const error = await explained.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(MinedRevertError);
  expect(error).toMatchObject({ data: '0x12345678', gasUsed: 77n });
  expect(call.mock.calls).toEqual([[{ account: PAYER, to: OTHER, data: '0x1234', blockNumber: 9n }]]);
});

test('a mined revert of a payer that was removed meanwhile is not the error of the call', async () => {
  await explainWith(new ContractRevertError(revertOf('OnlyApiPayer', PAYER))).explained;
  const ofAnother = explainWith(new ContractRevertError(revertOf('OnlyApiPayer', OTHER))).explained;
  await expect(ofAnother).rejects.toThrow(MinedRevertError);
});

test('a mined revert whose replay cannot be asked for, or succeeds, stays unexplained', async () => {
  const unknown = await explainWith(new Error('down')).explained.catch((thrown: unknown) => thrown);
  expect(unknown).toBeInstanceOf(UnsettledTransactionError);
  expect(unknown).not.toBeInstanceOf(UnexplainedRevertError);
  await expect(explainWith(undefined).explained).rejects.toThrow(UnexplainedRevertError);
});

/** Payment of a run, and storage of its code, by the outcome of the run. */
import { defaultLimits, type RunResult } from '@latchkey/runner-protocol';
import { createLogger } from '@latchkey/service/logger';
import { zeroAddress } from 'viem';
import { expect, test } from 'vitest';
import { ChainUnavailableError } from '../../chain/errors.ts';
import { createAdmission } from '../../runners/admission.ts';
import type { RunRequest } from '../../runners/runners.ts';
import { type RunContext, runAction } from './run-action.ts';

const result = { response: 1, logs: '', hasError: false, durationMs: 1 };

const request = () => ({
  code: undefined,
  ipfs_id: 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
  caller: {
    hash: 1n,
    account: 7n,
    adminWallet: zeroAddress,
    managed: true,
    isUsageKey: true,
    minBlock: 0n,
    expiration: 0n,
    block: 0n,
  },
  runId: 'run',
  idempotencyId: undefined,
  log: createLogger({ name: 'test', level: 'silent' }),
});

const runnersWith = (run: (request: RunRequest) => Promise<RunResult>) => ({
  take: async () => ({ run, release() {} }),
});

/** A context whose runs cost `costMicros`, with some parts replaced. */
const contextWith = (costMicros: bigint, parts: object): RunContext =>
  ({
    accountConfig: { read: async () => true },
    actionSource: async () => 'code of the gateway',
    actionCodes: { keep: async () => {} },
    runs: {
      begin: async () => ({
        accountHead: 0n,
        signal: new AbortController().signal,
        started() {},
        capture: async () => ({ id: 'run', result, costMicros }),
        release: async () => {},
      }),
    },
    runners: runnersWith(async () => result),
    runLimits: defaultLimits,
    permittedRuns: new Map(),
    admission: createAdmission({
      maxConcurrentRuns: 1,
      maxConcurrentRunsPerAccount: 1,
      maxQueuedRuns: 0,
      maxQueuedRunsPerAccount: 0,
    }),
    runWatch: { watch: () => ({ signal: new AbortController().signal, [Symbol.dispose]() {} }) },
    ...parts,
  }) as unknown as RunContext;

/** Runs an action at a price of `costMicros`. Resolves to the stored code. */
async function run(costMicros: bigint, keep: () => Promise<void> = async () => {}) {
  const kept: unknown[] = [];
  const actionCodes = {
    keep: (...args: unknown[]) => {
      kept.push(args);
      return keep();
    },
  };
  return { outcome: await runAction(contextWith(costMicros, { actionCodes }), request()), kept };
}

/** Runs an action whose key operation finds no chain; it ends with `hasError`. Resolves to what happened to the payment. */
async function runInOutage(hasError: boolean) {
  const settled: string[] = [];
  let isDown = false;
  const context = contextWith(10_000n, {
    accountConfig: {
      read: async () => {
        if (isDown) throw new ChainUnavailableError('the chain is down');
        return true;
      },
    },
    runs: {
      begin: async () => ({
        accountHead: 0n,
        signal: new AbortController().signal,
        started() {},
        capture: async () => {
          settled.push('captured');
          return { id: 'run', result, costMicros: 0n };
        },
        release: async () => void settled.push('released'),
      }),
    },
    runners: runnersWith(async ({ keys }) => {
      isDown = true;
      await keys.getActionPrivateKey().catch(() => {});
      return { ...result, hasError };
    }),
  });
  const outcome = await runAction(context, request()).catch((error: unknown) => error);
  return { settled, outcome };
}

test('a run that failed because the chain was down costs nothing', async () => {
  const { settled, outcome } = await runInOutage(true);
  expect(outcome).toBeInstanceOf(ChainUnavailableError);
  expect(settled).toEqual(['released']);
});

test('a run that succeeded although the chain was down is charged', async () => {
  expect((await runInOutage(false)).settled).toEqual(['captured']);
});

test('stores the code of a paid run for its account', async () => {
  const { kept } = await run(10_000n);
  expect(kept).toEqual([[7n, 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH', 'code of the gateway']]);
});

test('stores no code of a run that was released and costs nothing', async () => {
  expect((await run(0n)).kept).toEqual([]);
});

test('returns the result of a paid run when storing its code fails', async () => {
  const { outcome } = await run(10_000n, () => Promise.reject(new Error('the disk is full')));
  expect(outcome).toEqual({ id: 'run', result, costMicros: 10_000n });
});

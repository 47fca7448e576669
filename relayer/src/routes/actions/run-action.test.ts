/** Storage of the code of a run, by the outcome of the run. */
import { createLogger } from '@latchkey/service/logger';
import { expect, test } from 'vitest';
import { createAdmission } from '../../runtime/admission.ts';
import { type RunContext, runAction } from './run-action.ts';

const result = { response: 1, logs: '', hasError: false, durationMs: 1 };

/** Runs an action at a price of `costMicros`. Resolves to the stored code. */
async function run(costMicros: bigint, keep: () => Promise<void> = async () => {}) {
  const kept: unknown[] = [];
  const context = {
    accountConfig: { read: async () => true },
    actionSource: async () => 'code of the gateway',
    actionCodes: {
      keep: (...args: unknown[]) => {
        kept.push(args);
        return keep();
      },
    },
    runs: {
      begin: async () => ({
        signal: new AbortController().signal,
        started() {},
        capture: async () => ({ id: 'run', result, costMicros }),
        release: async () => {},
      }),
    },
    runtime: { run: async () => result },
    admission: createAdmission({
      maxConcurrentRuns: 1,
      maxConcurrentRunsPerAccount: 1,
      maxQueuedRuns: 0,
      maxQueuedRunsPerAccount: 0,
    }),
    runWatch: { watch: () => ({ signal: new AbortController().signal, [Symbol.dispose]() {} }) },
  } as unknown as RunContext;
  const outcome = await runAction(context, {
    code: undefined,
    ipfs_id: 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
    caller: { hash: 1n, account: 7n, minBlock: 0n, expiration: 0n },
    runId: 'run',
    idempotencyId: undefined,
    log: createLogger({ name: 'test', level: 'silent' }),
  });
  return { kept, outcome };
}

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

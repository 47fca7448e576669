/** Payment of a run, and storage of its code, by the outcome of the run. */

import { cidHash } from '@latchkey/protocol';
import { ActionError, defaultLimits, noUsage, type RunResult } from '@latchkey/runner-protocol';
import { createLogger } from '@latchkey/service/logger';
import { zeroAddress } from 'viem';
import { expect, test } from 'vitest';
import type { RecentKey } from '../auth/key-registry.ts';
import { createAdmission } from '../runners/admission.ts';
import { KeyNodesUnavailableError } from '../runners/errors.ts';
import type { RunRequest } from '../runners/remote-run.ts';
import type { RunContext } from './asked.ts';
import { runAction } from './run-action.ts';

const result = { response: 1, logs: '', hasError: false, durationMs: 1, usage: noUsage };

/** A lookup of the usage key at this block. */
const keyAt = (block: bigint): RecentKey => ({
  hash: 1n,
  account: 7n,
  adminWallet: zeroAddress,
  managed: true,
  isUsageKey: true,
  isAccepted: true,
  expiration: 0n,
  block,
});

/** The lookup that the key registry returns: of the latest request, unless a test changes it. */
let found: RecentKey | undefined;
const request = (key = keyAt(0n)) => {
  found = key;
  return {
    code: undefined,
    ipfs_id: 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
    caller: { hash: 1n, account: 7n, minBlock: 0n, expiration: 0n, key },
    runId: 'run',
    idempotencyId: undefined,
    log: createLogger({ name: 'test', level: 'silent' }),
  };
};

const runnersWith = (run: (request: RunRequest) => Promise<RunResult>) => ({
  run(request: RunRequest) {
    request.onBegin?.();
    return run(request);
  },
});

/** A context whose runs cost `costMicros`, with some parts replaced. */
const contextWith = (costMicros: bigint, parts: object): RunContext =>
  ({
    accountConfig: { read: async () => true },
    actionSource: async () => 'code of the gateway',
    actionCodes: { keep: async () => {} },
    actionKeys: { publish() {}, certificateOf: async () => '' },
    keyNodes: { askFor: () => async () => ({ isRefused: true, message: '' }) },
    runs: {
      begin: async () => ({
        accountHead: 0n,
        signal: new AbortController().signal,
        clock: { start() {}, pause() {} },
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
    receipts: { sign: async () => undefined },
    countRun() {},
    runStops: { watch: () => ({ signal: new AbortController().signal, [Symbol.dispose]() {} }) },
    runWatch: {
      watch: () => ({ signal: new AbortController().signal, [Symbol.dispose]() {} }),
      recheck() {},
    },
    keyRegistry: { findRecent: async () => found },
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

/** Runs an action without a key that it needs; it ends with `hasError`. Resolves to what happened to the payment. */
async function runInOutage(hasError: boolean) {
  const settled: string[] = [];
  const context = contextWith(10_000n, {
    runs: {
      begin: async () => ({
        accountHead: 0n,
        signal: new AbortController().signal,
        clock: { start() {}, pause() {} },
        capture: async () => {
          settled.push('captured');
          return { id: 'run', result, costMicros: 0n };
        },
        release: async () => void settled.push('released'),
      }),
    },
    runners: runnersWith(async ({ keys }) => {
      keys.onOutage('1 of 3 key nodes answers, 2 are needed');
      return { ...result, hasError };
    }),
  });
  const outcome = await runAction(context, request()).catch((error: unknown) => error);
  return { settled, outcome };
}

test('a run that failed because the key nodes did not answer costs nothing', async () => {
  const { settled, outcome } = await runInOutage(true);
  expect(outcome).toBeInstanceOf(KeyNodesUnavailableError);
  expect(settled).toEqual(['released']);
});

test('a run that succeeded although the key nodes did not answer is charged', async () => {
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

/** A contract whose answer can change, and the questions that it got. */
function contract() {
  const questions: string[] = [];
  const state = { permits: true };
  const read = async (name: string) => {
    questions.push(name);
    return name === 'canExecuteAction' ? state.permits : { actionRule: 3 };
  };
  return { accountConfig: { read }, questions, state };
}

test('asks the contract once about a key and an action while no change of the account is known', async () => {
  const { accountConfig, questions, state } = contract();
  const context = contextWith(10_000n, { accountConfig });
  const key = keyAt(1n);
  await runAction(context, request(key));
  await runAction(context, request(key));
  expect(questions).toEqual(['canExecuteAction']);
  state.permits = false;
  await expect(runAction(context, request(keyAt(2n)))).rejects.toMatchObject({ status: 403 });
});

test('a run reaches no runner before it is permitted and paid, and no ledger before it is permitted', async () => {
  const { accountConfig, state } = contract();
  const reached: string[] = [];
  const context = contextWith(10_000n, {
    accountConfig,
    runners: runnersWith(async () => {
      reached.push('runner');
      return result;
    }),
  });
  const { begin } = context.runs;
  context.runs.begin = (run) => {
    reached.push('ledger');
    return reached.length === 1 ? Promise.reject(new Error('no credit')) : begin(run);
  };
  state.permits = false;
  await expect(runAction(context, request())).rejects.toMatchObject({ status: 403 });
  expect(reached).toEqual([]);
  state.permits = true;
  await expect(runAction(context, request())).rejects.toThrow('no credit');
  expect(reached).toEqual(['ledger']);
  await runAction(context, request());
  expect(reached).toEqual(['ledger', 'ledger', 'runner']);
});

test('a run that moves to another process pauses its clock', async () => {
  const events: string[] = [];
  const context = contextWith(10_000n, {
    runners: {
      async run({ onBegin, onMove }: RunRequest) {
        onBegin?.();
        onMove?.();
        events.push('waits');
        onBegin?.();
        return result;
      },
    },
  });
  const { begin } = context.runs;
  const clock = { start: () => void events.push('start'), pause: () => void events.push('pause') };
  context.runs.begin = async (run) => ({ ...(await begin(run)), clock });
  await runAction(context, request());
  expect(events).toEqual(['start', 'pause', 'waits', 'start']);
});

test('asks again about a refused action', async () => {
  const { accountConfig, questions, state } = contract();
  const context = contextWith(10_000n, { accountConfig });
  const key = keyAt(1n);
  state.permits = false;
  for (let i = 0; i < 2; i++)
    await expect(runAction(context, request(key))).rejects.toMatchObject({ status: 403 });
  expect(questions.filter((name) => name === 'canExecuteAction')).toHaveLength(2);
  state.permits = true;
  await runAction(context, request(key));
});

test('asks again when another relayer wrote to the account after the key was read', async () => {
  const { accountConfig, state } = contract();
  let accountHead = 0n;
  const { begin } = contextWith(10_000n, {}).runs;
  const context = contextWith(10_000n, {
    accountConfig,
    keyRegistry: { find: async () => keyAt(accountHead), findRecent: async () => found },
    runs: { begin: async (run: Parameters<typeof begin>[0]) => ({ ...(await begin(run)), accountHead }) },
  });
  const key = keyAt(1n);
  await runAction(context, request(key));
  accountHead = 2n;
  state.permits = false;
  await expect(runAction(context, request(key))).rejects.toMatchObject({ status: 403 });
});

test('goes on when it is still permitted after another relayer wrote, and reads the expiration again', async () => {
  const rechecked: unknown[] = [];
  const runWatch = {
    watch: () => ({ signal: new AbortController().signal, [Symbol.dispose]() {} }),
    recheck: (...args: unknown[]) => void rechecked.push(args),
  };
  const keyRegistry = { find: async () => keyAt(2n), findRecent: async () => found };
  const context = contextWith(10_000n, { runWatch, keyRegistry });
  const { begin } = context.runs;
  context.runs.begin = async (run) => ({ ...(await begin(run)), accountHead: 2n });
  expect(await runAction(context, request(keyAt(1n)))).toMatchObject({ result });
  expect(rechecked).toEqual([[7n, 2n]]);
});

test('asks again when the account changed after the request was authenticated', async () => {
  const { accountConfig, questions, state } = contract();
  const context = contextWith(10_000n, { accountConfig });
  await runAction(context, request(keyAt(1n)));
  const late = request(keyAt(1n));
  found = keyAt(2n);
  state.permits = false;
  await expect(runAction(context, late)).rejects.toMatchObject({ status: 403 });
  expect(questions).toContain('canExecuteAction');
  const later = request(keyAt(1n));
  found = undefined;
  await expect(runAction(context, later)).rejects.toMatchObject({ status: 401 });
});

test('downloads no code for a key that may not run it, and counts what it downloads as the longest code', async () => {
  const { accountConfig, state } = contract();
  const held: number[] = [];
  const place = {
    signal: new AbortController().signal,
    holdCode: (bytes: number) => void held.push(bytes),
    [Symbol.dispose]() {},
  };
  let downloads = 0;
  const actionSource: RunContext['actionSource'] = async (_cid, _account, beforeDownload) => {
    await beforeDownload();
    downloads++;
    return 'code';
  };
  const context = contextWith(10_000n, { accountConfig, actionSource, admission: { admit: () => place } });
  state.permits = false;
  await expect(runAction(context, request())).rejects.toMatchObject({ status: 403 });
  expect({ downloads, held }).toEqual({ downloads: 0, held: [] });
  state.permits = true;
  await runAction(context, request());
  expect({ downloads, held }).toEqual({ downloads: 1, held: [defaultLimits.maxCodeBytes, 4] });
});

test('runs the code of the request, not that of its CID', async () => {
  const codes: string[] = [];
  const runners = runnersWith(async ({ code }) => {
    codes.push(code);
    return result;
  });
  await runAction(contextWith(0n, { runners }), { ...request(), code: 'sent code' });
  await runAction(contextWith(0n, { runners }), request());
  expect(codes).toEqual(['sent code', 'code of the gateway']);
});

test.each(['the watch', 'its place', 'a stop', 'its payment'])(
  'ends with the signal of %s',
  async (which) => {
    const end = new AbortController();
    const from = (part: string) => (part === which ? end.signal : new AbortController().signal);
    const watched: unknown[] = [];
    let signal: AbortSignal | undefined;
    const dispose = { [Symbol.dispose]() {} };
    const context = contextWith(10_000n, {
      runWatch: {
        watch(run: unknown) {
          watched.push(run);
          return { signal: from('the watch'), ...dispose };
        },
        recheck() {},
      },
      admission: { admit: () => ({ signal: from('its place'), holdCode() {}, ...dispose }) },
      runStops: { watch: () => ({ signal: from('a stop'), ...dispose }) },
      runners: runnersWith(async (run) => {
        signal = run.signal;
        return result;
      }),
    });
    const { begin } = context.runs;
    context.runs.begin = async (run) => ({ ...(await begin(run)), signal: from('its payment') });
    const asked = request();
    await runAction(context, asked);
    expect(signal?.aborted).toBe(false);
    end.abort();
    expect(signal?.aborted).toBe(true);
    const { account, hash: key, expiration } = asked.caller;
    expect(watched).toEqual([{ account, key, cidHash: cidHash(asked.ipfs_id), expiration }]);
  },
);

test('signs a receipt of a run that began, and none of a run that was stopped before', async () => {
  const signed: unknown[] = [];
  const captured: RunResult[] = [];
  const receipts = { sign: async (receipt: unknown) => void signed.push(receipt) };
  const counted: string[] = [];
  const countRun = (outcome: string) => void counted.push(outcome);
  const stopped = { run: () => Promise.reject(new ActionError('PermissionError', 'the key was removed')) };
  for (const runners of [runnersWith(async () => result), stopped]) {
    const context = contextWith(10_000n, { receipts, runners, countRun });
    const { begin } = context.runs;
    context.runs.begin = async (run) => ({
      ...(await begin(run)),
      capture: async (result) => {
        captured.push(result);
        return { id: 'run', cid: undefined, result, costMicros: 10_000n, receipt: undefined };
      },
    });
    await runAction(context, request());
  }
  const { ipfs_id: cid, caller } = request();
  expect(signed).toEqual([{ runId: 'run', cid, key: caller.hash, params: '{}', result }]);
  expect(captured).toMatchObject([
    { hasError: false },
    { hasError: true, error: { name: 'PermissionError' } },
  ]);
  expect(counted).toEqual(['success', 'error']);
});

test('counts a refused run apart from one that failed by the service', async () => {
  const counted: string[] = [];
  const countRun = (outcome: string) => void counted.push(outcome);
  const { accountConfig, state } = contract();
  state.permits = false;
  const runners = { run: () => Promise.reject(new Error('no runner')) };
  await expect(runAction(contextWith(0n, { accountConfig, countRun }), request())).rejects.toThrow();
  await expect(runAction(contextWith(0n, { runners, countRun }), request())).rejects.toThrow('no runner');
  expect(counted).toEqual(['refused', 'failed']);
});

/** An approval stays used when the run that goes on with it has begun, and is given back otherwise. */
import { ActionError, defaultLimits, noUsage } from '@latchkey/runner-protocol';
import { createLogger } from '@latchkey/service/logger';
import { expect, test } from 'vitest';
import type { PaidRun } from '../billing/runs.ts';
import type { RunRequest } from '../runners/remote-run.ts';
import type { Continued } from './approvals.ts';
import type { Live } from './asked.ts';
import { place } from './place.ts';

const result = { response: 1, logs: '', hasError: false, durationMs: 1, usage: noUsage };
const continued: Continued = { id: 'a', cid: 'c', sealed: 's', params: '{"a":1}', fields: {}, proofs: [] };

/** Goes on with a run at these runners. Resolves to what happened to the approval, and to the parameters of the run. */
async function goOn(run: (request: RunRequest) => Promise<typeof result>) {
  const steps: string[] = [];
  let params: string | undefined;
  const context = {
    runLimits: defaultLimits,
    keyNodes: { askFor: () => async () => ({ isRefused: true, message: '' }) },
    actionKeys: { certificateOf: async () => '' },
    approvals: {
      deployment: { chainId: 1, contractAddress: '0x' },
      claim: async () => void steps.push('claimed'),
      release: async () => void steps.push('released'),
    },
    runners: {
      run: (request: RunRequest) => {
        params = request.params;
        return run(request);
      },
    },
  };
  const asked = {
    caller: { account: 1n, hash: 2n },
    runId: 'run',
    log: createLogger({ name: 'test', level: 'silent' }),
  };
  const live = { context, asked, cid: 'c', code: '', continued, ends: [], minBlock: 0n } as unknown as Live;
  const paid = { signal: new AbortController().signal, maxRunSec: null } as unknown as PaidRun;
  await place(live, paid, () => {}).catch(() => {});
  return { steps, params };
}

test('the approval stays used when the code began, also when the run is lost', async () => {
  const begin = async (request: RunRequest) => {
    request.onBegin?.();
    return result;
  };
  expect(await goOn(begin)).toEqual({ steps: ['claimed'], params: '{"a":1}' });
  const lost = (request: RunRequest) => {
    request.onBegin?.();
    return Promise.reject(new Error('the runner was lost'));
  };
  expect((await goOn(lost)).steps).toEqual(['claimed']);
});

test.each([new Error('no runner'), new ActionError('StoppedError', 'stopped')])(
  'the approval is given back when the code did not begin: %s',
  async (error) => {
    expect((await goOn(() => Promise.reject(error))).steps).toEqual(['claimed', 'released']);
    const moved = (request: RunRequest) => {
      request.onBegin?.();
      request.onMove?.();
      return Promise.reject(error);
    };
    expect((await goOn(moved)).steps).toEqual(['claimed', 'released']);
  },
);

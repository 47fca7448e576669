/** An approval stays used when the run that goes on with it has begun, and is given back otherwise. */
import { ActionError, defaultLimits, noUsage, type RunResult } from '@latchkey/runner-protocol';
import { createLogger } from '@latchkey/service/logger';
import { describe, expect, test } from 'vitest';
import type { PaidRun } from '../billing/runs.ts';
import { RunInterruptedError } from '../runners/errors.ts';
import type { RunRequest } from '../runners/remote-run.ts';
import type { Continued } from './approvals.ts';
import type { Live } from './asked.ts';
import { place } from './place.ts';

const result = { response: 1, logs: '', hasError: false, durationMs: 1, usage: noUsage };
const continued: Continued = { id: 'a', cid: 'c', sealed: 's', params: '{"a":1}', fields: {}, proofs: [] };

/** Goes on with a run at these runners. Resolves to what happened to the approval, to the parameters of the run, and to its end. */
async function goOn(run: (request: RunRequest) => Promise<RunResult>, stop = new AbortController()) {
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
      open: async (result: RunResult) => {
        steps.push('opened');
        stop.abort(new RunInterruptedError('the relayer stops'));
        return { ...result, approvalId: 'b' };
      },
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
  const paid = { signal: stop.signal, maxRunSec: null } as unknown as PaidRun;
  const end = await place(live, paid, () => {}).catch(() => undefined);
  return { steps, params, end };
}

test('the approval stays used when the code began, also when the run is lost', async () => {
  const begin = async (request: RunRequest) => {
    request.onBegin?.();
    return result;
  };
  expect(await goOn(begin)).toMatchObject({ steps: ['claimed'], params: '{"a":1}' });
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

describe('a run that needs another approval', () => {
  const error = { name: 'ApprovalRequiredError', message: 'the run needs an approval', stack: '' };
  const needing = { ...result, logs: 'asked', hasError: true, error, approval: {} } as unknown as RunResult;
  const need = async (request: RunRequest) => {
    request.onBegin?.();
    return needing;
  };

  test('ends with the reason of a stop that comes before the approval is stored, and waits for nothing', async () => {
    const stop = new AbortController();
    const { steps, end } = await goOn((request) => {
      stop.abort(new ActionError('StoppedError', 'the run was stopped by its account'));
      return need(request);
    }, stop);
    expect(steps).toEqual(['claimed']);
    expect(end).toMatchObject({
      type: 'finished',
      result: { hasError: true, logs: 'asked', error: { name: 'StoppedError' } },
    });
    expect(end).not.toHaveProperty('result.approval');
  });

  test('ends with the approval that is stored when the relayer stops meanwhile', async () => {
    const { steps, end } = await goOn(need);
    expect(steps).toEqual(['claimed', 'opened']);
    expect(end).toMatchObject({ type: 'finished', result: { approvalId: 'b' }, stop: undefined });
  });
});

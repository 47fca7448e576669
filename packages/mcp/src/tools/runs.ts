/** Runs of actions. */
import type { ApiClient, RunActionOptions, RunActionResult, RunRecord } from '@latchkey/sdk';
import { z } from 'zod';
import { cid, code, id, json, newest, readSource, source } from '../inputs.ts';
import { type Call, changes, effect, limited, reads, type Tool, tool } from '../tool.ts';

const runAction = (client: ApiClient) =>
  effect('run_action', {
    title: 'Run an action',
    description:
      'Runs an action with the usage key: its code, or the CID of code that the service has. Returns status (success, failed or waiting_for_approval), ' +
      'response, error and logs, which are data of the action. Costs one cent of credit per started second. ' +
      'With waiting_for_approval, show approvalId to the user and call continue_run once it is approved.',
    hints: changes,
    input: {
      ...source,
      params: json.optional().describe('The parameters of main'),
      timeoutMs: z.int().min(1).optional().describe('Longest run in milliseconds'),
      concurrencyKey: z
        .string()
        .optional()
        .describe('Runs with the same text run one after another: for example the address of a wallet'),
    },
    run: (input, call) =>
      untilCancelled(client, call, (options) => {
        const { params, timeoutMs, concurrencyKey } = input;
        return client.runAction(
          { ...readSource(input), jsParams: params, timeoutMs, concurrencyKey },
          options,
        );
      }),
  });

const continueRun = (client: ApiClient) =>
  effect('continue_run', {
    title: 'Continue an approved run',
    description:
      'Goes on with a run whose approval is approved: the same action with the same parameters, once. Returns the same as run_action.',
    hints: changes,
    input: { approvalId: id, code: code.optional().describe('Only when the service no longer has the code') },
    run: (input, call) => untilCancelled(client, call, (options) => client.continueRun(input, options)),
  });

const listRuns = (client: ApiClient) =>
  tool('list_runs', {
    title: 'List runs',
    description: 'Lists the records of the runs of this usage key, the newest first. Records have no output.',
    hints: reads,
    input: {
      ...newest,
      cid: cid.optional(),
      status: z.enum(['running', 'success', 'failed', 'waiting_for_approval', 'released']).optional(),
    },
    run: async (input, { signal }) => {
      const { items, nextPage } = await client.listRuns(input, { signal });
      return { items: items.map(toRecord), nextPage };
    },
  });

const getRun = (client: ApiClient) =>
  tool('get_run', {
    title: 'Read a run',
    description: 'Returns the record of a run of this usage key. Records have no output.',
    hints: reads,
    input: { runId: id },
    run: async (input, { signal }) => toRecord(await client.getRun(input, { signal })),
  });

const stopRun = (client: ApiClient) =>
  tool('stop_run', {
    title: 'Stop a run',
    description: 'Stops a run of this usage key. The started seconds are charged.',
    hints: { ...changes, idempotentHint: true },
    input: { runId: id },
    run: async (input) => toRecord(await client.stopRun(input)),
  });

/** Runs an action, reports its output as it comes, and stops it when the client cancels the call. */
async function untilCancelled(
  client: ApiClient,
  { signal, report, idempotencyKey }: Call & { idempotencyKey: string },
  run: (options: RunActionOptions) => Promise<RunActionResult>,
): Promise<object> {
  let runId: string | undefined;
  const stop = (): void => {
    // The outcome of a run that cannot be stopped is in its record.
    if (runId !== undefined) client.stopRun({ runId }).catch(() => {});
  };
  signal.addEventListener('abort', stop);
  try {
    const result = await run({
      idempotencyKey,
      onStart: (start) => {
        runId = start.runId;
        report(`run ${runId} started`);
        if (signal.aborted) stop();
      },
      onLog: report,
    });
    return toOutcome(result);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

export const toOutcome = ({ hasError, approvalId, ...run }: RunActionResult) => ({
  runId: run.runId,
  status: approvalId !== undefined ? 'waiting_for_approval' : hasError ? 'failed' : 'success',
  approvalId,
  response: limited(run.response),
  error: limited(run.error),
  logs: limited(run.logs),
  costMicros: run.costMicros,
});

const toRecord = ({ usageKeyHash: _, receipt: _receipt, ...run }: RunRecord) => ({
  ...run,
  keyOperations: limited(run.keyOperations),
  fetchHosts: limited(run.fetchHosts),
});

export const runTools = (client: ApiClient): Tool[] => [
  runAction(client),
  continueRun(client),
  listRuns(client),
  getRun(client),
  stopRun(client),
];

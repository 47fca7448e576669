import { cid, type Input } from '@latchkey/http';
import { z } from 'zod';
import type { RunCaller } from '../../auth/authenticators.ts';
import type { Asked, RunContext } from '../../runs/asked.ts';
import { runAction } from '../../runs/run-action.ts';
import { codeBodyLimitBytes, defineRoute, prefix } from '../define-route.ts';
import { runOutput } from '../runs/record.ts';
import { actionCode } from './code.ts';

/** Each can repeat almost all of `js_params`, so the number bounds how much a request can grow. */
const MAX_JSON_PARAMS = 4;

/** Headers of the reply to a run. */
export const runHeaders = {
  'X-Run-Id': "Id of the run, as in the relayer's logs.",
  'X-Run-Cid': 'CID of the code that ran.',
  'X-Run-Duration-Ms': 'Wall time of the run in milliseconds.',
  'X-Run-Cost-Micros':
    'Price of the run in micro-credits. A repeated request returns the same value and is charged once.',
  'X-Run-Receipt':
    'Base64 of the JSON `{message, signature}`: the typed data `RunReceipt`, signed by the receipt signer of the service. Absent for a run ' +
    'that ended before its code began.',
};

type RunRequest = Pick<
  Input<RunCaller, unknown, unknown, unknown, unknown, keyof typeof runHeaders, number>,
  'caller' | 'requestId' | 'idempotencyId' | 'log' | 'charge' | 'setHeader' | 'sendEvent' | 'signal'
>;

/** Runs an action for a request, and sets the headers of its reply. */
export async function runForReply(
  context: RunContext,
  body: Pick<Asked, 'approval_id' | 'ipfs_id' | 'js_params' | 'json_params' | 'timeout_ms'> & {
    code?: string | null | undefined;
  },
  { caller, requestId, idempotencyId, log, charge, setHeader, sendEvent, signal }: RunRequest,
) {
  const { id, cid, result, costMicros, receipt } = await runAction(context, {
    ...body,
    code: body.code || undefined,
    caller,
    runId: requestId,
    idempotencyId,
    closed: signal,
    onStart: sendEvent && ((cid) => sendEvent('run', { run_id: requestId, cid })),
    onLog: sendEvent && ((text) => sendEvent('log', { text })),
    log,
  });
  setHeader('X-Run-Id', id);
  if (cid !== undefined) setHeader('X-Run-Cid', cid);
  setHeader('X-Run-Duration-Ms', result.durationMs);
  setHeader('X-Run-Cost-Micros', String(costMicros));
  charge(costMicros);
  if (receipt) setHeader('X-Run-Receipt', Buffer.from(JSON.stringify(receipt)).toString('base64'));
  const { response, logs, hasError, error, approvalId } = result;
  return {
    response,
    logs,
    has_error: hasError,
    ...(error && { error }),
    ...(approvalId !== undefined && { approval_id: approvalId }),
  };
}

export const svcAction = defineRoute({
  method: 'POST',
  path: `${prefix}/svc_action`,
  tag: 'actions',
  summary: 'Runs an action',
  description:
    'Runs `code` or, when it is absent or empty, the code of `ipfs_id`, which the relayer keeps after a paid run, the account has stored ' +
    '(`store_action_code`), or the IPFS gateway of the relayer has. ' +
    'An error of the action, a timeout and an exceeded limit are replies with `has_error`, and so is a run that was stopped because its next ' +
    'second could not be paid (`CreditError`). A request that is closed stops its run, which is charged for the started seconds, unless it has an Idempotency-Key: a repeated request then gets the outcome. ' +
    'With `Accept: text/event-stream` the reply is a stream of events: `run` (`{run_id, cid}`) when the code begins, `log` (`{text}`) with ' +
    'each part of the console output, and last `result` (`{status, headers, body}`), the reply as it is without a stream. A refusal before ' +
    'the code begins is a plain reply. Status 502 with the error `service_unavailable`: the runner crashed during the run, which costs nothing.',
  auth: 'runKey',
  price: 'run',
  body: z
    .object({
      code: actionCode.nullish(),
      ipfs_id: cid.nullish(),
      timeout_ms: z.int().min(1).max(3_600_000).nullish().meta({
        description:
          'Longest run, in milliseconds. The limits of the service and of the usage key apply as well; the shortest counts.',
      }),
      concurrency_key: z
        .string()
        .min(1)
        .max(200)
        .nullish()
        .meta({
          description:
            'Runs of the account with the same text run one after another, those of triggers with such a key of the account included: for ' +
            'example the address of a wallet. A run that waits for more than 60 seconds is refused with 429.',
        }),
      approval_id: z
        .guid()
        .nullish()
        .meta({
          description:
            'The approval with which a run goes on from its start, at most once: the same action with the same parameters and limits, under the same ' +
            'usage key. Nothing else is sent, except for `code` when the relayer no longer has it.',
        }),
      js_params: z.record(z.string(), z.unknown()).nullish(),
      json_params: z
        .record(z.string(), z.string())
        .refine(
          (named) => Object.keys(named).length <= MAX_JSON_PARAMS,
          `expected at most ${MAX_JSON_PARAMS} names`,
        )
        .nullish()
        .meta({
          description:
            'Up to 4 further parameters: each is the JSON value in the text of the named parameter of `js_params`, or that text when it is not ' +
            'JSON. An action can thus get a webhook as text and as value in a request that has it once.',
        }),
    })
    .refine(
      ({ code, ipfs_id, approval_id }) => Boolean(code) || ipfs_id != null || approval_id != null,
      'send code, ipfs_id or approval_id',
    )
    .refine(
      ({ approval_id, code: _code, ...others }) =>
        approval_id == null || Object.values(others).every((value) => value == null),
      'approval_id: the run has its other parameters: send nothing else but code',
    )
    .refine(
      ({ js_params, json_params }) =>
        Object.entries(json_params ?? {}).every(
          ([name, from]) => !Object.hasOwn(js_params ?? {}, name) && typeof js_params?.[from] === 'string',
        ),
      'json_params: expected names that js_params does not have, each with the name of a text in js_params',
    ),
  bodyLimitBytes: codeBodyLimitBytes,
  reply: runOutput.extend({
    has_error: z.boolean(),
    approval_id: z.string().optional().meta({
      description:
        'The run ended with ApprovalRequiredError and goes on with this approval. GET /core/v1/approval/{id} shows it to its approvers.',
    }),
  }),
  replyHeaders: runHeaders,
  events: {
    run: z.object({ run_id: z.string(), cid: z.string() }),
    log: z.object({ text: z.string() }),
  },
  errors: ['forbidden', 'not_found', 'conflict', 'service_unavailable'],
  example: {
    body: { code: 'const main = ({ a, b }) => a + b', js_params: { a: 2, b: 3 } },
    reply: { response: 5, logs: '', has_error: false },
  },
  handle: (context: RunContext, request) => runForReply(context, request.body, request),
});

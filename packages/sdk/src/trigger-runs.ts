/** Runs of triggers. */

import type { BareTriggersClient } from './bare-triggers-client.ts';
import type { CallOptions } from './deadline.ts';
import type { paths } from './generated/triggers.ts';
import { optionalDate } from './http.ts';
import type { Page } from './pages.ts';
import type { TriggerIdParameters } from './triggers.ts';
import { type JsonOf, type OffsetPageParameters, send, toPage, triggerPath } from './triggers-request.ts';
import type { WriteOptions } from './write-definition.ts';

type RunBody = JsonOf<paths['/api/runs/{id}']['get']['responses'][200]>;
type RunsBody = JsonOf<paths['/api/runs']['get']['responses'][200]>;
type ListedRunBody = RunsBody['runs'][number];

/** A run of a trigger. */
export interface TriggerRun {
  id: string;
  triggerId: string;
  triggerName: string;
  status: RunBody['status'];
  /** Parameters of the action, without the default parameters of the trigger. */
  input: { [name: string]: unknown };
  /** The value that the action returned. */
  response: unknown;
  /** Error of a failed run; `stack` is present when the action threw. */
  error?: { name: string; message: string; stack?: string | undefined } | undefined;
  /** Price in micro-credits. Absent before the run ends, and when the price is unknown. */
  costMicros?: bigint | undefined;
  /** Number of requests to the relayer that count. */
  attempt: number;
  /** The approval that a queued run waits for, or with which the run went on. */
  approvalId?: string | undefined;
  /** Revision of the trigger that the run uses. */
  revision?: number | undefined;
  /** CID of the code that ran. */
  cid?: string | undefined;
  /** Id of the relayer's record of the run: `getRun` reads it. */
  relayerRunId?: string | undefined;
  durationMs?: number | undefined;
  /** Slot of the schedule that fired the run. */
  scheduledFor?: Date | undefined;
  startedAt?: Date | undefined;
  finishedAt?: Date | undefined;
  createdAt: Date;
  /** Id of the run that this one replays. */
  replayOf?: string | undefined;
  /** Time at which a reorg dropped the log that fired the run. */
  retractedAt?: Date | undefined;
}

/** A request of a run to the relayer. */
export interface RunAttempt {
  number: number;
  startedAt: Date;
  finishedAt: Date;
  /** HTTP status of the relayer's reply; 0 without a reply. */
  httpStatus: number;
  message: string;
}

/** A run with its logs and attempts. */
export interface TriggerRunDetails extends TriggerRun {
  logs?: string | undefined;
  attempts: RunAttempt[];
}

export interface TestTriggerParameters extends TriggerIdParameters {
  /** Parameters of the run; `source` and `test: true` are added. */
  input?: { [name: string]: unknown } | undefined;
}

export interface ListTriggerRunsParameters extends OffsetPageParameters {
  triggerId: string;
  status?: TriggerRun['status'] | undefined;
}

/** A run must match all parameters. */
export interface SearchTriggerRunsParameters extends OffsetPageParameters {
  status?: TriggerRun['status'] | undefined;
  triggerId?: string | undefined;
  /** Runs accepted at this time or later. */
  from?: Date | undefined;
  /** Runs accepted before this time. */
  to?: Date | undefined;
  /** Failed runs with this text in the name or message of the error, in upper or lower case. At most 200 characters. */
  error?: string | undefined;
  /** The run whose record at the relayer has this id. */
  relayerRunId?: string | undefined;
  /** Runs that the webhook delivery with this id fired. */
  deliveryId?: string | undefined;
}

export interface TriggerRunIdParameters {
  runId: string;
}

/** A run that was queued. */
export interface QueuedTriggerRun {
  runId: string;
}

export interface ReplayTriggerRunParameters extends TriggerRunIdParameters {
  /** Replaces the input. */
  input?: { [name: string]: unknown } | undefined;
}

/** The runs to replay: at least one of `from`, `to` and `status`. */
export interface ReplayTriggerRunsParameters {
  triggerId: string;
  /** Replays runs accepted at this time or later. */
  from?: Date | undefined;
  /** Replays runs accepted before this time. */
  to?: Date | undefined;
  /** Default: `success` and `failed`. */
  status?: 'success' | 'failed' | 'skipped' | undefined;
}

/** The outcome of a replay of several runs. */
export interface ReplayTriggerRunsResult {
  /** Number of new runs. */
  replayed: number;
  /** Number of matching runs that the limits of the trigger left for a later call. */
  remaining: number;
}

const runPath = (id: string) => `runs/${encodeURIComponent(id)}`;

const toRun = (wire: ListedRunBody): TriggerRun => ({
  id: wire.id,
  triggerId: wire.trigger_id,
  triggerName: wire.trigger_name,
  status: wire.status,
  input: wire.input,
  response: wire.response,
  error: wire.error ?? undefined,
  costMicros: wire.cost_micros === null ? undefined : BigInt(wire.cost_micros),
  attempt: wire.attempt,
  approvalId: wire.approval_id ?? undefined,
  revision: wire.revision ?? undefined,
  cid: wire.cid ?? undefined,
  relayerRunId: wire.relayer_run_id ?? undefined,
  durationMs: wire.duration_ms ?? undefined,
  scheduledFor: optionalDate(wire.scheduled_for),
  startedAt: optionalDate(wire.started_at),
  finishedAt: optionalDate(wire.finished_at),
  createdAt: new Date(wire.created_at),
  replayOf: wire.replay_of ?? undefined,
  retractedAt: optionalDate(wire.retracted_at),
});

type Queued = { run_id: string };
const toQueuedRun = ({ run_id: runId }: Queued): QueuedTriggerRun => ({ runId });

/** Runs a trigger immediately. Resolves when the run is queued. */
export async function testTrigger(
  client: BareTriggersClient,
  { triggerId, input = {} }: TestTriggerParameters,
  options?: WriteOptions,
): Promise<QueuedTriggerRun> {
  return toQueuedRun(
    await send(client, 'POST', `${triggerPath(triggerId)}/test`, { body: { input }, options }),
  );
}

/** Lists the runs of a trigger, newest first; `pageSize` defaults to 50. */
export async function listTriggerRuns(
  client: BareTriggersClient,
  parameters: ListTriggerRunsParameters,
  options?: CallOptions,
): Promise<Page<TriggerRun, ListTriggerRunsParameters>> {
  const { triggerId, pageSize: limit, offset, status } = parameters;
  const path = `${triggerPath(triggerId)}/runs`;
  const { runs, next_offset } = await send<RunsBody>(client, 'GET', path, {
    query: { limit, offset, status },
    options,
  });
  return toPage(runs.map(toRun), parameters, next_offset);
}

/** Searches the runs of all triggers of the account, newest first; `pageSize` defaults to 50. */
export async function searchTriggerRuns(
  client: BareTriggersClient,
  parameters: SearchTriggerRunsParameters = {},
  options?: CallOptions,
): Promise<Page<TriggerRun, SearchTriggerRunsParameters>> {
  const {
    pageSize: limit,
    offset,
    status,
    triggerId,
    from,
    to,
    error,
    relayerRunId,
    deliveryId,
  } = parameters;
  const query = {
    limit,
    offset,
    status,
    trigger_id: triggerId,
    from: from?.toISOString(),
    to: to?.toISOString(),
    error,
    relayer_run_id: relayerRunId,
    delivery_id: deliveryId,
  };
  const { runs, next_offset } = await send<RunsBody>(client, 'GET', 'runs', { query, options });
  return toPage(runs.map(toRun), parameters, next_offset);
}

/** Reads a run with its logs and attempts. A run in flight has its logs until now. */
export async function getTriggerRun(
  client: BareTriggersClient,
  { runId }: TriggerRunIdParameters,
  options?: CallOptions,
): Promise<TriggerRunDetails> {
  const wire = await send<RunBody>(client, 'GET', runPath(runId), { options });
  const attempts = wire.attempts.map((attempt) => ({
    number: attempt.number,
    startedAt: new Date(attempt.started_at),
    finishedAt: new Date(attempt.finished_at),
    httpStatus: attempt.http_status,
    message: attempt.message,
  }));
  return { ...toRun(wire), logs: wire.logs ?? undefined, attempts };
}

/**
 * Stops a run: a queued one is not executed, a running one ends with `StoppedError` and is charged for the seconds that it
 * used. Returns the run. A run that has ended stays as it is.
 */
export async function stopTriggerRun(
  client: BareTriggersClient,
  { runId }: TriggerRunIdParameters,
  options?: WriteOptions,
): Promise<TriggerRun> {
  return toRun(await send<ListedRunBody>(client, 'POST', `${runPath(runId)}/stop`, { body: {}, options }));
}

/** Creates a new run with the same input, or with `input`, and the current action. Resolves when the run is queued. */
export async function replayTriggerRun(
  client: BareTriggersClient,
  { runId, input }: ReplayTriggerRunParameters,
  options?: WriteOptions,
): Promise<QueuedTriggerRun> {
  return toQueuedRun(await send(client, 'POST', `${runPath(runId)}/replay`, { body: { input }, options }));
}

/**
 * Replays finished runs by time and status, oldest first, as many as the limits of the trigger allow. Skips runs that were
 * already replayed: repeat the call until `remaining` is 0.
 */
export function replayTriggerRuns(
  client: BareTriggersClient,
  { triggerId, from, to, status }: ReplayTriggerRunsParameters,
  options?: WriteOptions,
): Promise<ReplayTriggerRunsResult> {
  const body = { from: from?.toISOString(), to: to?.toISOString(), status };
  return send(client, 'POST', `${triggerPath(triggerId)}/replay`, { body, options });
}

/** Triggers and their runs. The client has the token of a paired agent or of a login. */

import type { BareTriggersClient } from './bare-triggers-client.ts';
import type { CallOptions } from './deadline.ts';
import type { paths } from './generated/triggers.ts';
import type { Page } from './pages.ts';
import type { ActionSource } from './runs.ts';
import { type JsonOf, send } from './triggers-request.ts';
import type { WriteOptions } from './write.ts';

type NewTriggerBody = JsonOf<NonNullable<paths['/api/triggers']['post']['requestBody']>>;
type ChangeBody = JsonOf<NonNullable<paths['/api/triggers/{id}']['patch']['requestBody']>>;
type TriggerBody = JsonOf<paths['/api/triggers/{id}']['get']['responses'][200]>;
type ChangedBody = JsonOf<paths['/api/triggers/{id}']['patch']['responses'][200]>;
type RunBody = JsonOf<paths['/api/runs/{id}']['get']['responses'][200]>;
type RunsBody = JsonOf<paths['/api/runs']['get']['responses'][200]>;
type ListedRunBody = RunsBody['runs'][number];
type ConfigOf<Kind> = NonNullable<Extract<NewTriggerBody, { kind: Kind }>['config']>;

/** Configuration of a webhook in its wire form, as `docs/webhooks.md` describes it. */
export type WebhookConfig = ConfigOf<'webhook'>;
/** Configuration of a schedule in its wire form, as `docs/schedules.md` describes it. */
export type ScheduleConfig = ConfigOf<'schedule'>;
/** Configuration of a chain event in its wire form, as `docs/triggers.md` describes it. */
export type ChainEventConfig = ConfigOf<'chain_event' | 'chain-event'>;

/** The event that fires a trigger. */
export type TriggerKind = 'webhook' | 'schedule' | 'chain_event';

/** The kind of a trigger with its configuration. */
export type TriggerEvent =
  | { kind: 'webhook'; config?: WebhookConfig | undefined }
  | { kind: 'schedule'; config: ScheduleConfig }
  | { kind: 'chain_event'; config: ChainEventConfig };

/** Optional fields of a trigger. */
export interface TriggerSettings {
  /** Parameters of every run. Parameters of the event override them. */
  defaultParams?: { [name: string]: unknown } | undefined;
  /** Maximum number of runs accepted in any 60 seconds. */
  maxRunsPerMinute?: number | undefined;
  maxQueuedRuns?: number | undefined;
  maxConcurrentRuns?: number | undefined;
  /** Maximum number of runs that start in any 60 seconds; further ones wait. Null: no maximum. */
  throttlePerMinute?: number | null | undefined;
  /** Path into the input. Runs with an equal value there run one after another. Null: none. */
  concurrencyKey?: string | null | undefined;
  /** A run starts only after so many seconds without a newer event of its `concurrencyKey`. Null: immediately. */
  debounceSeconds?: number | null | undefined;
  /** A paused webhook keeps accepting deliveries, which run when it is enabled. */
  holdWhenPaused?: boolean | undefined;
  /** Failed runs in a row after which the service pauses the trigger. Null: never. */
  pauseAfterFailures?: number | null | undefined;
  /** False pauses the trigger: no event fires it, and its queued runs wait. */
  enabled?: boolean | undefined;
}

export type CreateTriggerParameters = TriggerSettings & {
  /** At most 128 bytes. */
  name: string;
  /** A usage key that may execute the action. The service stores it encrypted and never returns it. */
  usageKey: string;
} & ActionSource &
  TriggerEvent;

/** Only the given fields change. */
export interface UpdateTriggerParameters extends TriggerSettings {
  triggerId: string;
  name?: string | undefined;
  usageKey?: string | undefined;
  /** Replaces `cid`. */
  code?: string | undefined;
  /** Replaces `code`. */
  cid?: string | undefined;
  /** Another kind discards the old configuration. */
  kind?: TriggerKind | undefined;
  /** Replaces the whole configuration. */
  config?: WebhookConfig | ScheduleConfig | ChainEventConfig | undefined;
}

/** A trigger. */
export interface Trigger {
  id: string;
  name: string;
  kind: TriggerKind;
  /** The action: either its code or its CID. */
  code?: string | undefined;
  cid?: string | undefined;
  defaultParams: { [name: string]: unknown };
  maxRunsPerMinute: number;
  maxQueuedRuns: number;
  maxConcurrentRuns: number;
  throttlePerMinute?: number | undefined;
  concurrencyKey?: string | undefined;
  debounceSeconds?: number | undefined;
  holdWhenPaused: boolean;
  pauseAfterFailures?: number | undefined;
  /** As on the wire, without secrets. */
  config: { [field: string]: unknown };
  enabled: boolean;
  /** Number of failed runs since the last success. */
  consecutiveFailures: number;
  /** Reason for which the service disabled the trigger, until it is enabled again. */
  pausedReason?: string | undefined;
  /** Set while the runs of the trigger wait: for credit, or because the service has not executed a run for a day. */
  held?: 'payment_required' | 'service_unavailable' | undefined;
  /** URL of a webhook. */
  webhookUrl?: string | undefined;
  /** The next five slots of a schedule; empty while it is paused. */
  nextRuns?: Date[] | undefined;
  createdAt: Date;
  updatedAt: Date;
}

/** A reason for which runs would fail now. */
export interface TriggerWarning {
  code: ChangedBody['warnings'][number]['code'];
  message: string;
}

/** A created or changed trigger. */
export interface ChangedTrigger extends Trigger {
  /** Empty when everything was checked and is well. */
  warnings: TriggerWarning[];
  /** After a change of the configuration of a chain event, or its resumption: the blocks that are read up to now. */
  reads?: { fromBlock: number; toBlock: number } | undefined;
}

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
  /** Revision of the trigger that the run uses. */
  revision?: number | undefined;
  /** CID of the code that ran. */
  cid?: string | undefined;
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

/** Options of a list of triggers or their runs. */
export interface OffsetPageParameters {
  /** Items per page, 1 to 1,000. A page with more than 4 MiB of items ends earlier. */
  pageSize?: number | undefined;
  /** Number of newer items to skip. Default 0. */
  offset?: number | undefined;
}

export interface TriggerIdParameters {
  triggerId: string;
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

/** The account and label of the token. */
export interface TriggersCaller {
  id: string;
  /** Master hash of the account, or the identity of a wallet without an account. */
  account: bigint;
  /** Label of the agent; `login` for the token of a login. */
  label: string;
}

const triggerPath = (id: string) => `triggers/${encodeURIComponent(id)}`;
const runPath = (id: string) => `runs/${encodeURIComponent(id)}`;
const toDate = (text: string | null) => (text === null ? undefined : new Date(text));

/** The wire form of fields; undefined fields are not sent. */
function toBody(fields: Omit<UpdateTriggerParameters, 'triggerId'>): {
  [name in keyof Required<ChangeBody>]: ChangeBody[name] | undefined;
} {
  return {
    name: fields.name,
    kind: fields.kind,
    action_code: fields.code,
    action_cid: fields.cid,
    default_params: fields.defaultParams,
    usage_api_key: fields.usageKey,
    max_runs_per_minute: fields.maxRunsPerMinute,
    max_queued_runs: fields.maxQueuedRuns,
    max_concurrent_runs: fields.maxConcurrentRuns,
    throttle_per_minute: fields.throttlePerMinute,
    concurrency_key: fields.concurrencyKey,
    debounce_seconds: fields.debounceSeconds,
    hold_when_paused: fields.holdWhenPaused,
    pause_after_failures: fields.pauseAfterFailures,
    config: fields.config,
    enabled: fields.enabled,
  };
}

const toTrigger = (wire: TriggerBody): Trigger => ({
  id: wire.id,
  name: wire.name,
  kind: wire.kind,
  code: wire.action_code ?? undefined,
  cid: wire.action_cid ?? undefined,
  defaultParams: wire.default_params,
  maxRunsPerMinute: wire.max_runs_per_minute,
  maxQueuedRuns: wire.max_queued_runs,
  maxConcurrentRuns: wire.max_concurrent_runs,
  throttlePerMinute: wire.throttle_per_minute ?? undefined,
  concurrencyKey: wire.concurrency_key ?? undefined,
  debounceSeconds: wire.debounce_seconds ?? undefined,
  holdWhenPaused: wire.hold_when_paused,
  pauseAfterFailures: wire.pause_after_failures ?? undefined,
  config: wire.config,
  enabled: wire.enabled,
  consecutiveFailures: wire.consecutive_failures,
  pausedReason: wire.paused_reason ?? undefined,
  held: wire.held ?? undefined,
  webhookUrl: wire.webhook_url,
  nextRuns: wire.next_runs?.map((text) => new Date(text)),
  createdAt: new Date(wire.created_at),
  updatedAt: new Date(wire.updated_at),
});

const toChangedTrigger = (wire: ChangedBody): ChangedTrigger => ({
  ...toTrigger(wire),
  warnings: wire.warnings,
  reads: wire.reads && { fromBlock: wire.reads.from_block, toBlock: wire.reads.to_block },
});

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
  revision: wire.revision ?? undefined,
  cid: wire.cid ?? undefined,
  durationMs: wire.duration_ms ?? undefined,
  scheduledFor: toDate(wire.scheduled_for),
  startedAt: toDate(wire.started_at),
  finishedAt: toDate(wire.finished_at),
  createdAt: new Date(wire.created_at),
  replayOf: wire.replay_of ?? undefined,
  retractedAt: toDate(wire.retracted_at),
});

/** Returns a page. `offset` is that of the next one, absent on the last page. */
const toPage = <Item, Parameters extends OffsetPageParameters>(
  items: Item[],
  parameters: Parameters,
  offset: number | undefined,
): Page<Item, Parameters> => ({
  items,
  nextPage: offset === undefined ? undefined : { ...parameters, offset },
});

/** Creates a trigger. `warnings` of the result say why its runs would fail now. */
export async function createTrigger(
  client: BareTriggersClient,
  parameters: CreateTriggerParameters,
  options?: WriteOptions,
): Promise<ChangedTrigger> {
  return toChangedTrigger(await send(client, 'POST', 'triggers', { body: toBody(parameters), options }));
}

/** Lists the triggers of the account, newest first; `pageSize` defaults to 1,000. */
export async function listTriggers(
  client: BareTriggersClient,
  parameters: OffsetPageParameters = {},
  options?: CallOptions,
): Promise<Page<Trigger, OffsetPageParameters>> {
  const { pageSize: limit, offset } = parameters;
  const { triggers, next_offset } = await send<{ triggers: TriggerBody[]; next_offset?: number }>(
    client,
    'GET',
    'triggers',
    { query: { limit, offset }, options },
  );
  return toPage(triggers.map(toTrigger), parameters, next_offset);
}

/** Reads a trigger. */
export async function getTrigger(
  client: BareTriggersClient,
  { triggerId }: TriggerIdParameters,
  options?: CallOptions,
): Promise<Trigger> {
  return toTrigger(await send(client, 'GET', triggerPath(triggerId), { options }));
}

/** Changes the given fields of a trigger. */
export async function updateTrigger(
  client: BareTriggersClient,
  { triggerId, ...fields }: UpdateTriggerParameters,
  options?: CallOptions,
): Promise<ChangedTrigger> {
  return toChangedTrigger(
    await send(client, 'PATCH', triggerPath(triggerId), { body: toBody(fields), options }),
  );
}

/**
 * Deletes a trigger and its runs. Rejects with `not_found` for an unknown trigger, also when an earlier attempt of the call
 * deleted it and its reply was lost.
 */
export async function deleteTrigger(
  client: BareTriggersClient,
  { triggerId }: TriggerIdParameters,
  options?: CallOptions,
): Promise<void> {
  await send(client, 'DELETE', triggerPath(triggerId), { options });
}

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
  const { pageSize: limit, offset, status, triggerId, from, to, error, deliveryId } = parameters;
  const query = {
    limit,
    offset,
    status,
    trigger_id: triggerId,
    from: from?.toISOString(),
    to: to?.toISOString(),
    error,
    delivery_id: deliveryId,
  };
  const { runs, next_offset } = await send<RunsBody>(client, 'GET', 'runs', { query, options });
  return toPage(runs.map(toRun), parameters, next_offset);
}

/** Reads a run with its logs and attempts. The logs of a running run are those until now. */
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
 * used. Returns it. A run that has ended stays as it is.
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

/** Reads the account and label of the token. Rejects with `unauthorized` when the agent must be paired, or the person must log in, again. */
export async function getTriggersCaller(
  client: BareTriggersClient,
  options?: CallOptions,
): Promise<TriggersCaller> {
  const { id, account, label } = await send<{ id: string; account: string; label: string }>(
    client,
    'GET',
    'me',
    {
      options,
    },
  );
  return { id, account: BigInt(account), label };
}

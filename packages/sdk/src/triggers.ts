/** Triggers. The client has the token of a paired agent or of a login. */

import type { BareTriggersClient } from './bare-triggers-client.ts';
import type { CallOptions } from './deadline.ts';
import type { paths } from './generated/triggers.ts';
import type { Page } from './pages.ts';
import type { ActionSource } from './runs.ts';
import { type FollowerState, toFollower } from './trigger-follower.ts';
import { type JsonOf, type OffsetPageParameters, send, toPage, triggerPath } from './triggers-request.ts';
import type { WriteOptions } from './write-definition.ts';

type NewTriggerBody = JsonOf<NonNullable<paths['/api/triggers']['post']['requestBody']>>;
type ChangeBody = JsonOf<NonNullable<paths['/api/triggers/{id}']['patch']['requestBody']>>;
type TriggerBody = JsonOf<paths['/api/triggers/{id}']['get']['responses'][200]>;
type ChangedBody = JsonOf<paths['/api/triggers/{id}']['patch']['responses'][200]>;
type ConfigOf<Kind> = NonNullable<Extract<NewTriggerBody, { kind: Kind }>['config']>;

/** Configuration of a webhook in its wire form, as `docs/webhooks.md` describes it. */
export type WebhookConfig = ConfigOf<'webhook'>;
/** Configuration of a schedule in its wire form, as `docs/schedules.md` describes it. */
export type ScheduleConfig = ConfigOf<'schedule'>;
/** Configuration of a chain event in its wire form, as `docs/triggers.md` describes it. */
export type ChainEventConfig = ConfigOf<'chain_event' | 'chain-event'>;
/** Configuration of blocks, base fees and balances in its wire form, as `docs/triggers.md` describes it. */
export type ChainBlockConfig = ConfigOf<'chain_block'>;

/** The event that fires a trigger. */
export type TriggerKind = 'webhook' | 'schedule' | 'chain_event' | 'chain_block';

/** The kind of a trigger with its configuration. */
export type TriggerEvent =
  | { kind: 'webhook'; config?: WebhookConfig | undefined }
  | { kind: 'schedule'; config: ScheduleConfig }
  | { kind: 'chain_event'; config: ChainEventConfig }
  | { kind: 'chain_block'; config: ChainBlockConfig };

/** A path into the input. With the scope `account`, and with a value, runs also wait for other triggers and for direct runs with this key. */
export type ConcurrencyKey = string | { path: string; scope: 'trigger' | 'account' } | { value: string };

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
  /** Runs with an equal key run one after another. Null: none. */
  concurrencyKey?: ConcurrencyKey | null | undefined;
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
  config?: WebhookConfig | ScheduleConfig | ChainEventConfig | ChainBlockConfig | undefined;
}

/** A trigger. */
export interface Trigger {
  id: string;
  name: string;
  kind: TriggerKind;
  /** The action: either its code or its CID. */
  code?: string | undefined;
  cid?: string | undefined;
  /** Undefined when the service cannot decrypt the key that it stores, or is of an earlier version. */
  usageKeyHash?: bigint | undefined;
  defaultParams: { [name: string]: unknown };
  maxRunsPerMinute: number;
  maxQueuedRuns: number;
  maxConcurrentRuns: number;
  throttlePerMinute?: number | undefined;
  concurrencyKey?: ConcurrencyKey | undefined;
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
  /** Last error of the expression `config.if`, since the configuration was changed. */
  filterError?: { message: string; at: Date } | undefined;
  /** Of an enabled chain event, from `getTrigger`: how far its chain is read, as the process that answers has it. */
  follower?: FollowerState | undefined;
  /** Of a chain event with a factory, from `getTrigger`. Children that are announced when there are `max` are not followed. */
  children?: { count: number; max: number } | undefined;
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
  /** Empty when every check passed. */
  warnings: TriggerWarning[];
  /** After a change of the configuration of a chain event, or its resumption: the blocks that are read up to now. */
  reads?: { fromBlock: number; toBlock: number } | undefined;
}

export interface TriggerIdParameters {
  triggerId: string;
}

/** The account and label of the token. */
export interface TriggersCaller {
  id: string;
  /** Master hash of the account, or the identity of a wallet without an account. */
  account: bigint;
  /** Label of the agent; `login` for the token of a login. */
  label: string;
}

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
  usageKeyHash: wire.usage_key_hash ? BigInt(wire.usage_key_hash) : undefined,
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
  filterError: wire.filter_error ? { ...wire.filter_error, at: new Date(wire.filter_error.at) } : undefined,
  follower: wire.follower && toFollower(wire.follower),
  children: wire.children,
  createdAt: new Date(wire.created_at),
  updatedAt: new Date(wire.updated_at),
});

const toChangedTrigger = (wire: ChangedBody): ChangedTrigger => ({
  ...toTrigger(wire),
  warnings: wire.warnings,
  reads: wire.reads && { fromBlock: wire.reads.from_block, toBlock: wire.reads.to_block },
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

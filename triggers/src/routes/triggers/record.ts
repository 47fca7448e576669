/** Shared by the routes of triggers: wire format and lookup. */
import { badRequest, cid, name, notFound } from '@latchkey/http';
import { isApiKeyText } from '@latchkey/protocol';
import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { User } from '../../auth/authenticators.ts';
import { warningCodes } from '../../checks/check-trigger.ts';
import type { Context } from '../../context.ts';
import { type TriggerKind, triggers } from '../../db/schema.ts';
import { keyHash, keyHashOf } from '../../key-hash.ts';
import { concurrencyKey, fromStored } from '../../runs/concurrency-key.ts';
import { sources } from '../../sources/index.ts';
import type { Trigger } from '../../sources/source.ts';
import { checkedText } from '../checked-text.ts';

/** Limit of bodies with `action_code` or an input. Larger code must be registered as an action and given by its CID. */
export const CODE_BODY_LIMIT_BYTES = 1024 * 1024;

/** Leaves room for an event of any size in the 1 MiB that the relayer accepts. */
const MAX_DEFAULT_PARAMS_BYTES = 256 * 1024;

const limit = (what: string) => z.int().min(1).max(1_000_000).optional().meta({ description: what });

const KIND_ERROR = 'expected webhook, schedule, chain_event or chain_block';

/** Accepts the spelling chain-event too. */
const spelled = <Kind extends TriggerKind>(kind: Kind) =>
  z.enum(kind === 'chain_event' ? [kind, 'chain-event'] : [kind]).transform((): Kind => kind);

/** A schema that only the API description shows: the source of the trigger's kind decodes the config with it. */
function described(schema: z.ZodType) {
  const { $schema: _, ...shown } = z.toJSONSchema(schema, { io: 'input' });
  return z
    .unknown()
    .check(({ value: input, issues }) => {
      if (input === undefined) issues.push({ code: 'invalid_type', expected: 'object', input });
    })
    .meta({ ...shown });
}

const actionCode = checkedText(
  (text) => text.isWellFormed() && !text.includes('\0'),
  'expected text without NUL characters and lone surrogates',
  z.string().min(1),
).meta({
  description: 'JavaScript source of the action. Exactly one of `action_code` and `action_cid` is required.',
});

const usageApiKey = checkedText(
  isApiKeyText,
  'expected a usage key of 1 to 512 visible ASCII characters',
).meta({ description: 'A usage key that may execute the action. Stored encrypted, never returned.' });

/** Fields of a trigger in requests, except `kind` and `config`. */
const triggerFields = {
  name,
  action_code: actionCode.nullish(),
  action_cid: cid.nullish(),
  default_params: z
    .record(z.string(), z.unknown())
    .nullish()
    .refine((params) => Buffer.byteLength(JSON.stringify(params ?? {})) <= MAX_DEFAULT_PARAMS_BYTES, {
      error: 'expected at most 256 KiB of JSON',
      params: { malformed: true },
    })
    .meta({ description: 'Parameters of every run, up to 256 KiB. Parameters of the event override them.' }),
  usage_api_key: usageApiKey,
  max_runs_per_minute: limit('Maximum number of runs accepted in any 60 seconds.'),
  max_queued_runs: limit('Maximum number of queued runs.'),
  max_concurrent_runs: limit('Maximum number of concurrent runs.'),
  throttle_per_minute: z.int().min(1).max(1_000_000).nullish().meta({
    description: 'Maximum number of runs that start in any 60 seconds. Further ones wait.',
  }),
  concurrency_key: concurrencyKey.nullish().meta({
    description:
      'Path into the input, such as `event.order.id`. Runs with an equal value there run one after another, in the order of acceptance. ' +
      'With `{path, scope: "account"}` they also wait for runs of other triggers of the account and for direct runs that name the value as ' +
      'their `concurrency_key`; with `{value}` all runs have that one key, for example the address of a wallet.',
  }),
  debounce_seconds: z.int().min(1).max(3_600).nullish().meta({
    description:
      'A run starts only after so many seconds without a newer event of its `concurrency_key`. A newer event replaces it: its status is `skipped`.',
  }),
  hold_when_paused: z.boolean().optional().meta({
    description:
      'A paused webhook trigger keeps accepting deliveries, which run when it is enabled, instead of replying 410.',
  }),
  pause_after_failures: z.int().min(1).max(1_000).nullish().meta({
    description: 'Failed runs in a row after which the service pauses the trigger. Null for never.',
  }),
  enabled: z.boolean().optional(),
};

const ofKind = <Kind extends TriggerKind>(kind: Kind) => {
  const { config } = sources[kind];
  const isOptional = config.safeParse({}).success;
  return z.object({
    ...triggerFields,
    kind: spelled(kind),
    config: isOptional ? described(config.nullable()).optional() : described(config),
  });
};

/** Body of a request that creates a trigger. */
export const newTrigger = z.discriminatedUnion(
  'kind',
  [ofKind('webhook'), ofKind('schedule'), ofKind('chain_event'), ofKind('chain_block')],
  { error: KIND_ERROR },
);

const kinds = Object.keys(sources) as [TriggerKind, ...TriggerKind[]];

/** Body of a request that changes a trigger. */
export const triggerChange = z
  .object({
    ...triggerFields,
    kind: z.union(kinds.map(spelled), { error: KIND_ERROR }),
    config: described(z.union(Object.values(sources).map(({ config }) => config)).nullable()).meta({
      description:
        'Configuration of the kind that the trigger has after the change. Replaces the whole config.',
    }),
  })
  .partial();

export const triggerRecord = z.object({
  id: z.uuid(),
  name: z.string(),
  kind: z.enum(kinds),
  action_code: z.string().nullable(),
  action_cid: z.string().nullable(),
  usage_key_hash: z.string().nullable().meta({
    description: 'Hash of the usage key. Null when the stored key cannot be decrypted: set it again.',
  }),
  default_params: z.record(z.string(), z.unknown()),
  max_runs_per_minute: z.int(),
  max_queued_runs: z.int(),
  max_concurrent_runs: z.int(),
  throttle_per_minute: z.int().nullable(),
  concurrency_key: concurrencyKey.nullable(),
  debounce_seconds: z.int().nullable(),
  hold_when_paused: z.boolean(),
  pause_after_failures: z.int().nullable(),
  config: z.record(z.string(), z.unknown()),
  enabled: z.boolean(),
  consecutive_failures: z.int().meta({ description: 'Number of failed runs since the last success.' }),
  paused_reason: z.string().nullable().meta({
    description: 'Reason for which the service disabled the trigger, until it is enabled again.',
  }),
  held: z.enum(['payment_required', 'service_unavailable']).nullable().meta({
    description:
      'Set while the runs of the trigger wait: its account has no credit, or the service has not executed a run for a day.',
  }),
  filter_error: z.object({ message: z.string(), at: z.iso.datetime() }).nullable().meta({
    description: 'Last error of `config.if`, since the config was changed. The event fired no run.',
  }),
  webhook_url: z.string().optional().meta({ description: 'URL of a webhook trigger.' }),
  next_runs: z
    .array(z.string())
    .optional()
    .meta({ description: 'Next five slots of a schedule trigger. Empty while it is paused.' }),
  follower: z
    .object({
      node: z.int(),
      last_block: z.int().nullable(),
      lag_sec: z.int(),
      error: z.string().nullable(),
      error_since: z.iso.datetime().nullable(),
    })
    .optional()
    .meta({
      description:
        'In the reply to a GET of an enabled trigger that follows a chain: the node in use, by its position in the setting; the newest block; ' +
        'the seconds since the nodes returned it; and why blocks are not read.',
    }),
  children: z
    .object({ count: z.int(), max: z.int() })
    .optional()
    .meta({
      description:
        'In the reply to a GET of a chain-event trigger with a factory: the children that it follows. Children that are announced when ' +
        'there are `max` are not followed.',
    }),
  reads: z
    .object({ from_block: z.int(), to_block: z.int() })
    .optional()
    .meta({
      description:
        'In the reply to a PATCH of a trigger that follows a chain, when it changes `config` or resumes it: the blocks that are read up to now. ' +
        'Empty when `from_block` is greater.',
    }),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

/** Examples for OpenAPI. */
export const exampleRequest = {
  name: 'every morning',
  kind: 'schedule' as const,
  action_code: 'const main = ({ scheduled_at }) => scheduled_at',
  usage_api_key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  config: { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
};
export const exampleTrigger = {
  id: '6f1c2a4e-9b1d-4c57-8a39-2f0e5d7c6b11',
  name: exampleRequest.name,
  kind: exampleRequest.kind,
  action_code: exampleRequest.action_code,
  action_cid: null,
  usage_key_hash: keyHash(exampleRequest.usage_api_key),
  default_params: {},
  max_runs_per_minute: 60,
  max_queued_runs: 100,
  max_concurrent_runs: 4,
  throttle_per_minute: null,
  concurrency_key: null,
  debounce_seconds: null,
  hold_when_paused: false,
  pause_after_failures: null,
  config: exampleRequest.config,
  enabled: true,
  consecutive_failures: 0,
  paused_reason: null,
  held: null,
  filter_error: null,
  next_runs: ['2026-11-02T08:00:00.000Z'],
  created_at: '2026-11-01T09:00:00.000Z',
  updated_at: '2026-11-01T09:00:00.000Z',
};

export function toRecord(
  trigger: Trigger,
  context: Pick<Context, 'publicUrl' | 'sealer'>,
): z.output<typeof triggerRecord> {
  const source = sources[trigger.kind];
  return {
    id: trigger.id,
    name: trigger.name,
    kind: trigger.kind,
    action_code: trigger.actionCode,
    action_cid: trigger.actionCid,
    usage_key_hash: keyHashOf(trigger, context),
    default_params: trigger.defaultParams,
    max_runs_per_minute: trigger.maxRunsPerMinute,
    max_queued_runs: trigger.maxQueuedRuns,
    max_concurrent_runs: trigger.maxConcurrentRuns,
    throttle_per_minute: trigger.throttlePerMinute,
    concurrency_key: trigger.concurrencyKey === null ? null : fromStored(trigger.concurrencyKey),
    debounce_seconds: trigger.debounceSeconds,
    hold_when_paused: trigger.holdWhenPaused,
    pause_after_failures: trigger.pauseAfterFailures,
    config: source.show(trigger.config),
    enabled: trigger.enabled,
    consecutive_failures: trigger.consecutiveFailures,
    paused_reason: trigger.enabled ? null : trigger.pausedReason,
    held: trigger.heldUntil !== null && trigger.heldUntil > new Date() ? trigger.heldReason : null,
    filter_error: trigger.filterError,
    ...source.fields?.(trigger, context),
    created_at: trigger.createdAt.toISOString(),
    updated_at: trigger.updatedAt.toISOString(),
  };
}

export const triggerParams = z.object({ id: z.guid() });

const isOwn = (id: string, caller: User) => and(eq(triggers.id, id), eq(triggers.userId, caller.id));

/** Resolves to a trigger of the caller. Throws 404 for an unknown trigger and for a trigger of another user. */
export async function ownTrigger({ db }: Pick<Context, 'db'>, id: string, caller: User): Promise<Trigger> {
  const [trigger] = await db.select().from(triggers).where(isOwn(id, caller));
  if (!trigger) throw notFound('Trigger not found.', { fix: 'Find the triggers with GET /api/triggers.' });
  return trigger;
}

export const changedTrigger = triggerRecord.extend({
  warnings: z.array(z.object({ code: z.enum(warningCodes), message: z.string() })).meta({
    description: 'Reasons for which runs would fail now. Empty when every check passed.',
  }),
});

/**
 * Throws 400 for an account key: it has full authority over the account and cannot run actions. Accepts a key that the relayer
 * does not know, because it may have been created a moment ago: then resolves to `isKnown` false.
 */
export async function refuseAccountKey(
  { relayer }: Pick<Context, 'relayer'>,
  key: string,
): Promise<{ isKnown: boolean }> {
  const keyKind = await relayer.getKeyKind(key);
  if (keyKind === 'account key')
    throw badRequest('body.usage_api_key: expected a usage key, not an account key', {
      fix: 'Create a usage key that may execute the action: POST /core/v1/add_usage_api_key.',
    });
  return { isKnown: keyKind !== undefined };
}

/** What the routes of triggers share: the fields of a trigger on the wire, and the way to its row. */
import { badRequest, cid, name, notFound, wireCodec } from '@latchkey/http';
import { isApiKeyText } from '@latchkey/protocol';
import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { User } from '../../auth/authenticators.ts';
import type { Context } from '../../context.ts';
import { type TriggerKind, triggers } from '../../db/schema.ts';
import { sources } from '../../sources/index.ts';
import type { Trigger } from '../../sources/source.ts';

/** Bodies with `action_code` or an input. Code that is larger is registered as an action, and its CID given. */
export const CODE_BODY_LIMIT_BYTES = 1024 * 1024;

/** A million is more than any trigger runs. */
const limit = (what: string) => z.int().min(1).max(1_000_000).optional().meta({ description: what });

const kind = wireCodec(
  z.enum(['webhook', 'schedule', 'chain_event', 'chain-event']),
  z.custom<TriggerKind>((value) => typeof value === 'string' && value in sources),
  'expected a kind of trigger',
  (text) => (text === 'chain-event' ? 'chain_event' : text),
  (value) => value,
);

const actionCode = wireCodec(
  z.string().min(1),
  z.string(),
  'expected text without lone surrogates and NUL',
  (text) => (text.isWellFormed() && !text.includes('\0') ? text : undefined),
  (text) => text,
).meta({ description: 'JavaScript. Give this or action_cid.' });

const usageApiKey = wireCodec(
  z.string(),
  z.string(),
  'expected a usage key of 1 to 512 visible ASCII characters',
  (text) => (isApiKeyText(text) ? text : undefined),
  (text) => text,
).meta({ description: 'A usage key that may run the action. It is kept sealed and never returned.' });

/** The fields of a trigger that a request may give. */
export const triggerFields = {
  name,
  kind,
  action_code: actionCode.nullish(),
  action_cid: cid.nullish(),
  default_params: z
    .record(z.string(), z.unknown())
    .nullish()
    .meta({ description: 'Parameters of every run; those of what fired it win.' }),
  usage_api_key: usageApiKey,
  max_runs_per_minute: limit('Runs that it takes in any 60 seconds.'),
  max_queued_runs: limit('Runs that may wait.'),
  max_concurrent_runs: limit('Runs of it at once.'),
  config: z.record(z.string(), z.unknown()).nullish().meta({ description: 'Of its kind.' }),
  enabled: z.boolean().optional(),
};

export const triggerRecord = z.object({
  id: z.uuid(),
  name: z.string(),
  kind: z.enum(['webhook', 'schedule', 'chain_event']),
  action_code: z.string().nullable(),
  action_cid: z.string().nullable(),
  default_params: z.record(z.string(), z.unknown()),
  max_runs_per_minute: z.int(),
  max_queued_runs: z.int(),
  max_concurrent_runs: z.int(),
  config: z.record(z.string(), z.unknown()),
  enabled: z.boolean(),
  webhook_url: z.string().optional().meta({ description: 'Of a webhook.' }),
  next_runs: z.array(z.string()).optional().meta({ description: 'Of a schedule.' }),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export function toRecord(
  trigger: Trigger,
  context: Pick<Context, 'publicUrl'>,
): z.output<typeof triggerRecord> {
  const source = sources[trigger.kind];
  return {
    id: trigger.id,
    name: trigger.name,
    kind: trigger.kind,
    action_code: trigger.actionCode,
    action_cid: trigger.actionCid,
    default_params: trigger.defaultParams,
    max_runs_per_minute: trigger.maxRunsPerMinute,
    max_queued_runs: trigger.maxQueuedRuns,
    max_concurrent_runs: trigger.maxConcurrentRuns,
    config: source.show(trigger.config),
    enabled: trigger.enabled,
    ...source.fields?.(trigger, context),
    created_at: trigger.createdAt.toISOString(),
    updated_at: trigger.updatedAt.toISOString(),
  };
}

export const triggerParams = z.object({ id: z.guid() });

const isOwn = (id: string, caller: User) => and(eq(triggers.id, id), eq(triggers.userId, caller.id));
export const noSuchTrigger = () => notFound('There is no such trigger.');

/** 404 for a trigger of somebody else, as for one that is not there. */
export async function ownTrigger({ db }: Pick<Context, 'db'>, id: string, caller: User): Promise<Trigger> {
  const [trigger] = await db.select().from(triggers).where(isOwn(id, caller));
  if (!trigger) throw noSuchTrigger();
  return trigger;
}

/**
 * Refuses an account key, which may do anything and runs nothing. One that the core service does not know passes: it may have been
 * made a moment ago.
 */
export async function refuseAccountKey({ core }: Pick<Context, 'core'>, key: string): Promise<void> {
  const keyKind = await core.kindOfKey(key);
  if (keyKind === 'account key')
    throw badRequest('body.usage_api_key: this is an account key', {
      fix: 'Make a usage key that may execute the action: POST /core/v1/add_usage_api_key.',
    });
}

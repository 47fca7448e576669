import { gone, notFound, TextReply, tooManyRequests } from '@latchkey/http';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { triggers } from '../db/schema.ts';
import { acceptRun, isAccepting, QueueFullError, TriggerDisabledError } from '../runs/accept.ts';
import { customReply, greet, receive, webhookUrl } from '../sources/webhook.ts';
import { defineRoute } from './define-route.ts';

const MAX_BODY_BYTES = 256 * 1024;
const uuid = z.uuid();
/** Columns that a delivery reads. The action code is left out because it can be large. */
const columns = {
  id: triggers.id,
  userId: triggers.userId,
  kind: triggers.kind,
  enabled: triggers.enabled,
  holdWhenPaused: triggers.holdWhenPaused,
  config: triggers.config,
};
const disabled = () => gone('This webhook is disabled.');

type Found = Awaited<ReturnType<typeof findWebhook>>;

/** Resolves to the webhook trigger. Rejects with 429, 404 or 410. */
async function findWebhook({ db, limits }: Pick<Context, 'db' | 'limits'>, id: string, ip: string) {
  await limits.webhookIp.take(ip);
  const [trigger] = uuid.safeParse(id).success
    ? await db.select(columns).from(triggers).where(eq(triggers.id, id))
    : [];
  if (trigger?.kind !== 'webhook') throw notFound('Webhook not found.');
  if (!isAccepting(trigger)) throw disabled();
  return trigger;
}

/** Stores the run. Takes from the owner's limit after all checks of the delivery, so that strangers cannot use it up. */
async function fire(
  context: Pick<Context, 'db' | 'limits' | 'worker'>,
  trigger: Found,
  run: Parameters<typeof acceptRun>[2],
): Promise<{ id: string }> {
  const { webhookUser } = context.limits;
  await webhookUser.take(trigger.userId);
  return acceptRun(context, trigger, run).catch(async (error: unknown) => {
    // A trigger over its own limit must not use up the limit of its user.
    await webhookUser.giveBack(trigger.userId);
    if (error instanceof QueueFullError) throw tooManyRequests(error.message, error.retryAfterSec);
    if (error instanceof TriggerDisabledError) throw disabled();
    throw error;
  });
}

export const webhook = defineRoute({
  method: 'POST',
  path: '/webhook/:id',
  tag: 'webhooks',
  summary: 'Fires a run of a webhook trigger',
  description:
    'Accepts any body up to 256 KiB. The action receives `source`, `event` (parsed JSON, or text), `event_raw` (the exact ' +
    'body as text, or as base64 when `event_raw_encoding` is `base64`), `form` (fields of a form), `query` and `headers` (name ' +
    'to array of values). Replies after the run is stored. A repeated delivery id returns the first run.',
  auth: 'none',
  params: z.object({ id: z.string() }),
  rawBody: true,
  // Deliveries have ids of their own.
  idempotent: false,
  bodyLimitBytes: MAX_BODY_BYTES,
  body: z.instanceof(Buffer),
  status: 202,
  reply: z.object({ run_id: z.uuid(), status: z.literal('queued') }),
  textReply:
    "The reply of the trigger's config, or the reply to a request that only verifies the URL and fires no run.",
  errors: ['not_found', 'gone', 'too_many_requests'],
  example: {
    body: Buffer.from('{"event":"ping"}'),
    reply: { run_id: '0b9f6c1e-3d52-4e8a-9c47-7a1d2e3f4b55', status: 'queued' },
  },
  handle: async (
    context: Pick<Context, 'db' | 'limits' | 'publicUrl' | 'sealer' | 'worker'>,
    { params: { id }, body, allHeaders: headers, rawQuery: search, ip },
  ) => {
    const trigger = await findWebhook(context, id, ip);
    const url = webhookUrl(trigger.id, context.publicUrl);
    const received = await receive(trigger, { headers, body, url, search }, context);
    if (received instanceof TextReply) return received;
    const run = await fire(context, trigger, received);
    return customReply(trigger) ?? { run_id: run.id, status: 'queued' as const };
  },
});

export const verifyWebhook = defineRoute({
  method: 'GET',
  path: '/webhook/:id',
  tag: 'webhooks',
  summary: 'Answers a sender that verifies the URL',
  description:
    'Answers the requests of Meta (`hub.challenge`), Microsoft Graph (`validationToken`) and Slack (`ssl_check`) to triggers ' +
    'with their schemes. Fires no run.',
  auth: 'none',
  params: z.object({ id: z.string() }),
  reply: z.string(),
  textReply: 'The text that the sender expects.',
  errors: ['not_found', 'gone', 'too_many_requests'],
  handle: async (
    context: Pick<Context, 'db' | 'limits' | 'sealer'>,
    { params: { id }, rawQuery: search, ip },
  ) => greet(await findWebhook(context, id, ip), search, context),
});

import { gone, HttpError, notFound, TextReply, tooManyRequests } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { isAccepting, QueueFullError, TriggerChangedError, TriggerDisabledError } from '../runs/accept.ts';
import type { Delivery } from '../sources/senders/sender.ts';
import { customReply, greet, receive, webhookUrl } from '../sources/webhook.ts';
import type { WebhookTrigger } from '../sources/webhook-triggers.ts';
import { defineRoute } from './define-route.ts';

const MAX_BODY_BYTES = 256 * 1024;
const uuid = z.uuid();
const disabled = () => gone('This webhook is disabled.');

type DeliveryContext = Pick<
  Context,
  'acceptDelivery' | 'limits' | 'publicUrl' | 'sealer' | 'webhookTriggers'
>;
type Unparsed = Omit<Delivery, 'url'>;

/** Throws 404 or 410 unless the trigger is a webhook that accepts deliveries. */
function requireWebhook(trigger: WebhookTrigger | undefined): WebhookTrigger {
  if (trigger?.kind !== 'webhook') throw notFound('Webhook not found.');
  if (!isAccepting(trigger)) throw disabled();
  return trigger;
}

/**
 * Verifies a delivery and stores its run. `isStored` is false for a request that only verifies the URL. Rejects with 4xx,
 * `QueueFullError`, or `TriggerChangedError` when the trigger is not the stored one.
 */
async function deliver(context: DeliveryContext, found: WebhookTrigger | undefined, delivery: Unparsed) {
  const trigger = requireWebhook(found);
  const url = webhookUrl(trigger.id, context.publicUrl);
  const received = await receive(trigger, { ...delivery, url }, context);
  if (received instanceof TextReply) return { reply: received, isStored: false };
  const { webhookUser } = context.limits;
  // After all checks of the delivery, so that strangers cannot use up the limit of the owner.
  const points = await webhookUser.take(trigger.userId);
  const { id } = await context.acceptDelivery(trigger, received).catch((error: unknown) => {
    // A trigger over its own limit must not use up the limit of its user.
    points.settle(0);
    throw error;
  });
  return { reply: customReply(trigger) ?? { run_id: id, status: 'queued' as const }, isStored: true };
}

/**
 * Delivers to the kept trigger, if there is one. A stored run confirms that it is the current one. A refusal, or the reply to a
 * request that stores none, counts only when the trigger still is as it was kept. Otherwise the delivery is repeated.
 */
async function deliverToCurrent(context: DeliveryContext, id: string, delivery: Unparsed) {
  const { webhookTriggers } = context;
  const kept = webhookTriggers.kept(id);
  let trigger = kept ?? (await webhookTriggers.read(id));
  for (let isKept = kept !== undefined; ; isKept = false) {
    const result = await deliver(context, trigger, delivery).catch((error: unknown) => {
      if (error instanceof HttpError || error instanceof TriggerChangedError) return error;
      throw error;
    });
    const isChanged = result instanceof TriggerChangedError;
    const isConfirmed = isKept ? 'isStored' in result && result.isStored : !isChanged;
    if (!isConfirmed) {
      const before = trigger?.updatedAt.getTime();
      trigger = await webhookTriggers.read(id);
      if (isChanged || trigger?.updatedAt.getTime() !== before) continue;
    }
    if (result instanceof Error) throw result;
    return result.reply;
  }
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
    context: DeliveryContext,
    { params: { id }, body, allHeaders: headers, rawQuery: search, ip },
  ) => {
    await context.limits.webhookIp.take(ip);
    if (!uuid.safeParse(id).success) throw notFound('Webhook not found.');
    try {
      return await deliverToCurrent(context, id.toLowerCase(), { headers, body, search });
    } catch (error) {
      if (error instanceof QueueFullError) throw tooManyRequests(error.message, error.retryAfterSec);
      if (error instanceof TriggerDisabledError) throw disabled();
      throw error;
    }
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
    context: Pick<Context, 'limits' | 'sealer' | 'webhookTriggers'>,
    { params: { id }, rawQuery: search, ip },
  ) => {
    await context.limits.webhookIp.take(ip);
    const trigger = uuid.safeParse(id).success
      ? await context.webhookTriggers.read(id.toLowerCase())
      : undefined;
    return greet(requireWebhook(trigger), search, context);
  },
});

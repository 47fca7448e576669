/** Shared by the routes of webhooks. */
import { gone, HttpError, notFound } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { isAccepting, TriggerChangedError, TriggerDisabledError } from '../runs/accept.ts';
import { findIgnored } from '../sources/filter.ts';
import { noteIgnored } from '../sources/ignored-events.ts';
import type { Delivery } from '../sources/senders/sender.ts';
import { receive, webhookUrl } from '../sources/webhook.ts';
import { replyTo, resultMs, usualReply } from '../sources/webhook-reply.ts';
import type { WebhookTrigger } from '../sources/webhook-triggers.ts';

/** Returns the id of a trigger in its canonical form. Throws 404 for other texts. */
function webhookId(id: string): string {
  if (!z.uuid().safeParse(id).success) throw webhookNotFound();
  return id.toLowerCase();
}

const disabled = () =>
  gone('This webhook is disabled.', {
    fix: 'Enable its trigger: PATCH /api/triggers/:id {"enabled": true}.',
  });
const webhookNotFound = () =>
  notFound('Webhook not found.', { fix: 'Copy webhook_url of the trigger again: GET /api/triggers/:id.' });

export type DeliveryContext = Pick<
  Context,
  'acceptDelivery' | 'db' | 'limits' | 'publicUrl' | 'runEnds' | 'sealer' | 'webhookTriggers'
> & { worker: Pick<Context['worker'], 'counters'> };
/** `sent` is the body as it was sent, when it was compressed. */
type Unparsed = Omit<Delivery, 'url'> & { sent?: Buffer | undefined; signal: AbortSignal };

/** Throws 404 or 410 unless the trigger is a webhook that accepts deliveries. */
function requireWebhook(trigger: WebhookTrigger | undefined): WebhookTrigger {
  if (trigger?.kind !== 'webhook') throw webhookNotFound();
  if (!isAccepting(trigger)) throw disabled();
  return trigger;
}

/**
 * Verifies a delivery and stores its run. `isStored` is false for a request that fires none. Rejects with 4xx,
 * `QueueFullError`, or `TriggerChangedError` when the trigger is not the stored one.
 */
async function deliver(
  context: DeliveryContext,
  found: WebhookTrigger | undefined,
  { signal, ...delivery }: Unparsed,
) {
  const trigger = requireWebhook(found);
  const url = webhookUrl(trigger.id, context.publicUrl);
  const received = await receive(trigger, { ...delivery, url }, context);
  if ('reply' in received) {
    const { reply, config } = received;
    if (config && !(await context.webhookTriggers.replaceConfig(trigger, config)))
      throw new TriggerChangedError('The trigger was changed or deleted.');
    return { reply, isStored: false };
  }
  const { webhookUser } = context.limits;
  // After the verification, so that strangers cannot use up the limit of the owner.
  const points = await webhookUser.take(trigger.userId);
  const ignored = findIgnored({ kind: 'webhook', config: trigger.config }, received.input);
  if (ignored) {
    await noteIgnored(context, { ...trigger, kind: 'webhook' }, ignored);
    return { reply: usualReply(trigger, { status: 'ignored' as const }), isStored: false };
  }
  const run = await context.acceptDelivery(trigger, received).catch((error: unknown) => {
    // A trigger over its own limit must not use up the limit of its user.
    points.settle(0);
    throw error;
  });
  const timeoutMs = resultMs(trigger);
  const end =
    timeoutMs !== undefined && trigger.enabled
      ? await context.runEnds.wait({ ...run, userId: trigger.userId }, { timeoutMs, signal })
      : undefined;
  return { reply: replyTo(trigger, run.id, end), isStored: true };
}

/**
 * Delivers to the kept trigger, if there is one. Storing a run confirms that the kept trigger is current. A refusal, or a reply
 * without a run, counts only when the trigger was not changed since it was kept. Otherwise the delivery is repeated.
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

/** Stores the run of a delivery. Rejects with 4xx. */
export async function acceptDelivery(context: DeliveryContext, id: string, delivery: Unparsed) {
  try {
    return await deliverToCurrent(context, webhookId(id), delivery);
  } catch (error) {
    if (error instanceof TriggerDisabledError) throw disabled();
    throw error;
  }
}

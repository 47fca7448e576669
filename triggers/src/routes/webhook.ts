import { gone, notFound, tooManyRequests } from '@latchkey/http';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { triggers } from '../db/schema.ts';
import { acceptRun, QueueFullError, TriggerDisabledError } from '../runs/accept.ts';
import { receive } from '../sources/webhook.ts';
import { defineRoute } from './define-route.ts';

const MAX_BODY_BYTES = 256 * 1024;
const uuid = z.uuid();
/** Columns that a delivery reads. The action code is left out because it can be large. */
const columns = {
  id: triggers.id,
  userId: triggers.userId,
  kind: triggers.kind,
  enabled: triggers.enabled,
  config: triggers.config,
};
const disabled = () => gone('This webhook is disabled.');

export const webhook = defineRoute({
  method: 'POST',
  path: '/webhook/:id',
  tag: 'webhooks',
  summary: 'Fires a run of a webhook trigger',
  description:
    'Accepts any body up to 256 KiB. The action receives `source`, `event` (parsed JSON, or text), `event_raw` (the exact ' +
    'body as text, or as base64 when `event_raw_encoding` is `base64`) and `headers` (name to array of values). Replies after ' +
    'the run is stored. A repeated delivery id returns the first run.',
  auth: 'none',
  params: z.object({ id: z.string() }),
  rawBody: true,
  bodyLimitBytes: MAX_BODY_BYTES,
  body: z.instanceof(Buffer),
  status: 202,
  reply: z.union([
    z.object({ run_id: z.uuid(), status: z.literal('queued') }),
    z.object({ challenge: z.string() }),
  ]),
  statuses: { 200: 'Reply to the `url_verification` request of Slack. No run is fired.' },
  errors: ['not_found', 'gone', 'too_many_requests'],
  example: {
    body: Buffer.from('{"event":"ping"}'),
    reply: { run_id: '0b9f6c1e-3d52-4e8a-9c47-7a1d2e3f4b55', status: 'queued' },
  },
  handle: async (
    context: Pick<Context, 'db' | 'limits' | 'sealer' | 'worker'>,
    { params: { id }, body, allHeaders: headers, ip, setStatus },
  ) => {
    const { db, limits } = context;
    await limits.webhookIp.take(ip);
    const [trigger] = uuid.safeParse(id).success
      ? await db.select(columns).from(triggers).where(eq(triggers.id, id))
      : [];
    if (trigger?.kind !== 'webhook') throw notFound('Webhook not found.');
    if (!trigger.enabled) throw disabled();
    const { challenge, ...run } = receive(trigger, { headers, body }, context);
    if (challenge !== undefined) {
      setStatus(200);
      return { challenge };
    }
    // After all checks of the delivery, so that strangers cannot use up the user's limit.
    await limits.webhookUser.take(trigger.userId);
    const accepted = await acceptRun(context, trigger, run).catch(async (error: unknown) => {
      // A trigger over its own limit must not use up the limit of its user.
      await limits.webhookUser.giveBack(trigger.userId);
      if (error instanceof QueueFullError) throw tooManyRequests(error.message, error.retryAfterSec);
      if (error instanceof TriggerDisabledError) throw disabled();
      throw error;
    });
    return { run_id: accepted.id, status: 'queued' as const };
  },
});

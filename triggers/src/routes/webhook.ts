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
/** What a delivery takes of its trigger: without the code, which may be large. */
const columns = {
  id: triggers.id,
  userId: triggers.userId,
  kind: triggers.kind,
  enabled: triggers.enabled,
  config: triggers.config,
};
const switchedOff = () => gone('This webhook is switched off.');

export const webhook = defineRoute({
  method: 'POST',
  path: '/webhook/:id',
  tag: 'webhooks',
  summary: 'Fires a run of the action of a webhook trigger',
  description:
    'Any body. The action gets `source`, `event` (JSON, or text), `event_raw` (the exact bytes: text, or base64 as `event_raw_encoding` says) and `headers` (name → values). The reply comes after the run is stored; a delivery id that was there before answers with the first run.',
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
  statuses: { 200: 'The answer to the `url_verification` of Slack; nothing fired.' },
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
    if (trigger?.kind !== 'webhook') throw notFound('There is no such webhook.');
    if (!trigger.enabled) throw switchedOff();
    const { challenge, ...run } = receive(trigger, { headers, body }, context);
    if (challenge !== undefined) {
      setStatus(200);
      return { challenge };
    }
    // After all that a stranger could get wrong: nobody else can use up what a sender may send.
    await limits.webhookUser.take(trigger.userId);
    const accepted = await acceptRun(context, trigger, run).catch(async (error: unknown) => {
      // Nor one trigger what the others of its user may.
      await limits.webhookUser.giveBack(trigger.userId);
      if (error instanceof QueueFullError) throw tooManyRequests(error.message, error.retryAfterSec);
      if (error instanceof TriggerDisabledError) throw switchedOff();
      throw error;
    });
    return { run_id: accepted.id, status: 'queued' as const };
  },
});

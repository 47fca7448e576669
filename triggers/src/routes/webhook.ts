import { rateLimitHeaders, rateLimitReplyHeaders } from '@latchkey/http';
import { z } from 'zod';
import { decompress } from './decompress.ts';
import { defineRoute } from './define-route.ts';
import { runStatus } from './runs/record.ts';
import { acceptDelivery, type DeliveryContext } from './webhook-delivery.ts';

const MAX_BODY_BYTES = 256 * 1024;

const delivery = <const Method extends 'POST' | 'PUT'>(method: Method) =>
  defineRoute({
    method,
    path: '/webhook/:id',
    tag: 'webhooks',
    summary: 'Fires a run of a webhook trigger',
    description:
      'Accepts any body up to 256 KiB, also compressed by gzip, deflate or br. The action receives `source`, `event` (parsed JSON, or text), `event_raw` (the exact ' +
      'body as text, or as base64 when `event_raw_encoding` is `base64`), `form` (fields of a form), `query` and `headers` (name ' +
      'to array of values). Replies after the run is stored. A repeated delivery id returns the first run.',
    auth: 'none',
    params: z.object({ id: z.string() }),
    rawBody: true,
    takesCompressed: true,
    // Deliveries have ids of their own.
    idempotent: false,
    bodyLimitBytes: MAX_BODY_BYTES,
    body: z.instanceof(Buffer),
    status: 202,
    reply: z.union([
      z.object({ run_id: z.uuid(), status: runStatus }),
      z.object({
        status: z.literal('ignored').meta({ description: 'The `if` of the trigger does not match.' }),
      }),
    ]),
    textReply:
      "The reply of the trigger's config, what the action returned (`respond`), or the reply to a request that only verifies the URL and fires no run.",
    replyHeaders: rateLimitReplyHeaders,
    errors: ['unauthorized', 'not_found', 'gone', 'too_many_requests'],
    example: {
      body: Buffer.from('{"event":"ping"}'),
      reply: { run_id: '0b9f6c1e-3d52-4e8a-9c47-7a1d2e3f4b55', status: 'queued' },
    },
    handle: async (
      context: DeliveryContext,
      {
        params: { id },
        body,
        allHeaders: headers,
        rawQuery: search,
        method: sentMethod,
        ip,
        signal,
        setHeader,
      },
    ) => {
      const { limit } = await context.limits.webhookIp.take(ip);
      const { 'RateLimit-Policy': policy, RateLimit: state } = rateLimitHeaders(limit);
      setHeader('RateLimit-Policy', policy);
      setHeader('RateLimit', state);
      const decoded = await decompress(body, headers['content-encoding'], MAX_BODY_BYTES);
      return acceptDelivery(context, id, { method: sentMethod, headers, search, signal, ...decoded });
    },
  });

export const webhook = delivery('POST');
export const putWebhook = delivery('PUT');

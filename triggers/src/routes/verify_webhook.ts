import { TextReply } from '@latchkey/http';
import { z } from 'zod';
import { defineRoute } from './define-route.ts';
import { acceptDelivery, type DeliveryContext } from './webhook-delivery.ts';

export const verifyWebhook = defineRoute({
  method: 'GET',
  path: '/webhook/:id',
  tag: 'webhooks',
  summary: 'Answers a sender that verifies the URL',
  description:
    'Returns the challenge in the query or a header of the request, in the form that the scheme of the trigger defines. ' +
    'HEAD returns 200. Fires no run.',
  auth: 'none',
  params: z.object({ id: z.string() }),
  reply: z.string(),
  textReply: 'The text or the JSON that the sender expects.',
  errors: ['unauthorized', 'not_found', 'gone', 'too_many_requests'],
  handle: async (
    context: DeliveryContext,
    { params: { id }, allHeaders: headers, rawQuery: search, method, ip, signal },
  ) => {
    await context.limits.webhookIp.take(ip);
    const reply = await acceptDelivery(context, id, {
      method,
      headers,
      search,
      signal,
      body: Buffer.alloc(0),
    });
    if (reply instanceof TextReply) return reply;
    throw new Error('a request without a body fired a run');
  },
});

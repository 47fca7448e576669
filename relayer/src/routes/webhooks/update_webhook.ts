import { newSecret } from '@latchkey/webhooks/post';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { hashText } from '../../db/text.ts';
import { changeEndpoint } from '../../webhooks/endpoints.ts';
import { defineRoute, prefix } from '../define-route.ts';
import {
  exampleWebhook,
  noWebhook,
  settingsOf,
  toWebhookRecord,
  webhookFields,
  webhookId,
  webhookRecord,
  webhookSecret,
} from './record.ts';

export const updateWebhook = defineRoute({
  method: 'POST',
  path: `${prefix}/update_webhook`,
  tag: 'webhooks',
  summary: 'Changes a webhook',
  description:
    'Changes the given fields. A disabled webhook gets no events; its waiting deliveries go on when it is enabled. Deliveries that wait are ' +
    'sent to the new URL, and signed with the new secret.',
  auth: 'accountKeyOrWallet',
  body: z.strictObject({
    webhook_id: webhookId,
    url: webhookFields.url.optional(),
    types: webhookFields.types.optional(),
    credit_low_cents: webhookFields.credit_low_cents.optional(),
    enabled: z.boolean().optional(),
    rotate_secret: z
      .boolean()
      .default(false)
      .meta({ description: 'Replaces the secret, which the reply has.' }),
  }),
  reply: webhookRecord.extend({ secret: webhookSecret.optional() }),
  errors: ['forbidden', 'not_found', 'service_unavailable'],
  example: { body: { webhook_id: exampleWebhook.id, enabled: true }, reply: exampleWebhook },
  handle: async (
    { db, webhookSealer, config }: Pick<Context, 'db' | 'webhookSealer' | 'config'>,
    { body, caller },
  ) => {
    const { webhook_id: id, url, types, credit_low_cents: cents, enabled } = body;
    const secret = body.rotate_secret ? newSecret() : undefined;
    const changed = await changeEndpoint(db, hashText(caller.account), id, (endpoint) => {
      const before = toWebhookRecord(endpoint);
      const settings = {
        url: url ?? before.url,
        types: types ?? before.types,
        creditLowCents: cents === undefined ? before.credit_low_cents : cents,
      };
      return {
        ...settingsOf(settings, config),
        ownerHash: hashText(caller.hash),
        ...(enabled !== undefined && { isEnabled: enabled, disabledReason: null, failingSince: null }),
        ...(secret !== undefined && { secret: webhookSealer.seal(secret, id) }),
      };
    });
    if (!changed) throw noWebhook();
    return { ...toWebhookRecord(changed), ...(secret !== undefined && { secret }) };
  },
});

import { randomUUID } from 'node:crypto';
import { conflict } from '@latchkey/http';
import { newSecret } from '@latchkey/webhooks/post';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { hashText } from '../../db/text.ts';
import { addEndpoint, MAX_ENDPOINTS } from '../../webhooks/endpoints.ts';
import { defineRoute, prefix } from '../define-route.ts';
import {
  exampleWebhook,
  exampleWebhookSecret,
  settingsOf,
  toWebhookRecord,
  webhookFields,
  webhookRecord,
  webhookSecret,
} from './record.ts';

export const addWebhook = defineRoute({
  method: 'POST',
  path: `${prefix}/add_webhook`,
  tag: 'webhooks',
  summary: 'Adds a webhook, to which the events of the account are sent',
  description: `Returns its secret, once. An account has at most ${MAX_ENDPOINTS} webhooks.`,
  auth: 'accountKeyOrWallet',
  body: z.strictObject({ ...webhookFields, credit_low_cents: webhookFields.credit_low_cents.default(null) }),
  reply: webhookRecord.extend({ secret: webhookSecret }),
  errors: ['forbidden', 'conflict', 'service_unavailable'],
  example: {
    body: { url: exampleWebhook.url, types: exampleWebhook.types, credit_low_cents: 500 },
    reply: { ...exampleWebhook, secret: exampleWebhookSecret },
  },
  handle: async (
    { db, webhookSealer, config }: Pick<Context, 'db' | 'webhookSealer' | 'config'>,
    { body: { url, types, credit_low_cents: creditLowCents }, caller },
  ) => {
    const settings = settingsOf({ url, types, creditLowCents }, config);
    const id = randomUUID();
    const secret = newSecret();
    const owner = { account: hashText(caller.account), ownerHash: hashText(caller.hash) };
    const sealed = webhookSealer.seal(secret, id);
    const added = await addEndpoint(db, { id, ...owner, ...settings, secret: sealed });
    if (!added)
      throw conflict(`The account has ${MAX_ENDPOINTS} webhooks, which is the maximum.`, {
        fix: 'Remove one with remove_webhook, or change one with update_webhook.',
      });
    return { ...toWebhookRecord(added), secret };
  },
});

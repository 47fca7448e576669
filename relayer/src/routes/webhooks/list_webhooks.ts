import { z } from 'zod';
import type { Context } from '../../context.ts';
import { hashText } from '../../db/text.ts';
import { listEndpoints } from '../../webhooks/endpoints.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { exampleWebhook, toWebhookRecord, webhookRecord } from './record.ts';

export const listWebhooks = defineRoute({
  method: 'GET',
  path: `${prefix}/list_webhooks`,
  tag: 'webhooks',
  summary: 'Lists the webhooks of the account, oldest first',
  auth: 'accountKeyOrWallet',
  reply: z.array(webhookRecord),
  errors: ['forbidden', 'service_unavailable'],
  example: { reply: [exampleWebhook] },
  handle: async ({ db }: Pick<Context, 'db'>, { caller }) =>
    (await listEndpoints(db, hashText(caller.account))).map(toWebhookRecord),
});

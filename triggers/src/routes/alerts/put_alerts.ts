import { badRequest } from '@latchkey/http';
import { findUrlFault, newSecret } from '@latchkey/webhooks/post';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { alertWebhooks } from '../../db/schema.ts';
import { defineRoute } from '../define-route.ts';
import { alertRecord, exampleAlerts, toAlertRecord } from './record.ts';

export const putAlerts = defineRoute({
  method: 'PUT',
  path: '/api/alerts',
  tag: 'alerts',
  summary: 'Sets the alert webhook',
  description:
    'The service sends an alert to it when a trigger fails `after_failures` times in a row, is paused by the service, or waits ' +
    'for credit. `secret` is returned once, when the webhook is new and with `rotate_secret`. Alerts that wait are sent to the ' +
    'new URL. Enables a webhook that the service has disabled.',
  auth: 'agentOrSession',
  body: z.object({
    url: z.string().max(2_048).describe('An https URL with a public address. Redirects are not followed.'),
    after_failures: z.int().min(1).max(1_000).default(3),
    rotate_secret: z.boolean().default(false).meta({ description: 'Replaces the secret.' }),
  }),
  reply: alertRecord.extend({
    secret: z
      .string()
      .optional()
      .meta({ description: 'Secret of the signatures (Standard Webhooks): `whsec_` and base64.' }),
  }),
  errors: ['service_unavailable'],
  example: {
    body: { url: 'https://example.com/alerts', after_failures: 3 },
    reply: { ...exampleAlerts, secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' },
  },
  handle: async (
    { db, sealer, config }: Pick<Context, 'db' | 'sealer' | 'config'>,
    { body: { url, after_failures: afterFailures, rotate_secret: isRotated }, caller },
  ) => {
    const fault = findUrlFault(url, config.alertAllowedAddresses);
    if (fault !== undefined) throw badRequest(`body.url: ${fault}`);
    const secret = newSecret();
    const sealed = sealer.seal(secret, caller.id);
    const { authority } = caller;
    const changed = {
      url,
      afterFailures,
      authority,
      isEnabled: true,
      disabledReason: null,
      failingSince: null,
      updatedAt: sql`clock_timestamp()`,
      ...(isRotated && { secret: sealed }),
    };
    const [stored] = await db
      .insert(alertWebhooks)
      .values({ id: caller.id, url, afterFailures, authority, secret: sealed })
      .onConflictDoUpdate({ target: alertWebhooks.id, set: changed })
      .returning();
    if (!stored) throw new Error('the alert webhook was not stored');
    return { ...toAlertRecord(stored), ...(stored.secret === sealed && { secret }) };
  },
});

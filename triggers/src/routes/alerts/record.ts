/** Shared by the routes of alerts: wire format and lookup. */
import { notFound } from '@latchkey/http';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { User } from '../../auth/authenticators.ts';
import type { Context } from '../../context.ts';
import { alertWebhooks } from '../../db/schema.ts';

export const alertRecord = z.object({
  url: z.string(),
  after_failures: z
    .int()
    .meta({ description: 'Failed runs of a trigger in a row after which an alert is sent.' }),
  enabled: z.boolean().meta({
    description:
      'False after a day without a delivery, a reply with status 410, or a transfer of the account. PUT enables it.',
  }),
  disabled_reason: z.string().nullable(),
  failing_since: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'First failed attempt since the last delivery.' }),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

/** An example for OpenAPI. */
export const exampleAlerts = {
  url: 'https://example.com/alerts',
  after_failures: 3,
  enabled: true,
  disabled_reason: null,
  failing_since: null,
  created_at: '2026-11-01T09:00:00.000Z',
  updated_at: '2026-11-01T09:00:00.000Z',
};

type AlertWebhook = typeof alertWebhooks.$inferSelect;

export const toAlertRecord = (webhook: AlertWebhook): z.output<typeof alertRecord> => ({
  url: webhook.url,
  after_failures: webhook.afterFailures,
  enabled: webhook.isEnabled,
  disabled_reason: webhook.disabledReason,
  failing_since: webhook.failingSince?.toISOString() ?? null,
  created_at: webhook.createdAt.toISOString(),
  updated_at: webhook.updatedAt.toISOString(),
});

export const noAlertWebhook = () =>
  notFound('The account has no alert webhook.', { fix: 'Set one: PUT /api/alerts {"url": "https://…"}.' });

/** Resolves to the alert webhook of the caller. Throws 404 when there is none. */
export async function ownAlertWebhook({ db }: Pick<Context, 'db'>, caller: User): Promise<AlertWebhook> {
  const [webhook] = await db.select().from(alertWebhooks).where(eq(alertWebhooks.id, caller.id));
  if (!webhook) throw noAlertWebhook();
  return webhook;
}

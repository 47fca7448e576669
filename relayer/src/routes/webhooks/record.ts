/** Shared by the routes of webhooks: wire form and ownership. */
import { badRequest, notFound } from '@latchkey/http';
import { findUrlFault } from '@latchkey/webhooks/post';
import { z } from 'zod';
import type { Reader } from '../../auth/authenticators.ts';
import { MICROS_PER_CENT } from '../../billing/money.ts';
import type { Context } from '../../context.ts';
import { hashText } from '../../db/text.ts';
import { type Endpoint, findEndpoint } from '../../webhooks/endpoints.ts';
import { type EventType, eventTypeNames, eventTypes } from '../../webhooks/event-types.ts';

const moment = z.iso.datetime();

export const webhookId = z.guid();

export const webhookFields = {
  url: z
    .string()
    .max(2_048)
    .meta({
      description: 'An https URL with a public address. Redirects are not followed.',
      examples: ['https://example.com/latchkey'],
    }),
  types: z
    .array(z.enum(eventTypeNames))
    .min(1)
    .max(eventTypeNames.length)
    .meta({
      description: Object.entries(eventTypes)
        .map(([type, text]) => `\`${type}\`: ${text}`)
        .join(' '),
    }),
  credit_low_cents: z
    .int()
    .min(1)
    .max(2_147_483_647)
    .nullable()
    .meta({ description: 'Threshold of `credit.low` in cents. Null without this type.' }),
};

export const webhookRecord = z.object({
  id: z.string(),
  url: z.string(),
  types: z.array(z.enum(eventTypeNames)),
  credit_low_cents: z.int().nullable(),
  enabled: z.boolean(),
  disabled_reason: z.string().nullable().meta({ description: 'Why the service disabled it.' }),
  failing_since: moment.nullable().meta({ description: 'First failed attempt since the last delivery.' }),
  created_at: moment,
  updated_at: moment,
});

export const webhookSecret = z.string().meta({
  description: 'Secret of the signatures (Standard Webhooks): `whsec_` and base64. It is not returned again.',
});

/** Examples for OpenAPI. */
export const exampleWebhook = {
  id: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  url: 'https://example.com/latchkey',
  types: ['run.finished', 'credit.low'] as EventType[],
  credit_low_cents: 500,
  enabled: true,
  disabled_reason: null,
  failing_since: null,
  created_at: '2026-11-01T09:00:00.000Z',
  updated_at: '2026-11-01T09:00:00.000Z',
};
export const exampleWebhookSecret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

export const toWebhookRecord = (endpoint: Endpoint): z.output<typeof webhookRecord> => ({
  id: endpoint.id,
  url: endpoint.url,
  types: endpoint.types,
  credit_low_cents:
    endpoint.creditLowMicros === null ? null : Number(endpoint.creditLowMicros / MICROS_PER_CENT),
  enabled: endpoint.isEnabled,
  disabled_reason: endpoint.disabledReason,
  failing_since: endpoint.failingSince?.toISOString() ?? null,
  created_at: endpoint.createdAt.toISOString(),
  updated_at: endpoint.updatedAt.toISOString(),
});

type Settings = { url: string; types: EventType[]; creditLowCents: number | null };

/** Returns settings of an endpoint as they are stored. Throws 400 when they do not fit together. */
export function settingsOf({ url, types, creditLowCents }: Settings, { webhooks }: Context['config']) {
  const fault = findUrlFault(url, webhooks.allowedAddresses);
  if (fault !== undefined) throw badRequest(`body.url: ${fault}`);
  if (types.includes('credit.low') !== (creditLowCents !== null))
    throw badRequest(
      'body.credit_low_cents: expected a threshold with the type credit.low, and null without it',
    );
  const creditLowMicros = creditLowCents === null ? null : BigInt(creditLowCents) * MICROS_PER_CENT;
  return { url, types: [...new Set(types)], creditLowMicros };
}

export const noWebhook = () =>
  notFound('The account does not have this webhook.', { fix: 'list_webhooks lists its webhooks.' });

/** Resolves to a webhook of the caller's account. Throws 404 for any other id. */
export async function ownWebhook(
  { db }: Pick<Context, 'db'>,
  { account }: Pick<Reader, 'account'>,
  id: string,
): Promise<Endpoint> {
  const found = await findEndpoint(db, hashText(account), id);
  if (!found) throw noWebhook();
  return found;
}

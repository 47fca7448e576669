/** Webhooks: where the events of the account are sent. */
import { getAsOwner, postAsOwner } from './as-owner.ts';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { type BodyOf, type GetReplyOf, optionalDate } from './http.ts';
import type { Page } from './pages.ts';
import { toDelivery, type WebhookDelivery } from './webhook-delivery.ts';
import type { WriteOptions } from './write-definition.ts';

type WireWebhook = GetReplyOf<'/core/v1/list_webhooks'>[number];

/** The type of an event, as `docs/webhooks-out.md` describes them. */
export type WebhookEventType = GetReplyOf<'/core/v1/list_webhooks'>[number]['types'][number];

export interface Webhook {
  id: string;
  url: string;
  types: WebhookEventType[];
  /** Threshold of `credit.low`, in cents. */
  creditLowCents?: number | undefined;
  enabled: boolean;
  /** Why the service disabled it. */
  disabledReason?: string | undefined;
  /** First failed attempt since the last delivery. */
  failingSince?: Date | undefined;
  createdAt: Date;
  updatedAt: Date;
}

const toWebhook = (webhook: WireWebhook): Webhook => ({
  id: webhook.id,
  url: webhook.url,
  types: webhook.types,
  creditLowCents: webhook.credit_low_cents ?? undefined,
  enabled: webhook.enabled,
  disabledReason: webhook.disabled_reason ?? undefined,
  failingSince: optionalDate(webhook.failing_since),
  createdAt: new Date(webhook.created_at),
  updatedAt: new Date(webhook.updated_at),
});

export interface AddWebhookParameters {
  /** An https URL with a public address. */
  url: string;
  types: WebhookEventType[];
  /** Threshold of `credit.low`, in cents. Required with this type, and only then. */
  creditLowCents?: number | undefined;
}

/** A webhook with the secret of its signatures (Standard Webhooks), which is returned once. */
export interface WebhookWithSecret extends Webhook {
  secret: string;
}

/** Adds a webhook. */
export async function addWebhook(
  client: BareClient,
  { url, types, creditLowCents }: AddWebhookParameters,
  options?: WriteOptions,
): Promise<WebhookWithSecret> {
  const body = { url, types, credit_low_cents: creditLowCents ?? null };
  const { json } = await postAsOwner(client, options, '/core/v1/add_webhook', body);
  return { ...toWebhook(json), secret: json.secret };
}

/** Lists the webhooks of the account, the oldest first. */
export async function listWebhooks(client: BareClient, options?: CallOptions): Promise<Webhook[]> {
  const { json } = await getAsOwner(client, options, '/core/v1/list_webhooks');
  return json.map(toWebhook);
}

export interface WebhookParameters {
  webhookId: string;
}

/** The fields to change. */
export interface UpdateWebhookParameters extends WebhookParameters {
  url?: string | undefined;
  types?: WebhookEventType[] | undefined;
  /** Null without the type `credit.low`. */
  creditLowCents?: number | null | undefined;
  enabled?: boolean | undefined;
  /** Replaces the secret, which the result has. */
  rotateSecret?: boolean | undefined;
}

/** Changes a webhook. */
export async function updateWebhook(
  client: BareClient,
  { webhookId, url, types, creditLowCents, enabled, rotateSecret }: UpdateWebhookParameters,
  options?: WriteOptions,
): Promise<Webhook & Partial<WebhookWithSecret>> {
  // JSON has no undefined fields.
  const body = {
    webhook_id: webhookId,
    url,
    types,
    credit_low_cents: creditLowCents,
    enabled,
    rotate_secret: rotateSecret,
  } as BodyOf<'/core/v1/update_webhook'>;
  const { json } = await postAsOwner(client, options, '/core/v1/update_webhook', body);
  return { ...toWebhook(json), ...(json.secret !== undefined && { secret: json.secret }) };
}

/** Deletes a webhook, its secret and its deliveries. */
export async function removeWebhook(
  client: BareClient,
  { webhookId }: WebhookParameters,
  options?: WriteOptions,
): Promise<void> {
  await postAsOwner(client, options, '/core/v1/remove_webhook', { webhook_id: webhookId });
}

/** The result of one attempt. */
export interface WebhookTest {
  delivered: boolean;
  responseStatus?: number | undefined;
  /** Why the event was not delivered. */
  error?: string | undefined;
}

/** Sends an event of the type `webhook.test`. */
export async function testWebhook(
  client: BareClient,
  { webhookId }: WebhookParameters,
  options?: CallOptions,
): Promise<WebhookTest> {
  const { json } = await postAsOwner(client, options, '/core/v1/test_webhook', { webhook_id: webhookId });
  const { delivered, response_status: status, error } = json;
  return { delivered, responseStatus: status ?? undefined, error: error ?? undefined };
}

export interface ListWebhookDeliveriesParameters extends WebhookParameters {
  status?: 'waiting' | 'failed' | undefined;
  /** Items per page, 1 to 1,000. Default 100. */
  pageSize?: number | undefined;
  /** Id of a delivery: lists those that were stored before it. */
  before?: string | undefined;
}

/** Lists the deliveries of a webhook, newest first. A page after the last full one can be empty. */
export async function listWebhookDeliveries(
  client: BareClient,
  parameters: ListWebhookDeliveriesParameters,
  options?: CallOptions,
): Promise<Page<WebhookDelivery, ListWebhookDeliveriesParameters>> {
  const { webhookId, status, pageSize = 100, before } = parameters;
  const { json } = await getAsOwner(client, options, '/core/v1/list_webhook_deliveries', {
    query: { webhook_id: webhookId, status, page_size: pageSize, before },
  });
  const last = json.length < pageSize ? undefined : json.at(-1);
  return { items: json.map(toDelivery), nextPage: last && { ...parameters, before: last.id } };
}

/** One delivery that has ended, or all that failed and were stored at or after a time. */
export type ReplayWebhookDeliveriesParameters = WebhookParameters &
  ({ deliveryId: string } | { failedSince: Date });

/** Sends events again, with the ids that they have. Returns their number. */
export async function replayWebhookDeliveries(
  client: BareClient,
  parameters: ReplayWebhookDeliveriesParameters,
  options?: WriteOptions,
): Promise<number> {
  const which =
    'deliveryId' in parameters
      ? { delivery_id: parameters.deliveryId }
      : { failed_since: parameters.failedSince.toISOString() };
  const body = { webhook_id: parameters.webhookId, ...which };
  const { json } = await postAsOwner(client, options, '/core/v1/replay_webhook_deliveries', body);
  return json.replayed;
}

/** The alert webhook of an account: where the trigger service sends alerts about triggers that need attention. */
import type { BareTriggersClient } from './bare-triggers-client.ts';
import type { CallOptions } from './deadline.ts';
import { LatchkeyError } from './errors.ts';
import type { paths } from './generated/triggers.ts';
import { optionalDate } from './http.ts';
import type { Page } from './pages.ts';
import { type JsonOf, send } from './triggers-request.ts';
import { toDelivery, type WebhookDelivery } from './webhook-delivery.ts';
import type { WriteOptions } from './write-definition.ts';

type WireAlerts = JsonOf<paths['/api/alerts']['get']['responses'][200]>;
type SetReply = JsonOf<paths['/api/alerts']['put']['responses'][200]>;
type DeliveriesReply = JsonOf<paths['/api/alerts/deliveries']['get']['responses'][200]>;

export interface AlertWebhook {
  url: string;
  /** Failed runs of a trigger in a row after which an alert is sent. */
  afterFailures: number;
  enabled: boolean;
  /** Why the service disabled it. {@link setAlerts} enables it. */
  disabledReason?: string | undefined;
  /** First failed attempt since the last delivery. */
  failingSince?: Date | undefined;
  createdAt: Date;
  updatedAt: Date;
}

const toAlerts = (found: WireAlerts): AlertWebhook => ({
  url: found.url,
  afterFailures: found.after_failures,
  enabled: found.enabled,
  disabledReason: found.disabled_reason ?? undefined,
  failingSince: optionalDate(found.failing_since),
  createdAt: new Date(found.created_at),
  updatedAt: new Date(found.updated_at),
});

/** Returns the alert webhook of the account; undefined when it has none. */
export async function getAlerts(
  client: BareTriggersClient,
  options?: CallOptions,
): Promise<AlertWebhook | undefined> {
  try {
    return toAlerts(await send<WireAlerts>(client, 'GET', 'alerts', { options }));
  } catch (error) {
    if (error instanceof LatchkeyError && error.code === 'not_found') return undefined;
    throw error;
  }
}

export interface SetAlertsParameters {
  /** An https URL with a public address. */
  url: string;
  /** 1 to 1,000. Default 3. */
  afterFailures?: number | undefined;
  /** Replaces the secret, which the result has. */
  rotateSecret?: boolean | undefined;
}

/**
 * Sets the alert webhook, and enables it. The result has the secret of its signatures (Standard Webhooks) when the webhook is new, and with
 * `rotateSecret`.
 */
export async function setAlerts(
  client: BareTriggersClient,
  { url, afterFailures, rotateSecret }: SetAlertsParameters,
  options?: CallOptions,
): Promise<AlertWebhook & { secret?: string | undefined }> {
  // JSON has no undefined fields.
  const body = { url, after_failures: afterFailures, rotate_secret: rotateSecret };
  const stored = await send<SetReply>(client, 'PUT', 'alerts', { body, options });
  return { ...toAlerts(stored), secret: stored.secret };
}

/** Deletes the alert webhook, its secret and its alerts. */
export async function removeAlerts(client: BareTriggersClient, options?: CallOptions): Promise<void> {
  await send(client, 'DELETE', 'alerts', { options });
}

/** Sends an alert of the type `alert.test`. Returns why it was not delivered, or undefined. */
export async function testAlerts(
  client: BareTriggersClient,
  options?: CallOptions,
): Promise<string | undefined> {
  type Reply = JsonOf<paths['/api/alerts/test']['post']['responses'][200]>;
  const { error } = await send<Reply>(client, 'POST', 'alerts/test', { options });
  return error ?? undefined;
}

export interface ListAlertDeliveriesParameters {
  /** Items per page, 1 to 1,000. Default 100. */
  pageSize?: number | undefined;
  /** Id of a delivery: lists those that were stored before it. */
  before?: string | undefined;
}

/** Lists the alerts that were sent or wait, newest first. A page after the last full one can be empty. */
export async function listAlertDeliveries(
  client: BareTriggersClient,
  parameters: ListAlertDeliveriesParameters = {},
  options?: CallOptions,
): Promise<Page<WebhookDelivery, ListAlertDeliveriesParameters>> {
  const { pageSize = 100, before } = parameters;
  const query = { page_size: pageSize, before };
  const { deliveries } = await send<DeliveriesReply>(client, 'GET', 'alerts/deliveries', { query, options });
  const last = deliveries.length < pageSize ? undefined : deliveries.at(-1);
  return { items: deliveries.map(toDelivery), nextPage: last && { ...parameters, before: last.id } };
}

/** One alert that has ended, or all that failed and were stored at or after a time. */
export type ReplayAlertsParameters = { deliveryId: string } | { failedSince: Date };

/** Sends alerts again, with the ids that they have. Returns their number. */
export async function replayAlerts(
  client: BareTriggersClient,
  which: ReplayAlertsParameters,
  options?: WriteOptions,
): Promise<number> {
  type Reply = JsonOf<paths['/api/alerts/replay']['post']['responses'][200]>;
  const body =
    'deliveryId' in which
      ? { delivery_id: which.deliveryId }
      : { failed_since: which.failedSince.toISOString() };
  const { replayed } = await send<Reply>(client, 'POST', 'alerts/replay', { body, options });
  return replayed;
}

/** Deliveries of webhooks and of alerts, which have one form. */
import { type GetReplyOf, optionalDate } from './http.ts';

type WireDelivery = GetReplyOf<'/core/v1/list_webhook_deliveries'>[number];

/** `waiting`: for its first or next attempt. `failed`: given up. */
export type WebhookDeliveryStatus = GetReplyOf<'/core/v1/list_webhook_deliveries'>[number]['status'];

/** An event that was sent to a webhook, or waits. */
export interface WebhookDelivery {
  /** `webhook-id` of all attempts. */
  id: string;
  type: string;
  data: { [name: string]: unknown };
  status: WebhookDeliveryStatus;
  attempts: number;
  /** Status of the last reply. */
  responseStatus?: number | undefined;
  /** Why the last attempt failed. */
  error?: string | undefined;
  createdAt: Date;
  lastAttemptAt?: Date | undefined;
  nextAttemptAt?: Date | undefined;
  deliveredAt?: Date | undefined;
}

export const toDelivery = (delivery: WireDelivery): WebhookDelivery => ({
  id: delivery.id,
  type: delivery.type,
  data: delivery.data,
  status: delivery.status,
  attempts: delivery.attempts,
  responseStatus: delivery.response_status ?? undefined,
  error: delivery.error ?? undefined,
  createdAt: new Date(delivery.created_at),
  lastAttemptAt: optionalDate(delivery.last_attempt_at),
  nextAttemptAt: optionalDate(delivery.next_attempt_at),
  deliveredAt: optionalDate(delivery.delivered_at),
});

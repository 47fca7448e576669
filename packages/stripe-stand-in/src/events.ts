import Stripe from 'stripe';
import { newId, nowSec } from './ids.ts';

export type EventType = Stripe.Event['type'];
type EventData<Type extends EventType> = Extract<Stripe.Event, { type: Type }>['data'];

/** The request that caused an event; nulls when no API request did. */
export type Cause = { requestId: string | null; idempotencyKey: string | null };

export const NO_CAUSE: Cause = { requestId: null, idempotencyKey: null };

/** Records the new state of `object`; `previous` holds the old values of the changed fields. */
export type Emit = <Type extends EventType>(
  type: Type,
  object: EventData<Type>['object'],
  previous?: EventData<Type>['previous_attributes'],
) => void;

/** Builds an event with a copy of the object: later changes do not show in it. */
export function newEvent<Type extends EventType>(
  cause: Cause,
  pendingWebhooks: number,
  type: Type,
  object: EventData<Type>['object'],
  previous?: EventData<Type>['previous_attributes'],
): Stripe.EventBase {
  return {
    id: newId('evt'),
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: nowSec(),
    data: structuredClone({ object, ...(previous ? { previous_attributes: previous } : {}) }),
    livemode: false,
    pending_webhooks: pendingWebhooks,
    request: { id: cause.requestId, idempotency_key: cause.idempotencyKey },
    type,
  };
}

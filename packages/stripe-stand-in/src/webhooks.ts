import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import Stripe from 'stripe';
import { newId, nowSec } from './ids.ts';

const ATTEMPT_TIMEOUT_MS = 10_000;
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 30_000;

export type WebhookEndpoint = {
  url: string;
  /** `whsec_…`: each secret signs every delivery; two during a rotation. */
  secrets: readonly string[];
};

export type DeliverySettings = {
  /** True sends nothing before `flush` or `deliver`. */
  isHeld: boolean;
  /** Deliveries per event. */
  copies: number;
};

export type Attempt = {
  eventId: string;
  type: string;
  /** Null without a reply in time. */
  status: number | null;
};

/** Returns the `Stripe-Signature` of a delivery, which `webhooks.constructEvent` of the SDK verifies. */
export function signatureHeader(payload: string, secrets: readonly string[], timestampSec: number): string {
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${timestampSec}.${payload}`).digest('hex')}`,
  );
  return [`t=${timestampSec}`, ...signatures].join(',');
}

/** Builds an event with a copy of the object: later changes do not show in it. */
const newEvent = (type: Stripe.Event['type'], object: object): Stripe.EventBase => ({
  id: newId('evt'),
  object: 'event',
  api_version: Stripe.API_VERSION,
  created: nowSec(),
  data: { object: structuredClone(object) },
  livemode: false,
  pending_webhooks: 1,
  request: null,
  type,
});

/** Sends an event once. Resolves to null without a reply in time. */
async function send(
  event: Stripe.EventBase,
  { url, secrets }: WebhookEndpoint,
  closing: AbortSignal,
): Promise<number | null> {
  const body = JSON.stringify(event);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Stripe-Signature': signatureHeader(body, secrets, nowSec()),
  };
  try {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]);
    const reply = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await reply.body?.cancel();
    return reply.status;
  } catch {
    return null;
  }
}

/** Sends events to one endpoint, also several times. */
function openSender(initialEndpoint: WebhookEndpoint | undefined) {
  let endpoint = initialEndpoint;
  const attempts: Attempt[] = [];
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();

  async function attempt(event: Stripe.EventBase): Promise<Attempt> {
    const status = endpoint ? await send(event, endpoint, closing.signal) : null;
    const result = { eventId: event.id, type: event.type, status };
    attempts.push(result);
    return result;
  }

  async function persist(event: Stripe.EventBase, firstWaitMs: number): Promise<void> {
    let waitMs = firstWaitMs;
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)) {
      await delay(waitMs, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted || isAccepted(await attempt(event))) return;
      waitMs = retryMs;
    }
  }

  return {
    attempts,
    attempt,
    /** Sends until the endpoint returns 2xx, with growing delays. */
    start: (event: Stripe.EventBase, firstWaitMs = 0): void => {
      if (!endpoint) return;
      const task = persist(event, firstWaitMs).finally(() => underWay.delete(task));
      underWay.add(task);
    },
    setEndpoint: (next: WebhookEndpoint): void => {
      endpoint = next;
    },
    /** Resolves when no delivery is in flight: all events that are not held were accepted. */
    idle: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    close: async (): Promise<void> => {
      closing.abort();
      await Promise.all(underWay);
    },
  };
}

/** Events start immediately and can overtake each other; held events are sent one after another. */
export function openWebhooks(endpoint?: WebhookEndpoint) {
  let settings: DeliverySettings = { isHeld: false, copies: 1 };
  let held: Stripe.EventBase[] = [];
  const events: Stripe.EventBase[] = [];
  const { attempt, start, ...sender } = openSender(endpoint);

  async function deliver(chosen: readonly Stripe.EventBase[]): Promise<Attempt[]> {
    held = held.filter((event) => !chosen.includes(event));
    const results: Attempt[] = [];
    for (const event of chosen) results.push(await attempt(event));
    return results;
  }

  return {
    ...sender,
    /** Returns all events, oldest first. */
    events: () => structuredClone(events),
    emit: (type: Stripe.Event['type'], object: object): void => {
      const event = newEvent(type, object);
      events.push(event);
      if (settings.isHeld) held.push(event);
      else for (let copy = 0; copy < settings.copies; copy++) start(event);
    },
    setDelivery: (next: Partial<DeliverySettings>): void => {
      settings = { ...settings, ...next };
    },
    /** Sends these events again in this order, one after another, without retries. Throws for an unknown id. */
    deliver: (ids: readonly string[]): Promise<Attempt[]> =>
      deliver(
        ids.map((id) => {
          const event = events.find((known) => known.id === id);
          if (!event) throw new Error(`no event ${id}`);
          return event;
        }),
      ),
    /** Sends held events in random order, one after another, `copies` times each, with the usual retries. */
    flush: async (): Promise<Attempt[]> => {
      const order = held
        .flatMap((event) => Array.from({ length: settings.copies }, () => event))
        .map((event) => ({ event, rank: Math.random() }))
        .sort((one, other) => one.rank - other.rank)
        .map(({ event }) => event);
      const results = await deliver(order);
      for (const [index, event] of order.entries())
        if (!isAccepted(results[index] as Attempt)) start(event, FIRST_RETRY_MS);
      return results;
    },
  };
}

function isAccepted({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type Stripe from 'stripe';
import { nowSec } from './ids.ts';
import type { Store } from './state.ts';

const ATTEMPT_TIMEOUT_MS = 10_000;
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 30_000;
/** Stripe stops retrying after three days. */
const GIVE_UP_MS = 3 * 86_400_000;

export type WebhookEndpoint = {
  url: string;
  /** `whsec_…`: each secret signs every delivery; two during a rotation. */
  secrets: readonly string[];
};

export type DeliverySettings = {
  /** True sends nothing before `flush` or `deliver`. */
  isHeld: boolean;
  /** Milliseconds between an event and its first delivery. */
  delayMs: number;
  /** Deliveries per event. */
  copies: number;
};

export type Order = 'created' | 'reversed' | 'shuffled';

export type Attempt = {
  eventId: string;
  type: string;
  url: string;
  /** Null without a reply in time. */
  status: number | null;
};

export type Webhooks = ReturnType<typeof openWebhooks>;

/** Returns the `Stripe-Signature` of a delivery, which `webhooks.constructEvent` of the SDK verifies. */
export function signatureHeader(payload: string, secrets: readonly string[], timestampSec: number): string {
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${timestampSec}.${payload}`).digest('hex')}`,
  );
  return [`t=${timestampSec}`, ...signatures].join(',');
}

/**
 * Delivers events to every endpoint until it returns 2xx, with growing delays. Events start immediately and can
 * overtake each other; held events are sent one after another. Continues with undelivered events of an earlier run.
 */
export function openWebhooks({ state, save }: Store, initialEndpoints: readonly WebhookEndpoint[]) {
  let endpoints = initialEndpoints;
  let settings: DeliverySettings = { isHeld: false, delayMs: 0, copies: 1 };
  let held: string[] = [];
  const attempts: Attempt[] = [];
  const accepted = new Set<string>();
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();

  function findEvent(id: string): Stripe.EventBase {
    const event = state.events.get(id);
    if (!event) throw new Error(`no event ${id}`);
    return event;
  }

  async function attempt(event: Stripe.EventBase, { url, secrets }: WebhookEndpoint): Promise<Attempt> {
    const body = JSON.stringify(event, undefined, 2);
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'Stripe-Signature': signatureHeader(body, secrets, nowSec()),
      'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    };
    let status: number | null = null;
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]);
      const reply = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
      await reply.body?.cancel();
      status = reply.status;
    } catch {
      // No reply: `status` is null.
    }
    const result = { eventId: event.id, type: event.type, url, status };
    attempts.push(result);
    const delivery = `${event.id} ${url}`;
    if (isAccepted(result) && !accepted.has(delivery)) {
      accepted.add(delivery);
      event.pending_webhooks = Math.max(0, event.pending_webhooks - 1);
      void save();
    }
    return result;
  }

  async function persist(event: Stripe.EventBase, url: string, firstWaitMs: number): Promise<void> {
    const startMs = performance.now();
    let waitMs = firstWaitMs;
    let retryMs = FIRST_RETRY_MS;
    while (performance.now() - startMs < GIVE_UP_MS) {
      if (waitMs > 0) await delay(waitMs, undefined, { signal: closing.signal }).catch(() => {});
      // The endpoint may have been removed, or its secrets replaced.
      const endpoint = endpoints.find((candidate) => candidate.url === url);
      if (closing.signal.aborted || !endpoint) return;
      if (isAccepted(await attempt(event, endpoint))) return;
      waitMs = retryMs;
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    }
  }

  function start(event: Stripe.EventBase, url: string, firstWaitMs: number): void {
    const task = persist(event, url, firstWaitMs).finally(() => underWay.delete(task));
    underWay.add(task);
  }

  function accept(event: Stripe.EventBase): void {
    if (settings.isHeld) {
      held.push(event.id);
      return;
    }
    for (const { url } of endpoints)
      for (let copy = 0; copy < settings.copies; copy++) start(event, url, settings.delayMs);
  }

  async function deliver(ids: readonly string[]): Promise<Attempt[]> {
    const sent = new Set(ids);
    held = held.filter((id) => !sent.has(id));
    const results: Attempt[] = [];
    for (const event of ids.map(findEvent))
      for (const endpoint of endpoints) results.push(await attempt(event, endpoint));
    return results;
  }

  return {
    attempts,
    accept,
    /** Returns the ids of held events in the order of creation. */
    held: (): readonly string[] => held,
    endpoints: () => endpoints,
    setEndpoints: (next: readonly WebhookEndpoint[]): void => {
      endpoints = next;
    },
    setDelivery: (next: Partial<DeliverySettings>): void => {
      settings = { ...settings, ...next };
    },
    /**
     * Sends these events again in this order, one after another, to every endpoint, without retries. Throws for an
     * unknown id.
     */
    deliver,
    /** Sends held events one after another, `copies` times each, with the usual retries. */
    flush: async (order: Order = 'created'): Promise<Attempt[]> => {
      const results = await deliver(
        arrange(
          held.flatMap((id) => Array.from({ length: settings.copies }, () => id)),
          order,
        ),
      );
      for (const result of results)
        if (!isAccepted(result)) start(findEvent(result.eventId), result.url, FIRST_RETRY_MS);
      return results;
    },
    /** Resolves when no delivery is in flight: all events that are not held were accepted. */
    idle: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    resume: (): void => {
      for (const event of state.events.values()) if (event.pending_webhooks > 0) accept(event);
    },
    close: async (): Promise<void> => {
      closing.abort();
      await Promise.all(underWay);
    },
  };
}

function isAccepted({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

function arrange(ids: readonly string[], order: Order): string[] {
  if (order === 'created') return [...ids];
  if (order === 'reversed') return ids.toReversed();
  return ids
    .map((id) => ({ id, rank: Math.random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ id }) => id);
}

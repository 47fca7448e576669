import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type Stripe from 'stripe';
import { resourceMissing } from './errors.ts';

/** Stored objects reference each other by id; replies expand them. */
export type PaymentIntent = Stripe.PaymentIntent & {
  client_secret: string;
  customer: string | null;
  latest_charge: string | null;
  payment_method: string | null;
};
export type Charge = Stripe.Charge & {
  balance_transaction: string | null;
  payment_intent: string;
  payment_method: string;
};
export type Refund = Stripe.Refund & { charge: string; payment_intent: string };
export type Dispute = Stripe.Dispute & { charge: string; payment_intent: string };

/** The request of an idempotency key and its whole reply. */
export type IdempotencyRecord = {
  createdSec: number;
  path: string;
  params: unknown;
  requestId: string;
  status: number;
  body: object;
};

/** The stored objects, by id in the order of creation. */
export type State = {
  customers: Map<string, Stripe.Customer>;
  paymentMethods: Map<string, Stripe.PaymentMethod>;
  /** Card number per payment method. */
  cardNumbers: Map<string, string>;
  paymentIntents: Map<string, PaymentIntent>;
  charges: Map<string, Charge>;
  refunds: Map<string, Refund>;
  disputes: Map<string, Dispute>;
  balanceTransactions: Map<string, Stripe.BalanceTransaction>;
  events: Map<string, Stripe.EventBase>;
  idempotency: Map<string, IdempotencyRecord>;
};

export type Store = {
  state: State;
  /** Resolves when the current `state` is in the file; immediately without a file. */
  save: () => Promise<void>;
};

/** Opens the state, from `file` when given. Throws when the file has another content. */
export function openStore(file?: string): Store {
  const state: State = {
    customers: new Map(),
    paymentMethods: new Map(),
    cardNumbers: new Map(),
    paymentIntents: new Map(),
    charges: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    balanceTransactions: new Map(),
    events: new Map(),
    idempotency: new Map(),
  };
  if (file === undefined) return { state, save: async () => {} };
  if (existsSync(file)) {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, never>>;
    for (const [name, map] of Object.entries(state))
      for (const [id, object] of Object.entries(kept[name] ?? {})) map.set(id, object);
  }
  const write = async (): Promise<void> => {
    const text = JSON.stringify(state, (_key, value) =>
      value instanceof Map ? Object.fromEntries(value) : value,
    );
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}.new`, text, { flush: true, mode: 0o600 });
    await rename(`${file}.new`, file);
  };
  let writing: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const save = (): Promise<void> => {
    // Callers during a write share the next write.
    next ??= writing
      .catch(() => {})
      .then(() => {
        next = undefined;
        writing = write();
        return writing;
      });
    return next;
  };
  return { state, save };
}

/** Returns the object with an id of the path. Throws a 404 when there is none. */
export function find<Kept>(objects: ReadonlyMap<string, Kept>, noun: string, id: string): Kept {
  const object = objects.get(id);
  if (!object) throw resourceMissing(noun, id);
  return object;
}

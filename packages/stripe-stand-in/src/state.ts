import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type Stripe from 'stripe';
import { type ErrorBody, resourceMissing } from './errors.ts';

// The fields that the product reads, with the types of Stripe. Objects name each other by id.
export type Customer = Pick<Stripe.Customer, 'id' | 'object' | 'created' | 'metadata'>;
export type PaymentIntent = Pick<
  Stripe.PaymentIntent,
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_received'
  | 'created'
  | 'currency'
  | 'metadata'
  | 'next_action'
  | 'status'
> & {
  client_secret: string;
  customer: string | null;
  latest_charge: string | null;
  last_payment_error: ErrorBody | null;
  payment_method: string | null;
};
export type PaymentMethod = Pick<Stripe.PaymentMethod, 'id' | 'object' | 'created' | 'type'> & {
  /** Null before it is attached, and once it was detached. */
  customer: string | null;
  card: Pick<Stripe.PaymentMethod.Card, 'brand' | 'exp_month' | 'exp_year' | 'last4'>;
};
export type SetupIntent = Pick<
  Stripe.SetupIntent,
  'id' | 'object' | 'created' | 'metadata' | 'next_action' | 'status' | 'usage'
> & {
  client_secret: string;
  customer: string;
  last_setup_error: ErrorBody | null;
  payment_method: string | null;
};
export type Refund = Pick<Stripe.Refund, 'id' | 'object' | 'amount' | 'created' | 'currency' | 'status'> & {
  payment_intent: string;
};
export type Dispute = Pick<
  Stripe.Dispute,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'is_charge_refundable' | 'status'
> & {
  payment_intent: string;
  balance_transactions: Pick<Stripe.BalanceTransaction, 'id' | 'object' | 'amount' | 'currency'>[];
};

/** The request of an idempotency key and its whole reply. */
type IdempotencyRecord = { path: string; params: unknown; status: number; body: object };

/** The stored objects, by id in the order of creation. */
export type State = {
  customers: Map<string, Customer>;
  paymentIntents: Map<string, PaymentIntent>;
  paymentMethods: Map<string, PaymentMethod>;
  setupIntents: Map<string, SetupIntent>;
  refunds: Map<string, Refund>;
  disputes: Map<string, Dispute>;
  idempotency: Map<string, IdempotencyRecord>;
};

/** The dependencies of the operations. */
export type Backend = {
  state: State;
  /** Records and delivers an event with a copy of the object: later changes do not show in it. */
  emit: (type: Stripe.Event['type'], object: object) => void;
  /** Returns `http://host:port` of the stand-in. */
  url: () => string;
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
    paymentIntents: new Map(),
    paymentMethods: new Map(),
    setupIntents: new Map(),
    refunds: new Map(),
    disputes: new Map(),
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

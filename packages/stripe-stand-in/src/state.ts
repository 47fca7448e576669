import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type Stripe from 'stripe';
import { resourceMissing } from './errors.ts';

/** References between stored objects are ids; expanding them is the reply's affair. */
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

/** What a key was used for, and the whole reply. */
export type IdempotencyRecord = {
  createdSec: number;
  path: string;
  params: unknown;
  requestId: string;
  status: number;
  body: object;
};

/** Everything that is kept, by id in the order of creation. */
export type State = {
  customers: Map<string, Stripe.Customer>;
  paymentMethods: Map<string, Stripe.PaymentMethod>;
  /** Number of the card of each payment method. */
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
  /** Resolves when what is in `state` now is in the file; at once when there is none. */
  save: () => Promise<void>;
};

/** With a `file`, continues from what it holds. Throws when that is no state. */
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
    // All who ask during a write share the one after it.
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

/** Throws a 404: an id in a path is of nothing. */
export function find<Kept>(objects: ReadonlyMap<string, Kept>, noun: string, id: string): Kept {
  const object = objects.get(id);
  if (!object) throw resourceMissing(noun, id);
  return object;
}

/** Renders stored objects as replies: pages of lists, expanded references, the fields for payers. */
import type Stripe from 'stripe';
import { invalidParameter, resourceMissing } from './errors.ts';
import type { ListParams } from './params.ts';
import type { State } from './state.ts';

const MAX_EXPAND_DEPTH = 4;

/** The fields per kind of object that `expand` replaces by the referenced objects. */
const EXPANDABLE: Record<string, readonly string[]> = {
  list: ['data'],
  payment_intent: ['customer', 'latest_charge', 'payment_method'],
  charge: ['balance_transaction', 'customer', 'payment_intent', 'refunds'],
  refund: [
    'balance_transaction',
    'charge',
    'customer',
    'failure_balance_transaction',
    'payment_intent',
    'payment_method',
  ],
  dispute: ['charge', 'payment_intent'],
  balance_transaction: ['source'],
  payment_method: ['customer'],
};

export type Listed = { id: string; created: number };

/** Returns the requested page of `objects` (oldest first), newest first. */
export function paginate<Item extends Listed>(
  objects: Iterable<Item>,
  url: string,
  { created, limit, starting_after: after, ending_before: before, expand: _, ...filters }: ListParams,
): Stripe.ApiList<Item> {
  const wanted = Object.entries(filters).filter(([, value]) => value !== undefined);
  const all = [...objects]
    .reverse()
    .filter(
      (object) =>
        wanted.every(([field, value]) => (object as Record<string, unknown>)[field] === value) &&
        object.created > (created && 'gt' in created ? (created.gt ?? -1) : -1) &&
        object.created >= (created?.gte ?? 0) &&
        object.created < (created && 'lt' in created ? (created.lt ?? Infinity) : Infinity) &&
        object.created <= (created?.lte ?? Infinity),
    );
  const findIndex = (id: string, param: string): number => {
    const index = all.findIndex((object) => object.id === id);
    if (index === -1) throw resourceMissing('object', id, param);
    return index;
  };
  if (before !== undefined) {
    const end = findIndex(before, 'ending_before');
    const start = Math.max(0, end - limit);
    return { object: 'list', data: all.slice(start, end), has_more: start > 0, url };
  }
  const start = after === undefined ? 0 : findIndex(after, 'starting_after') + 1;
  const end = start + limit;
  return { object: 'list', data: all.slice(start, end), has_more: end < all.length, url };
}

/** Returns a copy of `reply` with the references at `paths` replaced by objects. Throws a 400 for other fields. */
export function expand(state: State, reply: object, paths: readonly string[] = []): object {
  const copy = structuredClone(reply);
  for (const path of paths) {
    const fields = path.split('.');
    const levels = fields[0] === 'data' ? fields.length - 1 : fields.length;
    if (levels > MAX_EXPAND_DEPTH)
      throw invalidParameter(`You cannot expand more than ${MAX_EXPAND_DEPTH} levels of a property.`, {
        param: 'expand',
      });
    expandField(state, copy, fields);
  }
  return copy;
}

function expandField(state: State, target: unknown, [field = '', ...rest]: readonly string[]): void {
  const object = target as { object: string; id: string } & Record<string, unknown>;
  if (!EXPANDABLE[object.object]?.includes(field))
    throw invalidParameter(`This property cannot be expanded (${field}).`, { param: 'expand' });
  const value = object[field];
  if (field === 'refunds') object[field] = listRefunds(state, object.id);
  else if (typeof value === 'string') object[field] = structuredClone(find(state, value));
  if (rest.length === 0) return;
  const expanded = object[field];
  for (const item of Array.isArray(expanded) ? expanded : [expanded])
    if (typeof item === 'object' && item !== null) expandField(state, item, rest);
}

function listRefunds({ refunds }: State, chargeId: string): object {
  const data = [...refunds.values()].filter(({ charge }) => charge === chargeId).reverse();
  const url = `/v1/charges/${chargeId}/refunds`;
  return { object: 'list', data: structuredClone(data.slice(0, 10)), has_more: data.length > 10, url };
}

function find(state: State, id: string): object | undefined {
  const maps = [
    state.customers,
    state.paymentMethods,
    state.paymentIntents,
    state.charges,
    state.refunds,
    state.disputes,
    state.balanceTransactions,
  ];
  return maps.map((map) => map.get(id)).find((object) => object !== undefined);
}

/** The fields of a payment intent that a publishable key can read. */
const PAYER_FIELDS = [
  'id',
  'object',
  'amount',
  'amount_details',
  'automatic_payment_methods',
  'canceled_at',
  'cancellation_reason',
  'capture_method',
  'client_secret',
  'confirmation_method',
  'created',
  'currency',
  'description',
  'last_payment_error',
  'livemode',
  'next_action',
  'payment_method',
  'payment_method_configuration_details',
  'payment_method_types',
  'processing',
  'receipt_email',
  'setup_future_usage',
  'shipping',
  'source',
  'status',
] as const satisfies readonly (keyof Stripe.PaymentIntent)[];

export function payersView(intent: object): object {
  const shown: ReadonlySet<string> = new Set(PAYER_FIELDS);
  return Object.fromEntries(Object.entries(intent).filter(([field]) => shown.has(field)));
}

/** The implemented part of Stripe's API, as a table. */
import type { z } from 'zod';
import type { Backend } from './backend.ts';
import { closeDispute, updateDispute } from './disputes.ts';
import { resourceMissing } from './errors.ts';
import { newCustomer } from './objects.ts';
import * as schemas from './params.ts';
import { cancelIntent, confirmIntent, createIntent } from './payments.ts';
import { createRefund } from './refunds.ts';
import { type Listed, paginate } from './replies.ts';
import { find, type PaymentIntent, type State } from './state.ts';

export type Route = {
  method: 'get' | 'post';
  path: string;
  /** True when payers can call it with the publishable key and the client secret of the intent. */
  isForPayers: boolean;
  /** Parses the parameters. Throws the 400 of an invalid one, before any effect. */
  read: (params: unknown) => { expand?: string[] | undefined };
  /** Executes the request and returns the object of the reply. */
  run: (backend: Backend, params: unknown, id: string) => object;
};

function route<Schema extends z.ZodType<{ expand?: string[] | undefined }>>(
  method: Route['method'],
  path: string,
  schema: Schema,
  run: (backend: Backend, params: z.output<Schema>, id: string) => object,
  isForPayers = false,
): Route {
  return {
    method,
    path,
    isForPayers,
    read: (params) => schemas.readParams(schema, params),
    run: (backend, params, id) => run(backend, schemas.readParams(schema, params), id),
  };
}

function retrieve(
  path: string,
  noun: string,
  objectsOf: (state: State) => ReadonlyMap<string, object>,
): Route {
  return route('get', path, schemas.noParams, ({ state }, _params, id) => find(objectsOf(state), noun, id));
}

function findIntent({ state }: Backend, id: string, clientSecret?: string): PaymentIntent {
  const intent = find(state.paymentIntents, 'payment_intent', id);
  // The secret of another intent matches nothing.
  if (clientSecret !== undefined && clientSecret !== intent.client_secret)
    throw resourceMissing('payment_intent', id);
  return intent;
}

/** Lists what belongs to a charge or payment intent, which must exist. */
function listOfCharge<Item extends Listed>(
  state: State,
  objects: Iterable<Item>,
  url: string,
  params: z.output<typeof schemas.listOfCharge>,
) {
  if (params.charge !== undefined) find(state.charges, 'charge', params.charge);
  if (params.payment_intent !== undefined)
    find(state.paymentIntents, 'payment_intent', params.payment_intent);
  return paginate(objects, url, params);
}

export const routes: readonly Route[] = [
  route(
    'post',
    '/v1/customers',
    schemas.createCustomer,
    ({ state, emit }, { expand: _, metadata, ...given }) => {
      const customer = newCustomer({ ...given, metadata: metadata ?? {} });
      state.customers.set(customer.id, customer);
      emit('customer.created', customer);
      return customer;
    },
  ),
  retrieve('/v1/customers/:id', 'customer', (state) => state.customers),
  route('get', '/v1/customers', schemas.listCustomers, ({ state }, params) =>
    paginate(state.customers.values(), '/v1/customers', params),
  ),

  route('post', '/v1/payment_intents', schemas.createIntent, createIntent),
  route(
    'get',
    '/v1/payment_intents/:id',
    schemas.retrieveIntent,
    (backend, params, id) => findIntent(backend, id, params.client_secret),
    true,
  ),
  route('get', '/v1/payment_intents', schemas.listIntents, ({ state }, params) =>
    paginate(state.paymentIntents.values(), '/v1/payment_intents', params),
  ),
  route(
    'post',
    '/v1/payment_intents/:id/confirm',
    schemas.confirmIntent,
    (backend, params, id) => confirmIntent(backend, findIntent(backend, id, params.client_secret), params),
    true,
  ),
  route('post', '/v1/payment_intents/:id/cancel', schemas.cancelIntent, (backend, params, id) =>
    cancelIntent(backend, findIntent(backend, id), params.cancellation_reason ?? null),
  ),

  retrieve('/v1/charges/:id', 'charge', (state) => state.charges),
  route('get', '/v1/charges', schemas.listCharges, ({ state }, params) =>
    paginate(state.charges.values(), '/v1/charges', params),
  ),

  route('post', '/v1/refunds', schemas.createRefund, createRefund),
  retrieve('/v1/refunds/:id', 'refund', (state) => state.refunds),
  route('get', '/v1/refunds', schemas.listOfCharge, ({ state }, params) =>
    listOfCharge(state, state.refunds.values(), '/v1/refunds', params),
  ),

  retrieve('/v1/disputes/:id', 'dispute', (state) => state.disputes),
  route('get', '/v1/disputes', schemas.listOfCharge, ({ state }, params) =>
    listOfCharge(state, state.disputes.values(), '/v1/disputes', params),
  ),
  route('post', '/v1/disputes/:id', schemas.updateDispute, (backend, params, id) =>
    updateDispute(backend, find(backend.state.disputes, 'dispute', id), params),
  ),
  route('post', '/v1/disputes/:id/close', schemas.noParams, (backend, _params, id) =>
    closeDispute(backend, find(backend.state.disputes, 'dispute', id)),
  ),

  retrieve('/v1/payment_methods/:id', 'PaymentMethod', (state) => state.paymentMethods),
  retrieve('/v1/balance_transactions/:id', 'balance transaction', (state) => state.balanceTransactions),
  route('get', '/v1/balance_transactions', schemas.listBalanceTransactions, ({ state }, params) =>
    paginate(state.balanceTransactions.values(), '/v1/balance_transactions', params),
  ),

  retrieve('/v1/events/:id', 'event', (state) => state.events),
  route('get', '/v1/events', schemas.listEvents, ({ state }, { types, ...params }) =>
    paginate(
      [...state.events.values()].filter(({ type }) => types?.includes(type) ?? true),
      '/v1/events',
      params,
    ),
  ),
];

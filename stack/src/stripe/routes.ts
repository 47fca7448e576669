/** The part of Stripe's API that is here, as a table. */
import type { z } from 'zod';
import { closeDispute, updateDispute } from './disputes.ts';
import { resourceMissing } from './errors.ts';
import { newCustomer } from './objects.ts';
import * as schemas from './params.ts';
import { cancelIntent, confirmIntent, createIntent, type Desk } from './payments.ts';
import { createRefund } from './refunds.ts';
import { pageOf } from './replies.ts';
import { find, type PaymentIntent, type State } from './state.ts';

export type Route = {
  method: 'get' | 'post';
  path: string;
  /** Payers may call it with the publishable key and the client secret of the intent. */
  isForPayers: boolean;
  /** Throws the 400 of a wrong parameter, before anything happens. */
  read: (params: unknown) => { expand?: string[] | undefined };
  /** All of the effect, and the object that is the reply. */
  run: (desk: Desk, params: unknown, id: string) => object;
};

function route<Schema extends z.ZodType<{ expand?: string[] | undefined }>>(
  method: Route['method'],
  path: string,
  schema: Schema,
  run: (desk: Desk, params: z.output<Schema>, id: string) => object,
  isForPayers = false,
): Route {
  return {
    method,
    path,
    isForPayers,
    read: (params) => schemas.readParams(schema, params),
    run: (desk, params, id) => run(desk, schemas.readParams(schema, params), id),
  };
}

function retrieve(
  path: string,
  noun: string,
  objectsOf: (state: State) => ReadonlyMap<string, object>,
): Route {
  return route('get', path, schemas.noParams, ({ state }, _params, id) => find(objectsOf(state), noun, id));
}

function intentOf({ state }: Desk, id: string, clientSecret?: string): PaymentIntent {
  const intent = find(state.paymentIntents, 'payment_intent', id);
  // A secret of another intent finds nothing.
  if (clientSecret !== undefined && clientSecret !== intent.client_secret)
    throw resourceMissing('payment_intent', id);
  return intent;
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
    pageOf(state.customers.values(), '/v1/customers', params),
  ),

  route('post', '/v1/payment_intents', schemas.createIntent, createIntent),
  route(
    'get',
    '/v1/payment_intents/:id',
    schemas.retrieveIntent,
    (desk, params, id) => intentOf(desk, id, params.client_secret),
    true,
  ),
  route('get', '/v1/payment_intents', schemas.listIntents, ({ state }, params) =>
    pageOf(state.paymentIntents.values(), '/v1/payment_intents', params),
  ),
  route(
    'post',
    '/v1/payment_intents/:id/confirm',
    schemas.confirmIntent,
    (desk, params, id) => confirmIntent(desk, intentOf(desk, id, params.client_secret), params),
    true,
  ),
  route('post', '/v1/payment_intents/:id/cancel', schemas.cancelIntent, (desk, params, id) =>
    cancelIntent(desk, intentOf(desk, id), params.cancellation_reason ?? null),
  ),

  retrieve('/v1/charges/:id', 'charge', (state) => state.charges),
  route('get', '/v1/charges', schemas.listCharges, ({ state }, params) =>
    pageOf(state.charges.values(), '/v1/charges', params),
  ),

  route('post', '/v1/refunds', schemas.createRefund, createRefund),
  retrieve('/v1/refunds/:id', 'refund', (state) => state.refunds),
  route('get', '/v1/refunds', schemas.listOfCharge, ({ state }, params) =>
    pageOf(state.refunds.values(), '/v1/refunds', params),
  ),

  retrieve('/v1/disputes/:id', 'dispute', (state) => state.disputes),
  route('get', '/v1/disputes', schemas.listOfCharge, ({ state }, params) =>
    pageOf(state.disputes.values(), '/v1/disputes', params),
  ),
  route('post', '/v1/disputes/:id', schemas.updateDispute, (desk, params, id) =>
    updateDispute(desk, find(desk.state.disputes, 'dispute', id), params),
  ),
  route('post', '/v1/disputes/:id/close', schemas.noParams, (desk, _params, id) =>
    closeDispute(desk, find(desk.state.disputes, 'dispute', id)),
  ),

  retrieve('/v1/payment_methods/:id', 'PaymentMethod', (state) => state.paymentMethods),
  retrieve('/v1/balance_transactions/:id', 'balance transaction', (state) => state.balanceTransactions),
  route('get', '/v1/balance_transactions', schemas.listBalanceTransactions, ({ state }, params) =>
    pageOf(state.balanceTransactions.values(), '/v1/balance_transactions', params),
  ),

  retrieve('/v1/events/:id', 'event', (state) => state.events),
  route('get', '/v1/events', schemas.listEvents, ({ state }, { types, ...params }) =>
    pageOf(
      [...state.events.values()].filter(({ type }) => types?.includes(type) ?? true),
      '/v1/events',
      params,
    ),
  ),
];

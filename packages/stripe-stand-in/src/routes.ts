/** The part of Stripe's API that the product and its tests call, as a table. */
import type { z } from 'zod';
import { resourceMissing } from './errors.ts';
import { newId, nowSec } from './ids.ts';
import * as schemas from './params.ts';
import { cancelIntent, confirmIntent, createIntent, findCharge } from './payments.ts';
import { createRefund } from './refunds.ts';
import { confirmSetupIntent, createSetupIntent, detachMethod } from './setups.ts';
import { type Backend, type Customer, find, type State } from './state.ts';

export type Route = {
  method: 'get' | 'post';
  path: string;
  /** True when payers can call it with the publishable key and the client secret of the intent. */
  isForPayers: boolean;
  /**
   * Parses the parameters, and returns the function that executes the request and returns the object of the reply.
   * Throws the 400 of an invalid parameter.
   */
  prepare: (params: unknown, id: string) => (backend: Backend) => object;
};

function route<Schema extends z.ZodType>(
  method: Route['method'],
  path: string,
  schema: Schema,
  run: (backend: Backend, params: z.output<Schema>, id: string) => object,
  isForPayers = false,
): Route {
  const prepare: Route['prepare'] = (input, id) => {
    const params = schemas.readParams(schema, input);
    return (backend) => run(backend, params, id);
  };
  return { method, path, isForPayers, prepare };
}

function retrieve(
  path: string,
  noun: string,
  objectsOf: (state: State) => ReadonlyMap<string, object>,
): Route {
  return route('get', path, schemas.noParams, ({ state }, _params, id) => find(objectsOf(state), noun, id));
}

/** Returns the requested page, newest first. */
function paginate<Item extends { id: string; created: number }>(
  objects: ReadonlyMap<string, Item>,
  { created, limit, starting_after: after, ...filters }: schemas.ListParams,
) {
  const all = [...objects.values()]
    .reverse()
    .filter(
      (object) =>
        object.created >= (created?.gte ?? 0) &&
        Object.entries(filters).every(([field, value]) => object[field as keyof Item] === value),
    );
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  return { object: 'list', data: all.slice(start, start + limit), has_more: start + limit < all.length };
}

/** Lists what belongs to a payment intent, which must exist. */
const listOfPayment = (path: string, objectsOf: (state: State) => Parameters<typeof paginate>[0]): Route =>
  route('get', path, schemas.listOfPayment, ({ state }, params) => {
    if (params.payment_intent !== undefined)
      find(state.paymentIntents, 'payment_intent', params.payment_intent);
    return paginate(objectsOf(state), params);
  });

function createCustomer({ state }: Backend, { metadata }: z.output<typeof schemas.createCustomer>): Customer {
  const customer: Customer = { id: newId('cus'), object: 'customer', created: nowSec(), metadata };
  state.customers.set(customer.id, customer);
  return customer;
}

function findOfPayer<Intent extends { client_secret: string }>(
  intents: ReadonlyMap<string, Intent>,
  noun: string,
  id: string,
  clientSecret?: string,
): Intent {
  const intent = find(intents, noun, id);
  // The secret of another intent matches nothing.
  if (clientSecret !== undefined && clientSecret !== intent.client_secret) throw resourceMissing(noun, id);
  return intent;
}

const findIntent = ({ state }: Backend, id: string, clientSecret?: string) =>
  findOfPayer(state.paymentIntents, 'payment_intent', id, clientSecret);
const findSetup = ({ state }: Backend, id: string, clientSecret?: string) =>
  findOfPayer(state.setupIntents, 'setup_intent', id, clientSecret);

export const routes: readonly Route[] = [
  route('post', '/v1/customers', schemas.createCustomer, createCustomer),
  retrieve('/v1/customers/:id', 'customer', (state) => state.customers),
  route('get', '/v1/customers', schemas.listCustomers, ({ state }, params) =>
    paginate(state.customers, params),
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
    paginate(state.paymentIntents, params),
  ),
  route(
    'post',
    '/v1/payment_intents/:id/confirm',
    schemas.confirmIntent,
    (backend, params, id) => confirmIntent(backend, findIntent(backend, id, params.client_secret), params),
    true,
  ),
  route('post', '/v1/payment_intents/:id/cancel', schemas.noParams, (backend, _params, id) =>
    cancelIntent(backend, findIntent(backend, id)),
  ),
  route('post', '/v1/setup_intents', schemas.createSetupIntent, createSetupIntent),
  route(
    'get',
    '/v1/setup_intents/:id',
    schemas.retrieveIntent,
    (backend, params, id) => findSetup(backend, id, params.client_secret),
    true,
  ),
  route(
    'post',
    '/v1/setup_intents/:id/confirm',
    schemas.confirmIntent,
    (backend, params, id) =>
      confirmSetupIntent(backend, findSetup(backend, id, params.client_secret), params),
    true,
  ),
  retrieve('/v1/payment_methods/:id', 'payment_method', (state) => state.paymentMethods),
  route('post', '/v1/payment_methods/:id/detach', schemas.noParams, (backend, _params, id) =>
    detachMethod(backend, find(backend.state.paymentMethods, 'payment_method', id)),
  ),
  route('get', '/v1/charges/:id', schemas.noParams, (backend, _params, id) => findCharge(backend, id)),
  route('post', '/v1/refunds', schemas.createRefund, createRefund),
  retrieve('/v1/refunds/:id', 'refund', (state) => state.refunds),
  listOfPayment('/v1/refunds', (state) => state.refunds),
  retrieve('/v1/disputes/:id', 'dispute', (state) => state.disputes),
  listOfPayment('/v1/disputes', (state) => state.disputes),
];

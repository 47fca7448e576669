import { expect, test } from 'vitest';
import fixtures from './fixtures.json' with { type: 'json' };
import { startWithSdk } from './testing.ts';

type Json = { [name: string]: unknown };
type Resource = keyof typeof fixtures.resources;

/**
 * Fields that may be null in a reply although the example has a value: the SDK's types allow it, and tsc checks the
 * builders.
 */
const NULLABLE = new Set([
  'payment_intent.automatic_payment_methods',
  'payment_intent.canceled_at',
  'payment_intent.last_payment_error',
  'payment_intent.managed_payments',
  'payment_intent.next_action',
  'payment_intent.payment_method_configuration_details',
  'payment_intent.processing',
  'payment_intent.shipping',
  'payment_intent.transfer_data',
  'customer.address',
  'customer.currency',
  'customer.discount',
  'customer.invoice_settings.rendering_options',
  'customer.shipping',
  'charge.balance_transaction',
  'charge.billing_details.name',
  'charge.description',
  'charge.payment_method_details.card.checks.cvc_check',
  'charge.payment_method_details.card.installments',
  'charge.payment_method_details.card.three_d_secure',
  'charge.payment_method_details.card.wallet',
  'charge.receipt_url',
  'charge.refunds',
  'charge.shipping',
  'charge.source',
  'charge.transfer_data',
  'balance_transaction.description',
  'payment_method.billing_details.email',
  'payment_method.billing_details.phone',
  ...['city', 'country', 'line1', 'postal_code', 'state'].map(
    (field) => `payment_method.billing_details.address.${field}`,
  ),
  'payment_method.card.checks.cvc_check',
  'payment_method.card.generated_from',
  'payment_method.card.wallet',
]);

function describeType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Returns the paths of the example that `value` lacks, or where its type differs. */
function differences(path: string, example: unknown, value: unknown): string[] {
  if (value === undefined) return [`${path} is missing`];
  if (example === null) return [];
  if (value === null) return NULLABLE.has(path) ? [] : [`${path} is null`];
  if (describeType(example) !== describeType(value))
    return [`${path} is ${describeType(value)} instead of ${describeType(example)}`];
  if (describeType(example) !== 'object' || path.endsWith('.metadata')) return [];
  return Object.entries(example as Json).flatMap(([name, child]) =>
    differences(`${path}.${name}`, child, (value as Json)[name]),
  );
}

function check(resource: Resource, reply: object): void {
  const example: Json = { ...fixtures.resources[resource] };
  // The object of an event is another resource.
  if (resource === 'event') example.data = { object: {} };
  expect(differences(resource, example, reply)).toEqual([]);
  expect(reply).toMatchObject({ object: resource });
}

test('reports a missing field, a null and another type as differences', () => {
  expect(differences('refund', { amount: 1 }, {})).toEqual(['refund.amount is missing']);
  expect(differences('refund', { amount: 1 }, { amount: null })).toEqual(['refund.amount is null']);
  expect(differences('refund', { amount: 1 }, { amount: '1' })).toEqual([
    'refund.amount is string instead of number',
  ]);
  expect(differences('charge', { outcome: { type: 'x' } }, { outcome: {} })).toEqual([
    'charge.outcome.type is missing',
  ]);
});

test('every reply has every field of the published example of its resource', async () => {
  await using stripe = await startWithSdk();
  const { sdk, standIn } = stripe;
  check('customer', await sdk.customers.create({ metadata: { user: '1' } }));
  const created = await sdk.paymentIntents.create({ amount: 1099, currency: 'usd' });
  check('payment_intent', created);
  check('payment_intent', await sdk.paymentIntents.cancel(created.id));
  const three = await stripe.pay('pm_card_authenticationRequired');
  check('payment_intent', three);
  check('payment_intent', await standIn.authenticate(three.id, true));
  await stripe.pay('pm_card_chargeDeclined').catch(() => {});
  const paid = await stripe.pay('pm_card_createDispute');
  const refunded = await stripe.pay('pm_card_pendingRefund');
  const refund = await sdk.refunds.create({ payment_intent: refunded.id, amount: 100 });
  check('refund', refund);
  check('refund', await standIn.failRefund(refund.id));
  await stripe.pay('pm_card_createDisputeInquiry');
  const disputes = await sdk.disputes.list({ payment_intent: paid.id });
  check('dispute', await sdk.disputes.close(disputes.data[0]?.id ?? ''));

  const lists: Record<Exclude<Resource, 'payment_method'>, Promise<{ data: object[] }>> = {
    payment_intent: sdk.paymentIntents.list({ limit: 100 }),
    customer: sdk.customers.list(),
    refund: sdk.refunds.list(),
    dispute: sdk.disputes.list(),
    event: sdk.events.list({ limit: 100 }),
    charge: sdk.charges.list({ expand: ['data.refunds'] }),
    balance_transaction: sdk.balanceTransactions.list(),
  };
  for (const [resource, list] of Object.entries(lists)) {
    const { data } = await list;
    expect(data.length, resource).toBeGreaterThan(0);
    for (const object of data) check(resource as Resource, object);
  }
  check('payment_method', await sdk.paymentMethods.retrieve(String(paid.payment_method)));
  const objects = standIn.events().map(({ data }) => data.object as { object: Resource });
  for (const object of objects) check(object.object, object);
  expect(new Set(objects.map(({ object }) => object))).toEqual(
    new Set(['customer', 'payment_intent', 'charge', 'refund', 'dispute']),
  );
});

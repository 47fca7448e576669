/** Parameters of the API. All values arrive as text of a form; unknown parameters are refused. */
import { z } from 'zod';
import { invalidParameter } from './errors.ts';

const integer = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number);
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const text = z.string().min(1).max(5_000);
/** A key with an empty value is dropped, as by Stripe. */
const metadata = z
  .record(z.string().max(40), z.string().max(500))
  .refine((record) => Object.keys(record).length <= 50)
  .or(z.literal('').transform(() => ({})))
  .transform((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== '')));
const expand = z.array(text).exactOptional();
const currencies: ReadonlySet<string> = new Set(
  Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()),
);
const currency = z
  .string()
  .toLowerCase()
  .refine((code) => currencies.has(code));

const address = z.partialRecord(z.enum(['city', 'country', 'line1', 'line2', 'postal_code', 'state']), text);
const paymentMethodData = z.strictObject({
  type: z.literal('card'),
  card: z.strictObject({
    number: text,
    exp_month: integer.exactOptional(),
    exp_year: integer.exactOptional(),
    cvc: text.exactOptional(),
  }),
  billing_details: z
    .strictObject({
      address: address.exactOptional(),
      email: text.exactOptional(),
      name: text.exactOptional(),
      phone: text.exactOptional(),
    })
    .exactOptional(),
});

const ofCard = {
  payment_method: text.exactOptional(),
  payment_method_data: paymentMethodData.exactOptional(),
};

export const createCustomer = z.strictObject({
  expand,
  description: text.exactOptional(),
  email: text.exactOptional(),
  name: text.exactOptional(),
  phone: text.exactOptional(),
  metadata: metadata.exactOptional(),
});

export const createIntent = z.strictObject({
  ...ofCard,
  expand,
  amount: integer,
  currency,
  automatic_payment_methods: z
    .strictObject({ enabled: flag, allow_redirects: z.enum(['always', 'never']).exactOptional() })
    .exactOptional(),
  payment_method_types: z.array(z.enum(['card', 'link'])).exactOptional(),
  customer: text.exactOptional(),
  description: text.exactOptional(),
  metadata: metadata.default({}),
  receipt_email: text.exactOptional(),
  setup_future_usage: z.enum(['off_session', 'on_session']).exactOptional(),
  statement_descriptor: text.exactOptional(),
  statement_descriptor_suffix: text.exactOptional(),
  confirm: flag.exactOptional(),
  off_session: flag.exactOptional(),
  return_url: text.exactOptional(),
});

export const confirmIntent = z.strictObject({
  ...ofCard,
  expand,
  client_secret: text.exactOptional(),
  off_session: flag.exactOptional(),
  return_url: text.exactOptional(),
});

export const cancelIntent = z.strictObject({
  expand,
  cancellation_reason: z
    .enum(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'])
    .exactOptional(),
});

export const createRefund = z.strictObject({
  expand,
  amount: integer.exactOptional(),
  charge: text.exactOptional(),
  payment_intent: text.exactOptional(),
  metadata: metadata.exactOptional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).exactOptional(),
});

const evidence = z.enum([
  'access_activity_log',
  'billing_address',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'duplicate_charge_explanation',
  'duplicate_charge_id',
  'product_description',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_tracking_number',
  'uncategorized_text',
]);

export const updateDispute = z.strictObject({
  expand,
  evidence: z.partialRecord(evidence, z.string().max(20_000)).exactOptional(),
  metadata: metadata.exactOptional(),
  submit: flag.exactOptional(),
});

export const noParams = z.strictObject({ expand });
/** `client_secret` of a payer, who reads an intent with the publishable key. */
export const retrieveIntent = z.strictObject({ expand, client_secret: text.exactOptional() });

const created = integer
  .transform((sec) => ({ gte: sec, lte: sec }))
  .or(z.strictObject({ gt: integer, gte: integer, lt: integer, lte: integer }).partial());

const ofList = {
  expand,
  created: created.exactOptional(),
  limit: integer.refine((limit) => limit >= 1 && limit <= 100).default(10),
  starting_after: text.exactOptional(),
  ending_before: text.exactOptional(),
};

const filter = text.exactOptional();
export const listCustomers = z.strictObject({ ...ofList, email: filter });
export const listIntents = z.strictObject({ ...ofList, customer: filter });
export const listCharges = z.strictObject({ ...ofList, customer: filter, payment_intent: filter });
export const listOfCharge = z.strictObject({ ...ofList, charge: filter, payment_intent: filter });
export const listBalanceTransactions = z.strictObject({ ...ofList, source: filter, type: filter });
export const listEvents = z.strictObject({
  ...ofList,
  type: filter,
  types: z.array(text).max(20).exactOptional(),
});

export type ListParams = z.output<ReturnType<typeof z.strictObject<typeof ofList>>>;
export type CardParams = Pick<z.output<typeof confirmIntent>, 'payment_method' | 'payment_method_data'>;
export type CreateIntentParams = z.output<typeof createIntent>;
export type ConfirmParams = z.output<typeof confirmIntent>;
export type CreateRefundParams = z.output<typeof createRefund>;
export type UpdateDisputeParams = z.output<typeof updateDispute>;

/** Parses parameters. Throws Stripe's 400 for the first invalid one. */
export function readParams<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.path ?? [];
  const paramName = (parts: PropertyKey[]) =>
    parts.map((part, index) => (index === 0 ? String(part) : `[${String(part)}]`)).join('');
  if (issue?.code === 'unrecognized_keys') {
    const param = paramName([...path, issue.keys[0] ?? '']);
    throw invalidParameter(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
  }
  const param = paramName([...path]);
  if (valueAt(input, path) === undefined)
    throw invalidParameter(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  if (valueAt(input, path) === '')
    throw invalidParameter(`You passed an empty string for '${param}'.`, {
      code: 'parameter_invalid_empty',
      param,
    });
  throw invalidParameter(`Invalid ${param}.`, { param });
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  );
}

/** Parameters of the API. All values arrive as text of a form; unknown parameters are refused. */
import { z } from 'zod';
import { invalidRequest } from './errors.ts';

const integer = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number);
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const text = z.string().min(1).max(5_000);
const metadata = z.record(z.string().max(40), z.string().max(500)).default({});

export const createCustomer = z.strictObject({ metadata });

export const createIntent = z.strictObject({
  amount: integer,
  currency: text.toLowerCase(),
  automatic_payment_methods: z.strictObject({ enabled: flag }).exactOptional(),
  customer: text.exactOptional(),
  metadata,
  payment_method: text.exactOptional(),
  confirm: flag.exactOptional(),
  off_session: flag.exactOptional(),
  allowed_payment_method_types: z.tuple([z.literal('card')]).exactOptional(),
});

export const createSetupIntent = z.strictObject({
  customer: text,
  metadata,
  allowed_payment_method_types: z.tuple([z.literal('card')]),
  usage: z.literal('off_session'),
});

export const confirmIntent = z.strictObject({
  client_secret: text.exactOptional(),
  payment_method: text.exactOptional(),
  /** A card as the form of Stripe.js sends it. */
  payment_method_data: z
    .strictObject({
      type: z.literal('card'),
      card: z.strictObject({ number: text, exp_month: integer, exp_year: integer, cvc: text }),
    })
    .exactOptional(),
});

export const createRefund = z.strictObject({ payment_intent: text, amount: integer.exactOptional() });

export const noParams = z.strictObject({});
/** `client_secret` of a payer, who reads an intent with the publishable key. */
export const retrieveIntent = z.strictObject({ client_secret: text.exactOptional() });

const ofList = {
  created: z.strictObject({ gte: integer }).exactOptional(),
  limit: integer.refine((limit) => limit >= 1 && limit <= 100).default(10),
  starting_after: text.exactOptional(),
};
export const listCustomers = z.strictObject(ofList);
export const listIntents = z.strictObject({ ...ofList, customer: text.exactOptional() });
export const listOfPayment = z.strictObject({ ...ofList, payment_intent: text.exactOptional() });

export type ListParams = z.output<typeof listCustomers>;
export type CreateIntentParams = z.output<typeof createIntent>;
export type ConfirmParams = z.output<typeof confirmIntent>;
export type CreateSetupParams = z.output<typeof createSetupIntent>;
export type CreateRefundParams = z.output<typeof createRefund>;

/** Parses parameters. Throws Stripe's 400 for the first invalid one. */
export function readParams<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const param = [...(issue?.path ?? []), ...unknown].join('.');
  throw invalidRequest(
    `${unknown.length > 0 ? 'Received unknown parameter' : 'Invalid parameter'}: ${param}`,
    {
      param,
    },
  );
}

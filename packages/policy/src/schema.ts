/** The schema of policies as people write them. `parsePolicy` returns their canonical form. */
import { z } from 'zod';
import { transactionTypes, weekdays } from './policy.ts';
import { writtenCondition, writtenFunction, writtenOperators } from './schema-conditions.ts';
import {
  address,
  addressOrWallet,
  bytes32,
  length,
  name,
  prefix,
  quantity,
  range,
  selector,
  setOf,
  slices,
  text,
  valuesOf,
} from './schema-values.ts';

const MAX_RULES = 100;
/** A year. */
const MAX_WINDOW_SECONDS = 366 * 86_400;
const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

const INSTANT = 'expected Unix seconds, or a time like "2027-01-31T00:00:00Z"';
const instant = z
  .union([z.int(INSTANT).nonnegative(INSTANT), z.iso.datetime({ offset: true, error: INSTANT })], INSTANT)
  .transform((value) => (typeof value === 'number' ? value : Math.floor(Date.parse(value) / 1_000)));
const clock = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'expected an hour in UTC from "00:00" to "24:00"');
const hours = z
  .strictObject({ from: clock, until: clock })
  .refine((value) => value.from !== value.until, 'from and until are the same');

const time = z
  .strictObject({
    from: instant.optional(),
    until: instant.optional(),
    days: z
      .array(z.enum(weekdays))
      .min(1)
      .transform((days) => weekdays.filter((day) => days.includes(day)))
      .optional(),
    hours: z.array(hours).min(1).max(24).optional(),
  })
  .refine((value) => Object.keys(value).length > 0, 'expected from, until, days or hours')
  .refine(
    ({ from, until }) => from === undefined || until === undefined || from < until,
    'from is not before until',
  );

const WINDOW = 'expected seconds, or a number with s, m, h or d: "24h"';
const window = z
  .union([z.int(WINDOW).positive(WINDOW), z.string().regex(/^[1-9]\d{0,6}[smhd]$/, WINDOW)], WINDOW)
  .transform((value) =>
    typeof value === 'number'
      ? value
      : Number(value.slice(0, -1)) * UNITS[value.at(-1) as keyof typeof UNITS],
  )
  .refine((seconds) => seconds <= MAX_WINDOW_SECONDS, 'longer than 366 days');

const limit = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'expected 1 to 32 of a-z, 0-9, _ and -'),
  of: z.string().max(500),
  max: quantity,
  window,
  per: z.array(z.string().max(500)).min(1).max(2).optional(),
});

const shared = {
  name,
  effect: z.enum(['allow', 'deny']),
  wallets: setOf(address).optional(),
  time: time.optional(),
  limits: z.array(limit).min(1).max(10).optional(),
};
const any = z.literal('any');
const chains = valuesOf(quantity).optional();

const messageRule = z.strictObject({
  ...shared,
  kind: z.literal('message'),
  text: z.union([any, writtenOperators]).optional(),
  bytes: z.union([any, writtenOperators]).optional(),
});
const typedDataRule = z.strictObject({
  ...shared,
  kind: z.literal('typed_data'),
  chains,
  contracts: valuesOf(address).optional(),
  names: valuesOf(z.string()).optional(),
  versions: valuesOf(z.string()).optional(),
  salts: valuesOf(bytes32).optional(),
  types: z.union([any, setOf(text)]).optional(),
  fields: z.array(writtenCondition).min(1).max(100).optional(),
});
const data = z.union([
  any,
  z.strictObject({ functions: z.array(writtenFunction).min(1).max(100) }),
  z.strictObject({ selectors: setOf(selector) }),
  z.strictObject({
    prefix: prefix.optional(),
    min_length: length.optional(),
    max_length: length.optional(),
    slices: slices.optional(),
  }),
]);
export type WrittenData = z.output<typeof data>;
const transactionRule = z.strictObject({
  ...shared,
  kind: z.enum(['transaction', 'sign_transaction', 'send_transaction']),
  chains,
  to: valuesOf(addressOrWallet).optional(),
  create: z.literal(true).optional(),
  value: z.union([any, range]).optional(),
  data: data.optional(),
  fee: z.union([any, range]).optional(),
  gas: range.optional(),
  max_fee_per_gas: range.optional(),
  max_priority_fee_per_gas: range.optional(),
  nonce: range.optional(),
  types: z.array(z.enum(transactionTypes)).min(1).optional(),
  access_list: any.optional(),
});
const authorizationRule = z.strictObject({
  ...shared,
  kind: z.literal('authorization'),
  chains,
  contracts: valuesOf(address).optional(),
  nonce: range.optional(),
});
const hashRule = z.strictObject({ ...shared, kind: z.literal('hash'), hashes: valuesOf(bytes32).optional() });

const writtenRule = z.discriminatedUnion('kind', [
  messageRule,
  typedDataRule,
  transactionRule,
  authorizationRule,
  hashRule,
]);
export type WrittenRule = z.output<typeof writtenRule>;

export const writtenPolicy = z.strictObject({
  version: z.literal(1),
  description: z.string().max(1_000).optional(),
  rules: z.array(writtenRule).min(1).max(MAX_RULES),
});

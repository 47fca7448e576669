/** Parts of the schema of policies: values, with one form for each. */
import { checksumAddress, isAddress } from 'viem';
import { z } from 'zod';
import { checkPattern } from './pattern.ts';
import { MAX_COUNT } from './pattern-parser.ts';
import { WALLET } from './policy.ts';

const MAX_ITEMS = 1_000;
const MAX = 1n << 256n;

const quantityText = /^(0|[1-9]\d{0,77}|0x[0-9a-fA-F]{1,64})$/;
const QUANTITY = 'expected an integer, or text in decimal or hex digits: "1000000000000000000"';
/** Decimal text, of an integer or text in decimal or hex digits. */
export const quantity = z
  .union([z.int(QUANTITY).nonnegative(QUANTITY), z.string().regex(quantityText, QUANTITY)], QUANTITY)
  .transform((value) => BigInt(value))
  .refine((value) => value < MAX, 'more than 256 bits')
  .transform(String);

/** The address in lower case. Mixed case must match the EIP-55 checksum. */
export const address = z
  .string()
  .refine((text) => {
    const digits = text.slice(2);
    const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
    return (
      isAddress(text, { strict: false }) &&
      (!isMixed || checksumAddress(`0x${digits.toLowerCase()}`) === text)
    );
  }, 'expected an address: 0x and 40 hex digits, in one case or with the EIP-55 checksum')
  .transform((text) => text.toLowerCase());
/** An address, or `wallet`. */
export const addressOrWallet = z.union([z.literal(WALLET), address], {
  error: `expected an address with the EIP-55 checksum or in one case, or "${WALLET}"`,
});

export const bytes = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'expected hex: 0x and pairs of hex digits')
  .transform((text) => text.toLowerCase());
export const prefix = bytes.refine((hex) => hex.length > 2, 'no bytes');
export const bytes32 = bytes.refine((text) => text.length === 66, 'expected 32 bytes: 0x and 64 hex digits');
export const selector = bytes.refine(
  (text) => text.length === 10,
  'expected a selector: 0x and 8 hex digits',
);

export const text = z.string().min(1).max(4_096);
export const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}$/, 'expected 1 to 64 letters, digits, spaces, _, . or -');
export const pattern = z
  .string()
  .max(MAX_COUNT)
  .superRefine((value, context) => {
    try {
      checkPattern(value);
    } catch (error) {
      context.addIssue((error as Error).message);
    }
  });

const inOrder = (a: string, b: string): number =>
  /^\d+$/.test(a) && /^\d+$/.test(b) ? Number(BigInt(a) - BigInt(b) > 0n) * 2 - 1 : a < b ? -1 : 1;
/** A set: in order, each value once. */
export const setOf = (of: z.ZodType<string>) =>
  z
    .array(of)
    .min(1)
    .max(MAX_ITEMS)
    .transform((values) => [...new Set(values)].sort(inOrder));

/** A list, `{ "not_in": list }` or `any`. */
export const valuesOf = (of: z.ZodType<string>) =>
  z.union([z.literal('any'), setOf(of), z.strictObject({ not_in: setOf(of) })]);

export const range = z
  .strictObject({ min: quantity.optional(), max: quantity.optional() })
  .refine(({ min, max }) => min !== undefined || max !== undefined, 'expected min or max')
  .refine(
    ({ min, max }) => min === undefined || max === undefined || BigInt(min) <= BigInt(max),
    'min is more than max',
  );

export const length = z
  .int()
  .nonnegative()
  .max(1 << 24);
export const slices = z
  .array(z.strictObject({ offset: length, bytes: prefix }))
  .min(1)
  .max(50);

import {
  apiKeyHash,
  cidHash,
  isApiKey,
  isApiKeyText,
  MAX_CID_LENGTH,
  parseAddress,
  parseCid,
} from '@latchkey/protocol';
import { type Address, getAddress, type Hex, isAddress, zeroAddress } from 'viem';
import { z } from 'zod';

/** The params of a zod issue for a value of the right type that is invalid: 400 instead of 422. */
const malformedParams = { malformed: true };

/**
 * Returns a codec between a JSON value and its internal form. `decode` returns undefined for an invalid value of the
 * right type, which becomes 400 with the text `expected`; a function selects the text by the value. OpenAPI shows the
 * wire side.
 */
export function wireCodec<Wire extends z.ZodType, Inside extends z.ZodType>(
  wire: Wire,
  inside: Inside,
  expected: string | ((value: z.output<Wire>) => string),
  decode: (value: z.output<Wire>) => z.input<Inside> | undefined,
  encode: (value: z.input<Inside>) => z.output<Wire>,
): z.ZodCodec<Wire, Inside> {
  return z.codec(wire, inside, {
    decode: (value, payload) => {
      const decoded = decode(value);
      if (decoded !== undefined) return decoded;
      const message = typeof expected === 'string' ? expected : expected(value);
      payload.issues.push({ code: 'custom', input: value, message, params: malformedParams });
      return z.NEVER;
    },
    encode,
  });
}

/**
 * Returns true for an issue with status 400: a malformed text, a number out of range, or a value that `wireCodec`
 * refused.
 */
export function isMalformed(issue: z.core.$ZodIssue): boolean {
  switch (issue.code) {
    case 'custom':
      return issue.params?.malformed === true;
    case 'invalid_format':
    case 'not_multiple_of':
      return true;
    case 'too_big':
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int' || issue.origin === 'bigint';
    default:
      return false;
  }
}

const U64_MAX = 2n ** 64n - 1n;

/** An integer of at most 256 bits as decimal or 0x text. Leading zeros are allowed: lists pad ids to 64 digits. */
const integerText = /^(?:\d{1,78}|0x[0-9a-fA-F]{1,64})$/;

/** Returns the bigint of a decimal or 0x text below 2^64, else undefined. */
export function parseU64(text: string): bigint | undefined {
  if (!integerText.test(text)) return undefined;
  const value = BigInt(text);
  return value <= U64_MAX ? value : undefined;
}

const isTooWide = (value: number | string): boolean =>
  typeof value === 'number' ? value >= 2 ** 64 : integerText.test(value) && BigInt(value) > U64_MAX;

const u64 = wireCodec(
  z.union([
    z.number().meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    z.string().meta({ pattern: '^([0-9]{1,78}|0x[0-9a-fA-F]{1,64})$' }),
  ]),
  z.bigint(),
  (value) =>
    isTooWide(value)
      ? 'is too large: expected an unsigned 64-bit integer, at most 18446744073709551615'
      : 'expected an unsigned 64-bit integer, as a string when it is over 2^53',
  (value) =>
    typeof value === 'string'
      ? parseU64(value)
      : Number.isSafeInteger(value) && value >= 0
        ? BigInt(value)
        : undefined,
  String,
);

/** Group id in a request: number, decimal string or 0x string of up to 64 digits ↔ bigint below 2^64. */
export const groupId = u64.meta({
  description:
    'Group id below 2^64: a number, a decimal string, or a 0x string of up to 64 digits such as the `id` of list_groups. Send ids over 2^53 as a string.',
  examples: ['1'],
});

/** Unix seconds, 0 for never: number, decimal string or 0x string ↔ bigint below 2^64. */
export const unixSeconds = u64.meta({ description: 'Unix seconds; 0 means never.', examples: [0] });

/** Integer in a reply that may exceed 2^53, such as a group id: decimal string ↔ bigint. */
export const decimal = wireCodec(
  z.string().meta({ pattern: '^[0-9]+$' }),
  z.bigint(),
  'expected a decimal string',
  (text) => (/^\d{1,78}$/.test(text) ? BigInt(text) : undefined),
  String,
);

const parseHash = (text: string): bigint | undefined =>
  /^0x[0-9a-fA-F]{64}$/.test(text) ? BigInt(text) : undefined;
const formatHash = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;

/** A time in a query: ISO 8601 with its offset ↔ Date after 1970. */
export const instant = wireCodec(
  z.iso.datetime({ offset: true }),
  z.date(),
  'expected a time after 1970',
  (value) => (Date.parse(value) >= 0 ? new Date(value) : undefined),
  (date) => date.toISOString(),
);

/** A uint256 as 0x and 64 hex digits ↔ bigint. Decodes digits in any case, encodes lower case. */
export const hash = wireCodec(
  z.string().meta({ pattern: '^0x[0-9a-fA-F]{64}$' }),
  z
    .bigint()
    .nonnegative()
    .lt(2n ** 256n),
  'expected 0x and 64 hex digits',
  parseHash,
  formatHash,
);

/** Bytes: 0x and pairs of hex digits. Lower case inside. */
export const hexBytes = wireCodec(
  z.string().meta({ pattern: '^0x([0-9a-fA-F]{2})*$' }),
  z.custom<Hex>((value) => typeof value === 'string'),
  'expected 0x and pairs of hex digits',
  (text) => (/^0x(?:[0-9a-fA-F]{2})*$/.test(text) ? (text.toLowerCase() as Hex) : undefined),
  (bytes) => bytes,
);

/** Derivation path of a wallet: 0x and 64 hex digits ↔ bigint. */
export const derivationPath = hash.meta({ description: 'Derivation path, 0x and 64 hex digits.' });

/** A usage key or its hash ↔ the hash, for routes that act on a usage key. Encodes the hash. */
export const usageKeyHash = wireCodec(
  z.string(),
  z.bigint(),
  'expected a usage key of 1 to 512 visible ASCII characters, or its hash',
  (text) => (isApiKeyText(text) ? apiKeyHash(text) : parseHash(text)),
  formatHash,
).meta({
  description: 'The usage key (1 to 512 visible ASCII characters) or its hash (0x and 64 hex digits).',
});

/** A new key or its hash ↔ the hash. A key has the form of those that the service makes, so that it cannot be guessed. */
export const newKeyHash = wireCodec(
  z.string(),
  z.bigint(),
  'expected the base64 text of 32 random bytes (openssl rand -base64 32), or the hash of a key',
  (text) => (isApiKey(text) ? apiKeyHash(text) : parseHash(text)),
  formatHash,
).meta({
  description: 'The new key, base64 of 32 random bytes, or its hash (0x and 64 hex digits).',
});

/** An address ↔ its EIP-55 form. Decodes all lower case and all upper case too; mixed case must match the checksum. */
export const address = wireCodec(
  z.string().meta({ pattern: '^0x[0-9a-fA-F]{40}$' }),
  z.custom<Address>((value) => typeof value === 'string' && isAddress(value, { strict: false })),
  'expected an address in one case or with its EIP-55 checksum',
  parseAddress,
  (value) => getAddress(value),
);

const checkCid = (text: string): string | undefined => {
  try {
    parseCid(text);
    return text;
  } catch {
    return undefined;
  }
};

/** A CIDv0 or CIDv1 text, kept unchanged. */
export const cid = wireCodec(
  z.string().max(MAX_CID_LENGTH),
  z.string(),
  'expected a CID',
  checkCid,
  (text) => text,
).meta({ description: 'IPFS content identifier, version 0 or 1.' });

/** Group member in a request: `text` or the wildcard, which is `0`, `0x0`, or 0x and zeros to the full width. */
const orWildcard = (pattern: string) =>
  z.union([z.literal(0), z.string().meta({ pattern: `^(0|0x0+|${pattern})$` })], 'expected a string, or 0');
const isWildcard = (value: 0 | string, digits: number): boolean =>
  value === 0 || value === '0' || (/^0x0+$/.test(value) && value.length <= 2 + digits);

/** A CID hash or the wildcard for every action ↔ the hash; the wildcard is 0. */
export const hashOrWildcard = wireCodec(
  orWildcard('0x[0-9a-fA-F]{64}'),
  hash.out,
  'expected 0x and 64 hex digits, or 0 for every action',
  (value) => (isWildcard(value, 64) ? 0n : parseHash(String(value))),
  formatHash,
).meta({ description: 'CID hash, 0x and 64 hex digits; `0`, `0x0` or all zeros for every action.' });

/** A CID or the wildcard for every action ↔ its hash; the wildcard is 0. Encodes the hash. */
export const cidOrWildcard = wireCodec(
  z.union(
    [z.literal(0), z.string().max(MAX_CID_LENGTH)],
    `expected a string of at most ${MAX_CID_LENGTH} characters, or 0`,
  ),
  z.bigint(),
  'expected a CID, or 0 for every action',
  (value) => {
    if (isWildcard(value, 64)) return 0n;
    const text = checkCid(String(value));
    return text === undefined ? undefined : cidHash(text);
  },
  formatHash,
).meta({
  description: 'IPFS content identifier, version 0 or 1; `0`, `0x0` or all zeros for every action.',
});

/** An address or the wildcard for every wallet of the account ↔ its EIP-55 form; the wildcard is the zero address. */
export const addressOrWildcard = wireCodec(
  orWildcard('0x[0-9a-fA-F]{40}'),
  address.out,
  'expected an address in one case or with its EIP-55 checksum, or 0 for every wallet',
  (value) => (isWildcard(value, 40) ? zeroAddress : parseAddress(String(value))),
  (value) => getAddress(value),
).meta({ description: 'Wallet address; `0`, `0x0` or all zeros for every wallet of the account.' });

/** Text of at most `maxBytes` in UTF-8, else 422. A lone surrogate or NUL is 400: the database cannot store it. */
function label(maxBytes: number) {
  return wireCodec(
    z
      .string()
      .refine((text) => Buffer.byteLength(text) <= maxBytes, `expected at most ${maxBytes} bytes of UTF-8`)
      .meta({ maxLength: maxBytes, description: `At most ${maxBytes} bytes in UTF-8.` }),
    z.string(),
    'expected text without lone surrogates and NUL characters',
    (text) => (text.isWellFormed() && !text.includes('\0') ? text : undefined),
    (text) => text,
  );
}

/** At most 128 bytes: the contract's bound for a name. */
export const name = label(128);
/** At most 1,024 bytes: the contract's bound for a description. */
export const description = label(1_024);

/** An integer in a query string. */
export const queryInteger = (minimum: number, maximum: number, defaultValue: number) =>
  wireCodec(
    z.string().meta({ type: 'integer', minimum, maximum, default: defaultValue }),
    z.number(),
    `expected an integer from ${minimum} to ${maximum}`,
    (text) => {
      const value = /^\d{1,10}$/.test(text) ? Number(text) : -1;
      return value >= minimum && value <= maximum ? value : undefined;
    },
    String,
  ).default(defaultValue);

/**
 * Query of every list: `page_number` from 0 (default 0), `page_size` 1 to 1,000 (default 100). Extend it for other
 * parameters.
 */
export const pageQuery = z.object({
  page_number: queryInteger(0, 2 ** 32 - 1, 0),
  page_size: queryInteger(1, 1_000, 100),
});

import { z } from 'zod';
import { parseAddress } from './address.ts';
import {
  domainFields,
  MAX_TYPED_DATA_BYTES,
  messageFields,
  type PrimaryType,
  TYPED_DATA_NAME,
  TYPED_DATA_VERSION,
  TYPED_DATA_WINDOW_SECONDS,
  type TypedDataClaim,
} from './envelope.ts';
import { parseStrictJson } from './strict-json.ts';

/** The step that refuses an envelope, for tests and logs. Callers of the service get one message for all steps. */
export type TypedDataStep = 'size' | 'json' | 'schema' | 'primaryType' | 'domain' | 'time';

export class TypedDataError extends Error {
  readonly step: TypedDataStep;

  constructor(step: TypedDataStep) {
    super(`the typed data is refused by the check of its ${step}`);
    this.step = step;
  }
}

const uint256 = z
  .union([
    z.int().nonnegative(),
    z.string().regex(/^(0|[1-9][0-9]{0,77})$/),
    z.string().regex(/^0x[0-9a-fA-F]{1,64}$/),
  ])
  .transform(BigInt)
  .refine((value) => value < 1n << 256n);

/** Accepts exactly these fields in exactly this order. */
function fields(expected: readonly { name: string; type: string }[]) {
  const [first, ...others] = expected.map(({ name, type }) =>
    z.strictObject({ name: z.literal(name), type: z.literal(type) }),
  );
  return z.tuple([first as NonNullable<typeof first>, ...others]);
}

const domain = z.strictObject({ name: z.string(), version: z.string(), chainId: uint256 });
const message = z.strictObject({
  address: z
    .string()
    .transform(parseAddress)
    .refine((wallet) => wallet !== undefined),
  issuedAt: uint256,
});

function envelopeSchema<Name extends PrimaryType>(primaryType: Name) {
  return z.strictObject({
    types: z.strictObject({ EIP712Domain: fields(domainFields), [primaryType]: fields(messageFields) }),
    primaryType: z.literal(primaryType),
    domain,
    message,
  });
}

const schema = z.discriminatedUnion('primaryType', [
  envelopeSchema('CreateWallet'),
  envelopeSchema('ConvertAccount'),
  envelopeSchema('AddUsageApiKey'),
  envelopeSchema('BillingAuth'),
]);

function parseJson(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    throw new TypedDataError('json');
  }
}

/**
 * Returns the claim of an envelope, given as an object or as JSON text, after all checks except the signature: size,
 * JSON, schema (unknown fields are refused at every level), primary type, domain, time. Throws TypedDataError at the
 * first failure.
 *
 * @param expected The values that the endpoint and the chain require; `now` in Unix seconds.
 */
export function checkTypedData(
  envelope: unknown,
  expected: { primaryType: PrimaryType; chainId: bigint; now: bigint },
): TypedDataClaim {
  const text = typeof envelope === 'string' ? envelope : (JSON.stringify(envelope) ?? '');
  if (new TextEncoder().encode(text).length > MAX_TYPED_DATA_BYTES) throw new TypedDataError('size');
  const parsed = schema.safeParse(typeof envelope === 'string' ? parseJson(envelope) : envelope);
  if (!parsed.success) throw new TypedDataError('schema');
  const { primaryType, domain, message } = parsed.data;
  if (primaryType !== expected.primaryType) throw new TypedDataError('primaryType');
  if (
    domain.name !== TYPED_DATA_NAME ||
    domain.version !== TYPED_DATA_VERSION ||
    domain.chainId !== expected.chainId
  )
    throw new TypedDataError('domain');
  const age = expected.now - message.issuedAt;
  if (age > TYPED_DATA_WINDOW_SECONDS || age < -TYPED_DATA_WINDOW_SECONDS) throw new TypedDataError('time');
  return { primaryType, address: message.address, chainId: domain.chainId, issuedAt: message.issuedAt };
}

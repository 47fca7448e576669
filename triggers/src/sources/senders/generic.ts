/** Schemes for senders without a preset. */
import { z } from 'zod';
import { type Encoding, ed25519Key, isSame, onlyValue, publicKey, type TimeUnit } from './checks.ts';
import { isSigned, type Scheme } from './scheme.ts';
import { type Delivery, defineSender, headerName } from './sender.ts';

const signatureFields = {
  /** Header whose value is `prefix` followed by the encoded signature, or a list with such an item. */
  header: headerName,
  encoding: z.enum(['hex', 'base64', 'base64url']).default('hex'),
  prefix: z.string().max(64).default(''),
  /** Separator of the items of the header. */
  separator: z.string().min(1).max(8).optional(),
  /** Header with the signed time. */
  timestamp_header: headerName.optional(),
  /** Text before the signed time in an item of the header. */
  timestamp_prefix: z.string().min(1).max(64).optional(),
  timestamp_unit: z.enum(['seconds', 'milliseconds', 'iso', 'http']).default('seconds'),
  /** Header with the signed delivery id. */
  id_header: headerName.optional(),
  /**
   * Signed text with `{id}`, `{timestamp}`, `{body}`, and, where they are signed, `{url}` and `{method}`. Default: the configured ones of
   * the first three, with full stops between them.
   */
  signed_content: z.string().max(256).optional(),
};

type Signature = {
  header: string;
  encoding: Encoding;
  prefix: string;
  separator?: string;
  timestamp_header?: string;
  timestamp_prefix?: string;
  timestamp_unit?: TimeUnit;
  id_header?: string;
  signed_content?: string;
};

const hasTime = ({ timestamp_header, timestamp_prefix }: Signature): boolean =>
  timestamp_header !== undefined || timestamp_prefix !== undefined;

function templateOf(config: Signature): string {
  const parts = [config.id_header && '{id}', hasTime(config) && '{timestamp}', '{body}'];
  return config.signed_content ?? parts.filter(Boolean).join('.');
}

function findFault(config: Signature, rules: { hasKey?: boolean } = {}): string | undefined {
  if (
    config.timestamp_prefix !== undefined &&
    (config.separator === undefined || config.timestamp_header !== undefined)
  )
    return 'timestamp_prefix: expected with separator, and without timestamp_header';
  const template = templateOf(config);
  const count = (name: string) => template.split(`{${name}}`).length - 1;
  const right = {
    id: config.id_header ? 1 : 0,
    timestamp: hasTime(config) ? 1 : 0,
    body: 1,
    key: rules.hasKey ? 1 : 0,
  };
  if (Object.entries(right).some(([name, wanted]) => count(name) !== wanted))
    return rules.hasKey
      ? 'signed_content: expected {key} and {body} once, {timestamp} and {id} once when they are configured'
      : 'signed_content: expected {body} once, {timestamp} once with timestamp_header or timestamp_prefix, {id} once with id_header';
  return /\{id\}[\w{-]|[\w}-]\{id\}/.test(template)
    ? 'signed_content: expected a separator that is not a letter, digit, _ or - next to {id}'
    : undefined;
}

type Kind = Pick<Scheme, 'kind' | 'algorithm' | 'isRaw'>;

/** Returns the row of the table that the fields describe. */
function toScheme(config: Signature, kind: Kind): Scheme {
  const { header, timestamp_header: timeHeader, timestamp_prefix: timePrefix, id_header: idHeader } = config;
  const content = templateOf(config).replace('{id}', `{header:${idHeader}}`).replace('{timestamp}', '{time}');
  return {
    ...kind,
    signature: `header:${header}`,
    prefix: config.prefix,
    encoding: config.encoding,
    content,
    // Another split between the URL and the body would not leave JSON.
    ...(content.includes('{url}') && { isJson: true as const }),
    ...(config.separator !== undefined && { separator: config.separator }),
    ...(timeHeader !== undefined && { time: `header:${timeHeader}` as const }),
    ...(timePrefix !== undefined && { time: `item:${timePrefix}` as const }),
    ...(config.timestamp_unit && { unit: config.timestamp_unit }),
  };
}

const findId = ({ headers }: Delivery, { id_header: name }: Signature) =>
  name === undefined ? undefined : onlyValue(headers, name);

type Hashed = Signature & { algorithm: 'sha256' | 'sha512' | 'sha1' };
export const hmac = defineSender<Hashed>({
  fields: { ...signatureFields, algorithm: z.enum(['sha256', 'sha512', 'sha1']).default('sha256') },
  findFault: (config) => findFault(config),
  isSigned: (delivery, key, config) =>
    isSigned(toScheme(config, { algorithm: config.algorithm }), delivery, key),
  findId,
});

/** A hash without a key, over content that includes the secret. */
export const hash = defineSender<Signature & { algorithm: 'sha1' | 'sha256' | 'sha512' | 'keccak256' }>({
  fields: {
    ...signatureFields,
    signed_content: signatureFields.signed_content.unwrap(),
    algorithm: z.enum(['keccak256', 'sha256', 'sha512', 'sha1']),
  },
  // A SHA hash of content that begins with the secret can be extended by anyone, without the secret.
  findFault: (config) =>
    config.algorithm !== 'keccak256' && !templateOf(config).endsWith('{key}')
      ? 'signed_content: expected {key} at the end'
      : findFault(config, { hasKey: true }),
  isSigned: (delivery, key, config) =>
    isSigned(toScheme(config, { kind: 'hash', algorithm: config.algorithm }), delivery, key),
  findId,
});

const publicKeySender = (fields: object, isKey: (key: string) => boolean, expected: string) =>
  defineSender<Partial<Hashed> & Signature & { signature_format?: 'der' | 'raw' }>({
    keyField: 'public_key',
    fields: { ...signatureFields, ...fields },
    findFault: (config, keys) => (keys.every(isKey) ? findFault(config) : `public_key: expected ${expected}`),
    isSigned: (delivery, key, config) => {
      const { algorithm = 'sha256', signature_format: format } = config;
      return isSigned(
        toScheme(config, { kind: 'public_key', algorithm, isRaw: format === 'raw' }),
        delivery,
        key,
      );
    },
    findId,
  });

export const ed25519 = publicKeySender(
  {},
  (key) => ed25519Key(key) !== undefined,
  '32 bytes in hex or base64',
);

/** Ed25519, ECDSA on P-256, or RSA (PKCS #1 v1.5), by the type of the key. */
export const publicKeySignature = publicKeySender(
  {
    algorithm: z.enum(['sha256', 'sha512', 'sha1']).default('sha256'),
    /** Of ECDSA: DER, or two numbers of 32 bytes. */
    signature_format: z.enum(['der', 'raw']).default('der'),
  },
  (key) => publicKey(key) !== undefined,
  '32 bytes in hex or base64, or a public key of P-256 or RSA (2,048 to 4,096 bits) as PEM or DER in base64',
);

/** The secret is the value of a header or of a query parameter. */
export const sharedSecret = defineSender<{ header?: string; query?: string; prefix: string }>({
  fields: {
    header: headerName.optional(),
    query: z.string().min(1).max(128).optional(),
    prefix: z.string().max(64).default(''),
  },
  findFault: ({ header, query }) =>
    (header === undefined) === (query === undefined) ? 'header: expected either header or query' : undefined,
  isSigned({ headers, search }, key, { header, query, prefix }) {
    const values = query === undefined ? [] : new URLSearchParams(search).getAll(query);
    const sent =
      header === undefined ? (values.length === 1 ? values[0] : undefined) : onlyValue(headers, header);
    return isSame(sent, prefix + key);
  },
  secrets: ({ header, query }) => ({
    headers: header === undefined ? [] : [header],
    query: query === undefined ? [] : [query],
  }),
});

/** The secret is the password. */
export const basicAuth = defineSender<{ username: string }>({
  fields: {
    username: z
      .string()
      .max(256)
      .regex(/^[^:]*$/),
  },
  isSigned({ headers }, key, { username }) {
    const sent = /^basic +(\S+)$/i.exec(onlyValue(headers, 'authorization') ?? '')?.[1];
    const right = Buffer.from(`${username}:${key}`).toString('base64');
    return isSame(sent?.replace(/={1,2}$/, ''), right.replace(/=+$/, ''));
  },
});

/** Schemes for senders without a preset. */
import { z } from 'zod';
import { type Encoding, ed25519Key, isEd25519, isFresh, isHmac, isSame, onlyValue } from './checks.ts';
import { type Delivery, defineSender, headerName } from './sender.ts';

const signatureFields = {
  /** Header whose value is `prefix` followed by the encoded signature. */
  header: headerName,
  encoding: z.enum(['hex', 'base64', 'base64url']).default('hex'),
  prefix: z.string().max(64).default(''),
  /** Header with the signed Unix time. */
  timestamp_header: headerName.optional(),
  timestamp_unit: z.enum(['seconds', 'milliseconds']).default('seconds'),
  /** Header with the signed delivery id. */
  id_header: headerName.optional(),
  /** Signed text with `{id}`, `{timestamp}` and `{body}`. Default: those that are configured, with full stops between them. */
  signed_content: z.string().max(256).optional(),
};

type Signature = {
  header: string;
  encoding: Encoding;
  prefix: string;
  timestamp_header?: string;
  timestamp_unit?: 'seconds' | 'milliseconds';
  id_header?: string;
  signed_content?: string;
};

const PLACEHOLDER = /\{(id|timestamp|body)\}/;

function templateOf({ id_header, timestamp_header, signed_content }: Signature): string {
  const parts = [id_header && '{id}', timestamp_header && '{timestamp}', '{body}'];
  return signed_content ?? parts.filter(Boolean).join('.');
}

function findFault(config: Signature): string | undefined {
  const template = templateOf(config);
  const counts = (['id', 'timestamp', 'body'] as const).map((name) => template.split(`{${name}}`).length - 1);
  const right = [config.id_header ? 1 : 0, config.timestamp_header ? 1 : 0, 1];
  if (counts.some((count, i) => count !== right[i]))
    return 'signed_content: expected {body} once, {timestamp} once with timestamp_header, {id} once with id_header';
  return /\{id\}[\w{-]|[\w}-]\{id\}/.test(template)
    ? 'signed_content: expected a separator that is not a letter, digit, _ or - next to {id}'
    : undefined;
}

/** Returns the signed parts, undefined when a signed header is missing or malformed. */
function signedParts({ headers, body }: Delivery, config: Signature): (string | Buffer)[] | undefined {
  const id = config.id_header ? (onlyValue(headers, config.id_header) ?? '') : undefined;
  const timestamp = config.timestamp_header ? (onlyValue(headers, config.timestamp_header) ?? '') : undefined;
  if (id !== undefined && !/^[\w-]{1,255}$/.test(id)) return undefined;
  if (timestamp !== undefined && !isFresh(timestamp, config.timestamp_unit)) return undefined;
  const values: Record<string, string | Buffer | undefined> = { id, timestamp, body };
  return templateOf(config)
    .split(PLACEHOLDER)
    .map((part, i) => (i % 2 === 1 ? (values[part] ?? '') : part));
}

const findId = ({ headers }: Delivery, { id_header: name }: Signature) =>
  name === undefined ? undefined : onlyValue(headers, name);

export const hmac = defineSender<Signature & { algorithm: string }>({
  fields: { ...signatureFields, algorithm: z.enum(['sha256', 'sha512', 'sha1']).default('sha256') },
  findFault,
  isSigned(delivery, key, config) {
    const parts = signedParts(delivery, config);
    return parts !== undefined && isHmac(onlyValue(delivery.headers, config.header), parts, key, config);
  },
  findId,
});

export const ed25519 = defineSender<Signature>({
  keyField: 'public_key',
  fields: signatureFields,
  findFault: (config, keys) =>
    keys.every(ed25519Key) ? findFault(config) : 'public_key: expected 32 bytes in hex or base64',
  isSigned(delivery, key, config) {
    const parts = signedParts(delivery, config);
    const sent = onlyValue(delivery.headers, config.header);
    return parts !== undefined && isEd25519(sent, parts, ed25519Key(key), config);
  },
  findId,
});

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

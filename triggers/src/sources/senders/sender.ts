/** Definition of a webhook sender. */
import { z } from 'zod';

const MAX_KEYS = 5;

export type Headers = NodeJS.Dict<string[]>;
/** A request, unparsed. */
export type Delivery = {
  method: string;
  headers: Headers;
  body: Buffer;
  /** Public URL of the trigger, without a query. */
  url: string;
  /** The query as it was sent, with its question mark; empty without a query. */
  search: string;
};
/** The parsed body. */
export type Content = {
  /** Parsed JSON, or the body as text. */
  event: unknown;
  /** Fields of a form. */
  form?: URLSearchParams | undefined;
};
export type Received = Delivery & Content;

/** `header:x-name`, `query:name`, `form:name`, or the path of a text or an integer in the JSON of the body: `body:data.0.id`. */
export type Place = `${'header' | 'query' | 'form' | 'body'}:${string}`;

/** A request that only verifies the URL. */
export type Handshake = {
  /** Default: POST. */
  method?: 'GET' | 'POST';
  /** The sender signs the request. */
  signed?: true;
  /** Values of places, null for an absent one. `{name}` is a field of the config. */
  when?: Readonly<Partial<Record<Place, string | null>>>;
  /** Value that the reply repeats. */
  challenge?: Place;
  /** Text, or an object that is sent as JSON. `{challenge}`, and `{hmac}` for the HMAC (SHA-256) of the challenge. */
  reply?: string | Readonly<Record<string, string | number>>;
  hmacEncoding?: 'hex' | 'base64';
  /** Header of the reply that repeats the challenge. */
  header?: string;
  status?: number;
  /** The challenge is the key, when the trigger has none yet. */
  isKey?: true;
};

/** Names of a request that carry a credential of the sender. */
type SecretNames = { headers?: readonly string[]; query?: readonly string[] };

/** `Config` is the type of `verification`, without its keys. */
export type Sender<Config = Record<string, unknown>> = {
  /** Field of `verification` with one key or several: a secret, unless it has another name. */
  keyField?:
    | 'secret'
    | 'public_key'
    | 'webhook_id'
    | 'jwks_url'
    | 'service_account'
    | 'audience'
    | 'topic_arn';
  /** A handshake can bring the key. */
  isKeyOptional?: true;
  /** Further fields of `verification`. */
  fields?: z.ZodRawShape;
  /** Names among `fields` that are encrypted and never shown. */
  secretFields?: readonly string[];
  /** Returns the rule that the config breaks, with the name of the field. */
  findFault?(config: Config, keys: readonly string[]): string | undefined;
  /** Returns whether the delivery was made with this key. Returns false for everything malformed. */
  isSigned(delivery: Delivery, key: string, config: Config): boolean | Promise<boolean>;
  /** Returns the delivery id: the same for every attempt, and from the signed text wherever the sender signs an id. */
  findId?(received: Received, config: Config): string | undefined;
  /** Requests that only verify the URL. */
  handshakes?: readonly Handshake[];
  /** Does what the sender expects before a signed handshake is answered. Rejects with 503. */
  confirm?(delivery: Delivery, key: string): Promise<void>;
  /** Status of the reply to an accepted delivery, for senders that take another one for a failure. Default: 202. */
  okStatus?: 200;
  secrets?(config: Config): SecretNames;
  /** Replaces the secrets of a body that contains them. */
  maskEvent?(event: unknown): unknown;
};

/** Erases the type of the config, which the schema of the table guarantees. */
export const defineSender = <Config = Record<string, unknown>>(sender: Sender<Config>): Sender =>
  sender as Sender;

const MAX_KEY = 2_048;
const key = z.string().min(1).max(MAX_KEY);
/** One key, or several during a rotation. A delivery signed with any of them is accepted. */
export const keys = z.union([key, z.array(key).min(1).max(MAX_KEYS)]);

export const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]{1,128}$/)
  .toLowerCase();

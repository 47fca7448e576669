/** Definition of a webhook sender. */
import type { TextReply } from '@latchkey/http';
import { z } from 'zod';

const MAX_KEYS = 5;

export type Headers = NodeJS.Dict<string[]>;
/** A request, unparsed. */
export type Delivery = {
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

/** Names of a request that carry a credential of the sender. */
export type SecretNames = { headers?: readonly string[]; query?: readonly string[] };

/** `Config` is the type of `verification`, without its keys. */
export type Sender<Config = Record<string, unknown>> = {
  /** Field of `verification` with one key or several: a secret, unless it has another name. */
  keyField?: 'secret' | 'public_key' | 'webhook_id';
  /** Further fields of `verification`. */
  fields?: z.ZodRawShape;
  /** Names among `fields` that are encrypted and never shown. */
  secretFields?: readonly string[];
  /** Returns the rule that the config breaks, with the name of the field. */
  findFault?(config: Config, keys: readonly string[]): string | undefined;
  /** Returns whether the delivery was made with this key. Returns false for everything malformed. */
  isSigned(delivery: Delivery, key: string, config: Config): boolean | Promise<boolean>;
  /** Returns the delivery id: the same for every attempt, and made of what is signed wherever the sender signs an id. */
  findId?(received: Received, config: Config): string | undefined;
  /** Returns the reply to a signed request that only verifies the URL. */
  answerChallenge?(received: Received, key: string): TextReply | undefined;
  /** Returns the reply to a request that the sender does not sign and that only verifies the URL. */
  answerHandshake?(method: 'GET' | 'POST', query: URLSearchParams, config: Config): TextReply | undefined;
  secrets?(config: Config): SecretNames;
  /** Replaces the secrets of a body that contains them. */
  maskEvent?(event: unknown): unknown;
};

/** Erases the type of the config, which the schema of the table guarantees. */
export const defineSender = <Config = Record<string, unknown>>(sender: Sender<Config>): Sender =>
  sender as Sender;

const key = z.string().min(1).max(512);
/** One key, or several during a rotation. A delivery signed with any of them is accepted. */
export const keys = z.union([key, z.array(key).min(1).max(MAX_KEYS)]);

export const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]{1,128}$/)
  .toLowerCase();

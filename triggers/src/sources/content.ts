/** Parses the bodies of webhooks. */
import { isUtf8 } from 'node:buffer';
import { invalidJson, isDeeperThan } from '@latchkey/http';
import type { Content, Delivery, Headers } from './senders/sender.ts';

/** Two levels less than the relayer accepts, which receives the event inside `body.js_params`. */
const MAX_EVENT_DEPTH = 98;

/** `application/json`, `text/json` and every `+json` type, with or without parameters. */
const JSON_TYPE = /^\s*(?:(?:application|text)\/json|[^\s;/]+\/[^\s;/]+\+json)\s*(?:;|$)/i;
const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;

const hasType = (headers: Headers, type: RegExp): boolean =>
  headers['content-type']?.some((text) => type.test(text)) ?? false;

/** Returns the fields of a form, undefined for another content type. */
export function parseForm({
  headers,
  body,
}: Pick<Delivery, 'headers' | 'body'>): URLSearchParams | undefined {
  return hasType(headers, FORM_TYPE) && isUtf8(body) ? new URLSearchParams(body.toString('utf8')) : undefined;
}

/** Returns undefined when the bytes are not JSON in UTF-8, or are nested too deeply. Accepts a byte order mark. */
export function parseJson(body: Buffer | string): unknown {
  if (typeof body !== 'string' && !isUtf8(body)) return undefined;
  try {
    const event: unknown = JSON.parse(body.toString('utf8').replace(/^\ufeff/, ''));
    return isDeeperThan(event, MAX_EVENT_DEPTH) ? undefined : event;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Parses the body as JSON whatever its content type, because some senders declare JSON as text. Falls back to the text. The
 * event of a form with one field `payload`, as Slack and GitHub send it, is the JSON in that field. Throws `invalid_json` when
 * declared JSON does not parse.
 */
export function parseContent(delivery: Pick<Delivery, 'headers' | 'body'>): Content {
  const { headers, body } = delivery;
  const form = parseForm(delivery);
  const payloads = form?.getAll('payload') ?? [];
  const event = parseJson(payloads.length === 1 && payloads[0] !== undefined ? payloads[0] : body);
  if (event !== undefined) return { event, form };
  if (hasType(headers, JSON_TYPE))
    throw invalidJson(
      `Malformed body: expected JSON in UTF-8, nested at most ${MAX_EVENT_DEPTH} levels deep.`,
    );
  return { event: body.toString('utf8'), form };
}

/** Returns name to array of values. */
export function toLists(fields: URLSearchParams): Record<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const [name, value] of fields) {
    const list = lists.get(name);
    if (list) list.push(value);
    else lists.set(name, [value]);
  }
  return Object.fromEntries(lists);
}

/** Properties of every reply, whatever the request. */
// `expect` of Vitest takes a third of the time of a request.
import assert from 'node:assert/strict';
import type { WireReply } from './wire.ts';

type Schema = { properties?: Record<string, unknown>; anyOf?: Schema[] };
type Operation = {
  responses: Record<string, { content?: Record<string, unknown> }>;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};

/** Operations by path and lower-case method, from the OpenAPI description. */
export type Documented = Record<string, Record<string, Operation>>;

/** Statuses and content types that a reply can have; all types when one is a wildcard. */
export type Expected = { statuses: readonly number[]; types: readonly string[] };

const JSON_TYPE = 'application/json; charset=utf-8';

const codes: Record<number, readonly string[]> = {
  400: ['bad_request'],
  401: ['unauthorized'],
  402: ['payment_required'],
  403: ['forbidden'],
  404: ['not_found'],
  409: ['conflict'],
  410: ['gone'],
  413: ['payload_too_large'],
  422: ['unprocessable_entity'],
  429: ['too_many_requests'],
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Parts of stack traces, server paths, and internal errors. */
const insides =
  /\bat \S+ \(|\.(?:ts|js|mjs):\d+|node_modules|file:\/\/|ECONNREFUSED|drizzle|select .* from "|0x08c379a0/;

const segmentsOf = (path: string): string[] => path.split('/');
const isName = (segment: string): boolean => /^\{\w+\}$/.test(segment);

/** Returns the path of a route as the description writes it: `{id}` instead of `:id`. */
export const documentedPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

/** Returns the operation of a method and a path. A `{name}` of a documented path stands for any text. */
export function findOperation(documented: Documented, method: string, path: string): Operation | undefined {
  const segments = segmentsOf(path);
  const matches = (template: string): boolean => {
    const names = segmentsOf(template);
    return (
      names.length === segments.length &&
      names.every((name, i) => (isName(name) ? segments[i] !== '' : name === segments[i]))
    );
  };
  const template = path in documented ? path : Object.keys(documented).find(matches);
  const operations = documented[template ?? path];
  if (method !== 'HEAD') return operations?.[method.toLowerCase()];
  // A GET that has a price has an effect: no HEAD is passed to it.
  return operations?.get && '402' in operations.get.responses ? undefined : operations?.get;
}

/** Returns the replies that a request line can get. Only targets in the form of a path name an endpoint. */
export function expectedReplies(documented: Documented, method: string, target: string): Expected {
  if (method === 'OPTIONS') return { statuses: [204, 400], types: [] };
  const path = target.replace(/^http:\/\/[^/]*/i, '').split('?')[0] ?? '';
  const operation = findOperation(documented, method, path);
  if (!operation) return { statuses: [400, 404], types: [] };
  const responses = Object.entries(operation.responses);
  return {
    statuses: responses.flatMap(([status]) => statusesOf(status)),
    types: responses.flatMap(([, { content = {} }]) => Object.keys(content)),
  };
}

/** Returns the statuses that a key of `responses` stands for: `404`, or `2XX` for a range. */
const statusesOf = (key: string): number[] =>
  key.endsWith('XX')
    ? Array.from({ length: 100 }, (_, index) => 100 * Number(key[0]) + index)
    : [Number(key)];

/** Fails when a reply is an error of the service, has no request id, or discloses a secret or something internal. */
export function judgeDisclosure({ status, headers, body }: WireReply, secrets: readonly string[]): void {
  assert(status < 500, `the client causes an error of the service: ${status}`);
  assert.match(headers.get('x-request-id') ?? '', uuid);
  assert.doesNotMatch(body, insides);
  for (const secret of secrets) assert(!body.includes(secret), 'a reply has a secret');
}

/** Fails unless the reply has one of the statuses and the documented form, and discloses nothing internal. */
export function judgeReply(
  reply: WireReply,
  { statuses, types, isHead = false, secrets }: Expected & { isHead?: boolean; secrets: readonly string[] },
): void {
  const { status, headers, body } = reply;
  assert(statuses.includes(status), `${status} is not documented: ${body.slice(0, 500)}`);
  judgeDisclosure(reply, secrets);
  if (status === 429) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  if (isHead || status === 204) return;
  const type = headers.get('content-type') ?? '';
  if (type !== JSON_TYPE && status < 300) {
    const isDocumented = types.includes('*/*') || types.includes(type.split(';')[0] ?? '');
    assert(isDocumented, `the content type ${type} is not documented`);
    return;
  }
  assert.equal(type, JSON_TYPE);
  const value: unknown = JSON.parse(body);
  if (status >= 400) judgeError(value, status, headers.get('x-request-id'));
}

/** The error body, without additional fields. */
function judgeError(value: unknown, status: number, requestId: string | undefined): void {
  const { error, message, fix, request_id, ...rest } = value as Record<string, unknown>;
  assert(codes[status]?.includes(error as string), `error ${error} in a reply of ${status}`);
  const isText = (text: unknown): boolean => typeof text === 'string' && text !== '';
  assert(isText(message), 'an error has no message');
  assert(fix === undefined || isText(fix), 'a fix is empty');
  assert.equal(request_id, requestId);
  assert(Object.keys(rest).length === 0, `an error has other fields: ${Object.keys(rest)}`);
}

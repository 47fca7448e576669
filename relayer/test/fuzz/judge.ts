/** Properties of every reply, whatever the request. */
import { expect } from 'vitest';
import type { WireReply } from './wire.ts';

/** Statuses by path and lower-case method, from the OpenAPI description. */
export type Documented = Record<string, Record<string, { responses: Record<string, unknown> }>>;

const codes: Record<number, readonly string[]> = {
  400: ['bad_request'],
  401: ['unauthorized'],
  402: ['payment_required'],
  403: ['forbidden'],
  404: ['not_found'],
  409: ['conflict'],
  413: ['payload_too_large'],
  422: ['unprocessable_entity'],
  429: ['too_many_requests'],
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Parts of stack traces, server paths, and internal errors. */
const insides =
  /\bat \S+ \(|\.(?:ts|js|mjs):\d+|node_modules|file:\/\/|ECONNREFUSED|drizzle|select .* from "|0x08c379a0/;

/** Returns the paths of a description as the routes write them: `:id` instead of `{id}`. */
export const byRoutePath = <Methods>(paths: Record<string, Methods>): Record<string, Methods> =>
  Object.fromEntries(Object.entries(paths).map(([path, methods]) => [path.replace('{id}', ':id'), methods]));

/** Any other text is an id too. */
const RUN = '/core/v1/run/';

/** Statuses that any request line can get; only targets in the form of a path name an endpoint. */
export function documentedStatuses(documented: Documented, method: string, target: string): number[] {
  const path = target.replace(/^http:\/\/[^/]*/i, '').split('?')[0] ?? '';
  const methods = documented[path] ?? (path.startsWith(RUN) ? documented[`${RUN}:id`] : undefined);
  const operation = methods?.[(method === 'HEAD' ? 'GET' : method).toLowerCase()];
  if (method === 'OPTIONS') return [204, 400];
  return operation ? Object.keys(operation.responses).map(Number) : [400, 404];
}

/** Fails unless the reply has one of the statuses and the documented form, and discloses nothing internal. */
export function judgeReply(
  reply: WireReply,
  {
    statuses,
    isHead = false,
    secrets,
  }: { statuses: readonly number[]; isHead?: boolean; secrets: readonly string[] },
): void {
  const { status, headers, body } = reply;
  expect(statuses, `${status} ${body.slice(0, 500)} is documented`).toContain(status);
  expect([200, 204, ...Object.keys(codes).map(Number)], `the client causes no ${status}`).toContain(status);
  expect(headers.get('x-request-id')).toMatch(uuid);
  expect(body).not.toMatch(insides);
  for (const secret of secrets) expect(body.includes(secret), 'a reply has a secret').toBe(false);
  if (status === 429) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  if (isHead || status === 204) return;
  if (status === 200 && headers.get('content-type') === 'text/csv; charset=utf-8') return;
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  const value: unknown = JSON.parse(body);
  if (status >= 400) judgeError(value, status, headers.get('x-request-id'));
}

/** The error body, without additional fields. */
function judgeError(value: unknown, status: number, requestId: string | undefined): void {
  const { error, message, fix, ...rest } = value as Record<string, unknown>;
  expect(codes[status]).toContain(error);
  expect(message).toMatch(/./);
  if (fix !== undefined) expect(fix).toMatch(/./);
  expect(rest).toEqual({ request_id: requestId });
}

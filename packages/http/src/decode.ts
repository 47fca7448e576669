import { isUtf8 } from 'node:buffer';
import { JsonLimitError, parseStrictJson } from '@latchkey/protocol';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { isMalformed } from './codecs.ts';
import { badRequest, unprocessableEntity } from './errors.ts';
import { discardBody, receiveBody } from './receive-body.ts';
import type { AnyRoute } from './route.ts';

const MAX_REPORTED_ISSUES = 5;

/**
 * Reads the body that the route declares: JSON, or its raw bytes. Calls `onBytes` with the size of each received chunk.
 * Discards the body of a route that declares none.
 */
export async function readBody(
  { body, rawBody, takesCompressed, bodyLimitBytes: limitBytes }: AnyRoute & { bodyLimitBytes: number },
  req: Request,
  res: Response,
  onBytes: ((bytes: number) => void) | undefined,
): Promise<unknown> {
  if (!rawBody && !body) return discardBody(req, res);
  const bytes = await receiveBody(req, res, { limitBytes, onBytes, takesCompressed });
  return rawBody ? bytes : parseJson(req, bytes);
}

/**
 * Returns the body as JSON: UTF-8, without duplicate names in an object. An empty body is `{}`, so that an endpoint
 * without required fields can be called without a body. A missing Content-Type counts as JSON; any other one is
 * refused.
 */
function parseJson(req: Request, bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  const [type, ...parameters] = (req.headers['content-type'] ?? 'application/json').toLowerCase().split(';');
  if (type?.trim() !== 'application/json')
    throw badRequest('The Content-Type is not JSON.', { fix: 'Send Content-Type: application/json.' });
  const charset = parameters
    .map((text) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(text)?.[1])
    .find(Boolean);
  if ((charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') || !isUtf8(bytes))
    throw badRequest('The body is not UTF-8.', { fix: 'Send JSON in UTF-8.' });
  try {
    return parseStrictJson(bytes.toString('utf8'));
  } catch (error) {
    throw badRequest(
      error instanceof JsonLimitError
        ? `The body has ${error.message}.`
        : 'The body is not valid JSON, or an object in it has a duplicate name.',
    );
  }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Returns true when arrays and objects are nested deeper than `limit` levels. Not recursive. */
export function isDeeperThan(root: unknown, limit: number): boolean {
  let level = [root].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true;
    const below: object[] = [];
    for (const value of level)
      for (const item of Object.values(value)) if (isContainer(item)) below.push(item);
    level = below;
  }
  return false;
}

type RequestPart = 'body' | 'query' | 'params' | 'headers';
export type Parts = Record<RequestPart, unknown>;

/**
 * Decodes the declared parts of a request. Throws 422 when a part does not match its schema, and 400 when the shape
 * matches and a value is invalid.
 */
export function decodeParts(route: Pick<AnyRoute, RequestPart>, wire: Parts): Parts {
  const decoded: Parts = { body: undefined, query: undefined, params: undefined, headers: undefined };
  const issues: { text: string; malformed: boolean }[] = [];
  for (const part of ['params', 'query', 'headers', 'body'] as const) {
    const schema = route[part];
    if (!schema) continue;
    const result = z.safeDecode(schema, wire[part] as never);
    if (result.success) decoded[part] = result.data;
    else
      for (const issue of result.error.issues)
        issues.push({
          text: `${fieldPath(part, issue.path)}: ${issueText(issue)}`,
          malformed: isMalformed(issue),
        });
  }
  if (issues.length === 0) return decoded;
  const message = issues
    .slice(0, MAX_REPORTED_ISSUES)
    .map(({ text }) => text)
    .join('; ');
  throw issues.every(({ malformed }) => malformed) ? badRequest(message) : unprocessableEntity(message);
}

/** Returns `body.groups[3].name`. Names that a client chose are bounded and never contain control characters. */
function fieldPath(part: RequestPart, path: PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    return `${text}.${/^[\w-]{1,64}$/.test(name) ? name : '…'}`;
  }, part);
}

/** Texts of this package say which value is expected; zod's say the types. No text repeats the value. */
function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'has unknown fields';
  return issue.message.replace(/^Invalid input: /, '').slice(0, 200);
}

/** Returns JSON with sorted keys: one text per value. `parseStrictJson` bounds its depth. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

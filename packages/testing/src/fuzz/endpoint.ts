/**
 * Hostile requests to one endpoint. FUZZ_RUNS is their number, FUZZ_SEED repeats a failed run. A failure prints the seed
 * and the smallest request.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { until } from '../until.ts';
import { hostileFrames } from './framing.ts';
import { type Documented, documentedPath, expectedReplies, findOperation, judgeReply } from './judge.ts';
import { encodeRequest, type HostileRequest, hostileRequests, type Sample } from './requests.ts';
import type { Wire } from './wire.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 25);
/** Few, because framing depends little on the endpoint, and frames for whose end the service waits take seconds. */
const FRAMES = Math.min(Math.ceil(RUNS / 5), 1_000);
export const FUZZ_TIMEOUT_MS = 60_000 + RUNS * 500;
const seed = process.env.FUZZ_SEED === undefined ? {} : { seed: Number(process.env.FUZZ_SEED) };

export type Endpoint = {
  method: string;
  /** The path, with `:name` for a parameter. */
  path: string;
};

export type Caller = {
  wire: Wire;
  /** Headers that the endpoint requires. */
  credentials: Record<string, string>;
  /** Texts that no reply has. */
  secrets: readonly string[];
};

function readShape(documented: Documented, { method, path }: Endpoint) {
  const operation = findOperation(documented, method, documentedPath(path));
  const schemas = Object.values(operation?.requestBody?.content ?? {}).flatMap(({ schema }) => [
    schema,
    ...(schema.anyOf ?? []),
  ]);
  return {
    method,
    path,
    bodyFields: [...new Set(schemas.flatMap(({ properties = {} }) => Object.keys(properties)))],
    queryFields: (operation?.parameters ?? [])
      .filter((found) => found.in === 'query')
      .map(({ name }) => name),
  };
}

/** Runs a property with generated requests. */
export const fuzz = <T>(
  requests: fc.Arbitrary<T>,
  property: (request: T) => Promise<void>,
  numRuns = RUNS,
): Promise<void> => fc.assert(fc.asyncProperty(requests, property), { numRuns, ...seed });

/** The requests of all tests together can keep a part of a service from its check for a moment. */
export const expectHealthy = (url: string): Promise<boolean> =>
  until(`${url}/health returns 200`, async () => (await fetch(`${url}/health`)).ok, 30_000);

/** Sends requests with a wrong part, at most `maxRuns`. Returns the methods of those that succeeded. */
export async function sendHostileRequests(
  documented: Documented,
  endpoint: Endpoint,
  sample: Sample,
  { wire, credentials, secrets }: Caller,
  maxRuns = RUNS,
): Promise<string[]> {
  const succeeded: string[] = [];
  const requests = hostileRequests(readShape(documented, endpoint), sample, credentials);
  const property = async (request: HostileRequest) => {
    const isHead = request.method === 'HEAD';
    const reply = await wire.send(encodeRequest(request), { isHead });
    if (reply.status < 300 && request.method !== 'OPTIONS') succeeded.push(request.method);
    const expected = expectedReplies(documented, request.method, request.target);
    judgeReply(reply, { ...expected, isHead, secrets });
  };
  await fuzz(requests, property, Math.min(RUNS, maxRuns));
  return succeeded;
}

/** Sends requests with wrong framing. Returns the methods of those that succeeded, or may have without a reply. */
export async function sendHostileFrames(
  documented: Documented,
  { method, path }: Endpoint,
  { wire, credentials, secrets }: Caller,
): Promise<string[]> {
  const succeeded: string[] = [];
  // No endpoint that reads a query or a body accepts these.
  const target = method === 'GET' ? `${path}?name=%00` : path;
  const { statuses, types } = expectedReplies(documented, method, target);
  const frames = hostileFrames({ method, path: target, credentials, body: '[]' });
  const hasBody = findOperation(documented, method, documentedPath(path))?.requestBody !== undefined;
  await fuzz(
    frames,
    async ({ name, bytes, maxReplies }) => {
      const replies = await wire.sendLast(bytes);
      expect(replies.length, name).toBeLessThanOrEqual(maxReplies);
      // A whole request before wrong bytes takes effect when no body is read; the connection closes before its reply.
      if (!hasBody && replies.length < maxReplies && maxReplies > 1) succeeded.push(method);
      for (const reply of replies) {
        if (reply.status < 300) succeeded.push(method);
        judgeReply(reply, { statuses: [...statuses, 400, 404], types, secrets });
      }
    },
    FRAMES,
  );
  return succeeded;
}

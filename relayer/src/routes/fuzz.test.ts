/**
 * Hostile requests to every endpoint: each reply has a documented status and the error body, no refused request changes
 * the account or costs credit, and the relayer responds afterwards. FUZZ_RUNS is the number of requests per endpoint;
 * FUZZ_SEED repeats a failed run.
 */

import { addUsageKey, client, get, stack } from '@latchkey/testing/stack';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Home, openHome } from '../../test/authority/accounts.ts';
import { type Fingerprint, readFingerprint } from '../../test/authority/fingerprint.ts';
import { createSample } from '../../test/authority/samples.ts';
import { hostileFrames } from '../../test/fuzz/framing.ts';
import { byRoutePath, type Documented, documentedStatuses, judgeReply } from '../../test/fuzz/judge.ts';
import { encodeRequest, hostileRequests, type Shape } from '../../test/fuzz/requests.ts';
import { openWire, type Wire } from '../../test/fuzz/wire.ts';
import { routes } from './index.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 60);
/** Framing depends little on the endpoint. */
const FRAMES = Math.ceil(RUNS / 5);
const TIMEOUT_MS = 60_000 + RUNS * 500;
const ADMIN_WRITE_MICROS = 10_000;
const seed = process.env.FUZZ_SEED === undefined ? {} : { seed: Number(process.env.FUZZ_SEED) };

type Operation = {
  responses: Record<string, unknown>;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: { properties?: Record<string, unknown> } }> };
};

/** An account of its own, so that tests run concurrently. */
type Caller = {
  home: Home;
  wire: Wire;
  /** The key that each endpoint requires. The usage key is permitted to run no action, so that no run costs credit. */
  keys: Record<(typeof routes)[number]['auth'], string | undefined>;
  secrets: string[];
  fingerprint: () => Promise<Fingerprint>;
};

let documented: Record<string, Record<string, Operation>>;
const wires: Wire[] = [];
const idle: Caller[] = [];

async function openCaller(): Promise<Caller> {
  const firstBlock = await client.getBlockNumber();
  const home = await openHome();
  const usageKey = await addUsageKey(home.key);
  const { key } = home;
  const account = { key, accountKey: key, keyOrWallet: key, accountKeyOrWallet: key, anyKeyText: key };
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRETS } = stack.stripeSettings;
  const wire = openWire(stack.url);
  wires.push(wire);
  return {
    home,
    wire,
    keys: { none: undefined, runKey: usageKey, ...account },
    secrets: [key, usageKey, ...stack.payerKeys, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRETS].filter(
      (secret) => secret !== undefined,
    ),
    fingerprint: () => readFingerprint(home.hash, { 'X-Api-Key': key }, firstBlock),
  };
}

beforeAll(async () => {
  documented = byRoutePath(((await get('openapi.json')).body as { paths: typeof documented }).paths);
});

afterAll(() => {
  for (const wire of wires) wire.close();
});

function readShape(method: string, path: string): Shape {
  const operation = documented[path]?.[method.toLowerCase()];
  const schemas = Object.values(operation?.requestBody?.content ?? {}).map(({ schema }) => schema);
  return {
    method,
    path,
    bodyFields: schemas.flatMap(({ properties = {} }) => Object.keys(properties)),
    queryFields: (operation?.parameters ?? [])
      .filter((found) => found.in === 'query')
      .map(({ name }) => name),
  };
}

/** Runs a property RUNS times. A failure prints the seed and the smallest request. */
const check = <T>(requests: fc.Arbitrary<T>, numRuns: number, property: (request: T) => Promise<void>) =>
  fc.assert(fc.asyncProperty(requests, property), { numRuns, ...seed });

async function stillAnswers({ key }: Home): Promise<void> {
  const health = await fetch(`${stack.url}/health`);
  expect(health.status, await health.text()).toBe(200);
  expect((await get('list_groups', key)).status).toBe(200);
}

describe.concurrent.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (endpoint, route) => {
    test('hostile requests', { timeout: TIMEOUT_MS }, async () => {
      const caller = idle.pop() ?? (await openCaller());
      const { home, wire, keys, secrets, fingerprint } = caller;
      const sample = await createSample(endpoint, home);
      const before = await fingerprint();
      const isPriced = 'price' in route && route.price === 'admin_write';
      let writes = 0;
      await check(
        hostileRequests(readShape(route.method, route.path), sample, keys[route.auth]),
        RUNS,
        async (request) => {
          const isHead = request.method === 'HEAD';
          const reply = await wire.send(encodeRequest(request), { isHead });
          if (isPriced && reply.status === 200) writes++;
          const statuses = documentedStatuses(documented as Documented, request.method, request.target);
          judgeReply(reply, { statuses, isHead, secrets });
        },
      );
      // A hostile value can be the hash of a new key, after which the account's key is no longer known.
      if (endpoint === 'POST /core/v1/rotate_account_key' && writes > 0) return;
      const after = await fingerprint();
      if (writes === 0) expect(after).toEqual(before);
      expect(before.creditMicros - after.creditMicros).toBe(writes * ADMIN_WRITE_MICROS);
      await stillAnswers(home);
      idle.push(caller);
    });

    test('hostile framing', { timeout: TIMEOUT_MS }, async () => {
      const caller = idle.pop() ?? (await openCaller());
      const { home, wire, keys, secrets, fingerprint } = caller;
      const before = await fingerprint();
      // No endpoint accepts this query or this body.
      const path = route.method === 'GET' ? `${route.path}?name=%00` : route.path;
      const parts = { method: route.method, path, key: keys[route.auth], body: '[]' };
      await check(hostileFrames(parts), FRAMES, async ({ name, bytes, maxReplies }) => {
        const replies = await wire.sendLast(bytes);
        expect(replies.length, name).toBeLessThanOrEqual(maxReplies);
        for (const reply of replies) {
          const statuses = [...documentedStatuses(documented as Documented, route.method, path), 400, 404];
          judgeReply(reply, { statuses, secrets });
        }
      });
      expect(await fingerprint()).toEqual(before);
      await stillAnswers(home);
      idle.push(caller);
    });
  },
);

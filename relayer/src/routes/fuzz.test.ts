/**
 * Hostile requests to every endpoint: each reply has a documented status and the error body, no refused request changes
 * the account or costs credit, and the relayer responds afterwards.
 */

import {
  type Caller,
  expectHealthy,
  FUZZ_TIMEOUT_MS,
  sendHostileFrames,
  sendHostileRequests,
} from '@latchkey/testing/fuzz/endpoint';
import type { Documented } from '@latchkey/testing/fuzz/judge';
import { openWire, type Wire } from '@latchkey/testing/fuzz/wire';
import { addUsageKey, client, get, stack } from '@latchkey/testing/stack';
import { afterAll, describe, expect, test } from 'vitest';
import { openHome } from '../../test/authority/accounts.ts';
import { readFingerprint } from '../../test/authority/fingerprint.ts';
import { createSample } from '../../test/authority/samples.ts';
import { routes } from './index.ts';

const ADMIN_WRITE_MICROS = 10_000;

const documented = ((await get('openapi.json')).body as { paths: Documented }).paths;

/** An account and a connection. */
async function openHostileHome() {
  const firstBlock = await client.getBlockNumber();
  const home = await openHome();
  const { key } = home;
  // The key is permitted to run no action, so that no run costs credit.
  const usageKey = await addUsageKey(key);
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRETS } = stack.stripeSettings;
  const secrets = [key, usageKey, ...stack.payerKeys, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRETS];
  const wire = openWire(stack.url);
  wires.push(wire);
  return {
    home,
    fingerprint: () => readFingerprint(home.hash, { 'X-Api-Key': key }, firstBlock),
    caller: (auth: (typeof routes)[number]['auth']): Caller => ({
      wire,
      credentials: credentialsFor(auth, { key, usageKey }),
      secrets: secrets.filter((secret) => secret !== undefined),
    }),
  };
}
type HostileHome = Awaited<ReturnType<typeof openHostileHome>>;

function credentialsFor(
  auth: (typeof routes)[number]['auth'],
  { key, usageKey }: { key: string; usageKey: string },
): Caller['credentials'] {
  if (auth === 'none') return {};
  if (auth === 'operator') return { Authorization: `Bearer ${stack.operatorToken}` };
  return { 'X-Api-Key': auth === 'runKey' ? usageKey : key };
}

const wires: Wire[] = [];
/** Homes that no test uses: concurrent tests must not share one. */
const idle: HostileHome[] = [];
let opening: Promise<unknown> = Promise.resolve();
/** Opens one home at a time: on a busy machine key nodes do not make the wallets of twenty in time. */
const takeHome = (): Promise<HostileHome> => {
  const home = opening.catch(() => {}).then(() => idle.pop() ?? openHostileHome());
  opening = home;
  return home;
};

afterAll(() => {
  for (const wire of wires) wire.close();
});

async function stillAnswers({ home: { key } }: HostileHome): Promise<void> {
  await expectHealthy(stack.url);
  expect((await get('list_groups', key)).status).toBe(200);
}

describe.concurrent.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (endpoint, route) => {
    test('hostile requests', { timeout: FUZZ_TIMEOUT_MS }, async () => {
      const taken = await takeHome();
      const sample = await createSample(endpoint, taken.home);
      const before = await taken.fingerprint();
      const succeeded = await sendHostileRequests(documented, route, sample, taken.caller(route.auth));
      const isPriced = 'price' in route && route.price === 'admin_write';
      const writes = isPriced ? succeeded.length : 0;
      // A hostile value can be the hash of a new key, after which the account's key is no longer known.
      if (endpoint === 'POST /core/v1/rotate_account_key' && writes > 0) return;
      const after = await taken.fingerprint();
      if (writes === 0) expect(after).toEqual(before);
      expect(before.creditMicros - after.creditMicros).toBe(writes * ADMIN_WRITE_MICROS);
      await stillAnswers(taken);
      idle.push(taken);
    });

    test('hostile framing', { timeout: FUZZ_TIMEOUT_MS }, async () => {
      const taken = await takeHome();
      const before = await taken.fingerprint();
      await sendHostileFrames(documented, route, taken.caller(route.auth));
      expect(await taken.fingerprint()).toEqual(before);
      await stillAnswers(taken);
      idle.push(taken);
    });
  },
);

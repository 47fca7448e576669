/**
 * Hostile requests to every endpoint: each reply has a documented status and the error body, no refused request changes
 * the account, and the service responds afterwards.
 */
import {
  expectHealthy,
  FUZZ_TIMEOUT_MS,
  sendHostileFrames,
  sendHostileRequests,
} from '@latchkey/testing/fuzz/endpoint';
import { openWire, type Wire } from '@latchkey/testing/fuzz/wire';
import { stack } from '@latchkey/testing/stack';
import { afterAll, describe, expect, test } from 'vitest';
import { ask, bearer, type Home, openHome, readOwned, SENDER_SECRET, samples } from '../../test/homes.ts';
import { routes } from './index.ts';

const documented = (await ask('GET', '/api/openapi.json')).paths;

const wires: Wire[] = [];
afterAll(() => {
  for (const wire of wires) wire.close();
});

/** Endpoints whose limit no setting changes: each refusal waits for a second. */
const maxRuns: Record<string, number> = { 'POST /api/alerts/test': 10_000 };

type HostileHome = Home & { wire: Wire };
/** Homes that no test uses: concurrent tests must not share one. */
const idle: HostileHome[] = [];

async function openHostileHome(): Promise<HostileHome> {
  const home = await openHome();
  const wire = openWire(stack.triggersUrl);
  wires.push(wire);
  return { ...home, wire };
}

async function stillAnswers({ agent }: Home): Promise<void> {
  await expectHealthy(stack.triggersUrl);
  await ask('GET', '/api/me', bearer(agent));
}

/** The caller and the sample of a test, which may have credentials of its own. */
async function prepare({ method, path, auth }: (typeof routes)[number], home: HostileHome) {
  const { key, usageKey, login, agent, wire } = home;
  const usual = {
    none: {},
    agentToken: bearer(agent),
    agentOrSession: bearer(agent),
    session: bearer(login),
  };
  const { credentials = usual[auth], ...sample } = (await samples[`${method} ${path}`]?.(home)) ?? {};
  return {
    sample,
    caller: { wire, credentials, secrets: [key, usageKey, login, agent, SENDER_SECRET] },
  };
}

describe.concurrent.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (endpoint, route) => {
    /** Sends requests from an account. When none of them changed something, the account is unchanged. */
    const attack = async (
      send: (prepared: Awaited<ReturnType<typeof prepare>>) => Promise<string[]>,
    ): Promise<void> => {
      const home = idle.pop() ?? (await openHostileHome());
      const prepared = await prepare(route, home);
      const before = await readOwned(home);
      const succeeded = await send(prepared);
      const after = await readOwned(home);
      if (succeeded.every((method) => ['GET', 'HEAD'].includes(method))) expect(after).toEqual(before);
      await stillAnswers(home);
      idle.push(home);
    };

    test('hostile requests', { timeout: FUZZ_TIMEOUT_MS }, () =>
      attack(({ sample, caller }) =>
        sendHostileRequests(documented, route, sample, caller, maxRuns[endpoint]),
      ),
    );

    test('hostile framing', { timeout: FUZZ_TIMEOUT_MS }, () =>
      attack(({ caller }) => sendHostileFrames(documented, route, caller)),
    );
  },
);

import { createHook } from 'node:async_hooks';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { eventually } from '@latchkey/fork-server/testing';
import { expect, test } from 'vitest';
import { type NameAnswer, serveNames } from '../testing.ts';
import {
  createActionNames,
  MAX_LOOKUPS_PER_ACCOUNT,
  MAX_LOOKUPS_PER_RUN,
  type RunNames,
} from './action-names.ts';
import { createGuardedAgent, defaultFetchOptions } from './guarded-agent.ts';
import { guardedFetch } from './guarded-fetch.ts';

/**
 * A DNS server that holds its replies back until they are released. Names that begin with `probe` get an immediate
 * reply.
 */
const holding = async () => {
  const held = new Map<string, PromiseWithResolvers<void>>();
  const server = await serveNames(async (name, family): Promise<NameAnswer> => {
    if (!name.startsWith('probe')) {
      const answer = held.get(name) ?? Promise.withResolvers<void>();
      held.set(name, answer);
      await answer.promise;
    }
    return family === 4 ? ['192.0.2.7'] : ['2001:db8::7'];
  });
  return {
    ...server,
    held,
    release(name: string) {
      held.get(name)?.resolve();
      held.delete(name);
    },
  };
};

const resolveMany = (names: RunNames, prefix: string, count: number) =>
  Array.from({ length: count }, (_, number) => names.resolve(`${prefix}${number}.example`));

test('finds the addresses of both families', async () => {
  await using dns = await holding();
  const names = createActionNames([dns.server]).forRun(1n);
  expect(await names.resolve('probe.example')).toEqual([
    { address: '192.0.2.7', family: 4 },
    { address: '2001:db8::7', family: 6 },
  ]);
});

test('uses the addresses found in time', async () => {
  await using dns = await serveNames((_name, family) => (family === 4 ? 'silence' : ['2001:db8::7']));
  const names = createActionNames([dns.server]).forRun(1n);
  expect(await names.resolve('half.example')).toEqual([{ address: '2001:db8::7', family: 6 }]);
});

test('returns an error with the reason when a name does not resolve', async () => {
  await using dns = await serveNames((name) => (name === 'silent.example' ? 'silence' : 'unknown'));
  await using silent = await serveNames(() => 'silence');
  const names = createActionNames([dns.server]).forRun(1n);
  await expect(names.resolve('unknown.example')).rejects.toThrow(
    'fetch failed: the name unknown.example has no address',
  );
  const slow = 'fetch failed: the name silent.example did not resolve in 2000 ms';
  await expect(names.resolve('silent.example')).rejects.toThrow(slow);
  // Several servers share the time.
  const several = createActionNames([silent.server, silent.server, silent.server, silent.server]);
  await expect(several.forRun(1n).resolve('silent.example')).rejects.toThrow(slow);
});

test('asks a second server when the first one is silent', async () => {
  await using silent = await serveNames(() => 'silence');
  await using dns = await serveNames((_name, family) => (family === 4 ? ['192.0.2.7'] : []));
  const names = createActionNames([silent.server, dns.server]).forRun(1n);
  expect(await names.resolve('name.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
});

test('asks one server once for each family, so that a late answer counts', async () => {
  const asked: number[] = [];
  await using dns = await serveNames((_name, family) => {
    asked.push(family);
    return 'silence';
  });
  const names = createActionNames([dns.server]).forRun(1n);
  await expect(names.resolve('name.example')).rejects.toThrow('did not resolve in 2000 ms');
  expect(asked.sort()).toEqual([4, 6]);
});

test('limits the concurrent lookups of a run', async () => {
  await using dns = await holding();
  const names = createActionNames([dns.server]);
  const all = resolveMany(names.forRun(1n), 'name', 7);
  for (let left = 7; left > 0; left -= MAX_LOOKUPS_PER_RUN) {
    const expected = Math.min(left, MAX_LOOKUPS_PER_RUN);
    await eventually(() => dns.held.size >= expected);
    // Its reply shows that all earlier questions have arrived.
    await names.forRun(2n).resolve(`probe${left}.example`);
    expect(dns.held.size).toBe(expected);
    for (const name of dns.held.keys()) dns.release(name);
  }
  expect(await Promise.all(all)).toHaveLength(7);
});

test('limits the concurrent lookups of an account over all of its runs, and of no other account', async () => {
  await using dns = await holding();
  const names = createActionNames([dns.server]);
  const runs = Array.from({ length: 5 }, () => names.forRun(1n));
  const all = runs.flatMap((run, number) => resolveMany(run, `run${number}-`, MAX_LOOKUPS_PER_RUN));
  await eventually(() => dns.held.size >= MAX_LOOKUPS_PER_ACCOUNT);
  expect(await names.forRun(2n).resolve('probe.example')).toHaveLength(2);
  expect(dns.held.size).toBe(MAX_LOOKUPS_PER_ACCOUNT);

  // A run that ends frees its lookups for the others.
  const settled = Promise.allSettled(all);
  runs[0]?.close();
  await eventually(() => dns.held.size >= MAX_LOOKUPS_PER_ACCOUNT + MAX_LOOKUPS_PER_RUN);
  for (const run of runs) run.close();
  expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
});

test('resolves a hundred slow names without using the threads of the host', async () => {
  await using dns = await serveNames(() => 'silence');
  const names = createActionNames([dns.server]);
  const options = { ...defaultFetchOptions, dnsServers: [dns.server] };
  let systemLookups = 0;
  let settled = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'GETADDRINFOREQWRAP') systemLookups += 1;
    },
  }).enable();
  const agents = Array.from({ length: 34 }, (_, account) =>
    createGuardedAgent(options, names.forRun(BigInt(account)), () => {}),
  );
  const fetches = agents.flatMap((agent, account) =>
    Array.from({ length: MAX_LOOKUPS_PER_RUN }, (_, number) =>
      guardedFetch(
        agent,
        options,
        {
          type: 'fetch',
          id: 1,
          url: `http://slow-${account}-${number}.example/`,
          method: 'GET',
          headers: [],
          redirect: 'follow',
          body: 'none',
        },
        null,
        new AbortController().signal,
        { onRequest() {}, onBytes() {} },
      ).finally(() => {
        settled += 1;
      }),
    ),
  );
  const results = Promise.allSettled(fetches);
  await eventually(() => new Set(dns.asked).size === fetches.length);
  expect(await lookup('localhost')).toMatchObject({ address: expect.any(String) });
  expect((await readFile(import.meta.filename)).length).toBeGreaterThan(0);
  expect({ settled, systemLookups }).toEqual({ settled: 0, systemLookups: 1 });
  hook.disable();
  const failures = (await results).map((result) => result.status === 'rejected' && result.reason.message);
  expect(failures[0]).toBe('fetch failed: the name slow-0-0.example did not resolve in 2000 ms');
  expect(failures).toHaveLength(102);
  for (const agent of agents) await agent.destroy();
});

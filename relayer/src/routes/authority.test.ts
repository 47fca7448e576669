/**
 * Every caller at every endpoint: the status matches `rules`, is documented and has the error body, and no call changes
 * an account other than the caller's.
 */

import { type Documented, documentedPath, findOperation } from '@latchkey/testing/fuzz/judge';
import type { Sample } from '@latchkey/testing/fuzz/requests';
import { client, expectError, get, type Reply, stack } from '@latchkey/testing/stack';
import { billingAuth } from '@latchkey/testing/wallet-proof';
import { describe, expect, test } from 'vitest';
import { type AccountName, openAccounts } from '../../test/authority/accounts.ts';
import { type Caller, openCallers } from '../../test/authority/callers.ts';
import { type Fingerprint, readFingerprint } from '../../test/authority/fingerprint.ts';
import { type Expected, expected, rules } from '../../test/authority/rules.ts';
import { createSample, sampleNames } from '../../test/authority/samples.ts';
import { routes } from './index.ts';

const AT_ONCE = 4;

const endpoints = routes.map(({ method, path }) => `${method} ${path}`);

const firstBlock = await client.getBlockNumber();
const accounts = await openAccounts();
const callers = await openCallers(accounts);
const documented = ((await get('openapi.json')).body as { paths: Documented }).paths;

/** Statuses that the OpenAPI description documents per endpoint. */
const documentedStatuses = (endpoint: string): number[] => {
  const [method = '', path = ''] = endpoint.split(' ');
  return Object.keys(findOperation(documented, method, documentedPath(path))?.responses ?? {}).map(Number);
};

async function send(
  endpoint: string,
  { body, params, query, headers }: Sample,
  caller: Caller,
): Promise<Reply> {
  const [method = '', path = ''] = endpoint.split(' ');
  const target = path.replaceAll(/:(\w+)/g, (whole, name) => params?.[name] ?? whole);
  const response = await fetch(`${stack.url}${target}?${new URLSearchParams(query)}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers, ...caller.headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

async function fingerprint(name: AccountName): Promise<Fingerprint> {
  const owner = accounts[name];
  const headers = 'admin' in owner ? await billingAuth(owner.admin) : { 'X-Api-Key': owner.key };
  return readFingerprint(accounts[name].hash, headers, firstBlock);
}

const fingerprints = (names: readonly AccountName[]) => Promise.all(names.map(fingerprint));

/** Runs `work` for each item, a few concurrently. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

function judge(endpoint: string, reply: Reply, caller: Caller, { statuses }: Expected): void {
  const { status } = reply;
  const where = `${endpoint}, ${caller.name}: ${JSON.stringify(reply.body)}`;
  expect(statuses, where).toContain(status);
  expect(documentedStatuses(endpoint), `${status} of ${where} is documented`).toContain(status);
  if (status >= 400) expectError(reply, status as 401);
}

const allNames: AccountName[] = ['home', 'other', 'converted', 'chainSecured'];

test('every endpoint has a rule and a sample request', () => {
  expect(Object.keys(rules).sort()).toEqual(endpoints.toSorted());
  expect(sampleNames.toSorted()).toEqual(endpoints.toSorted());
});

describe.each(endpoints)('%s', (endpoint) => {
  const cells = (): { caller: Caller; wanted: Expected }[] => {
    const rule = rules[endpoint];
    if (!rule) throw new Error(`${endpoint} has no rule: add one to relayer/test/authority/rules.ts`);
    return callers.map((caller) => ({ caller, wanted: expected(rule, caller, accounts.home.groupId) }));
  };

  test('a caller that is refused, or has no account, changes nothing', async () => {
    const refused = cells().filter(({ wanted }) => wanted.account === undefined);
    const sample = await createSample(endpoint, accounts.home);
    const before = await fingerprints(allNames);
    await forEach(refused, async ({ caller, wanted }) =>
      judge(endpoint, await send(endpoint, sample, caller), caller, wanted),
    );
    expect(await fingerprints(allNames)).toEqual(before);
  });

  test('a permitted caller changes only its own account', async () => {
    for (const account of allNames) {
      const permitted = cells().filter(({ wanted }) => wanted.account === account);
      if (permitted.length === 0) continue;
      const requests = await Promise.all(
        permitted.map(async (cell) => ({ ...cell, sample: await createSample(endpoint, accounts.home) })),
      );
      const others = allNames.filter((name) => name !== account);
      const before = await fingerprints(others);
      const ownBefore = await fingerprint(account);
      const replies: Reply[] = [];
      await forEach(requests, async ({ caller, sample, wanted }) => {
        const reply = await send(endpoint, sample, caller);
        judge(endpoint, reply, caller, wanted);
        replies.push(reply);
      });
      expect(await fingerprints(others)).toEqual(before);
      const isWritten = rules[endpoint]?.write === true && replies.some(({ status }) => status === 200);
      const events = (await fingerprint(account)).events;
      expect(events - ownBefore.events, 'events of the account')[isWritten ? 'toBeGreaterThan' : 'toBe'](0);
    }
  });
});

describe('a run uses only the wallets of its own account', () => {
  test.each([
    ['usage key with execute_in_groups of the group', 'key released'],
    ['usage key with execute_in_groups of all groups', 'key released'],
    ['usage key of the account other', 'key refused'],
    ['usage key of the account chainSecured', 'key refused'],
  ])('%s: %s', async (name, response) => {
    const caller = callers.find((candidate) => candidate.name === name);
    if (!caller) throw new Error(name);
    const sample = await createSample('POST /core/v1/svc_action', accounts.home);
    expect((await send('POST /core/v1/svc_action', sample, caller)).body).toMatchObject({ response });
  });
});

test('the code of a refused run is not stored', async () => {
  const code = `function main() { return ${JSON.stringify(crypto.randomUUID())} }`;
  const find = (name: string): Caller => callers.find((caller) => caller.name === name) as Caller;
  const endpoint = 'POST /core/v1/svc_action';
  const cid = (await send('POST /core/v1/get_svc_action_ipfs_id', { body: code }, find('no key'))).body;
  for (const name of ['no key', 'account key', 'usage key without permissions'])
    expect((await send(endpoint, { body: { code } }, find(name))).status).toBeGreaterThanOrEqual(400);
  const asked = await send(endpoint, { body: { ipfs_id: cid } }, find('usage key with every permission'));
  expectError(asked, 404);
});

/**
 * Input that no endpoint accepts, sent to all of them: each reply is a 4xx with the error body, and nothing is written.
 */

import {
  type Account,
  addGroup,
  addUsageKey,
  expectError,
  newAccount,
  read,
  stack,
} from '@latchkey/testing/stack';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from './index.ts';

let account: Account;
let keys: Record<(typeof routes)[number]['auth'], string | undefined>;
let before: unknown;

/** The complete state of the account. */
const readState = async ({ hash }: Account) => [
  await read('listSizes', [hash]),
  await read('listApiKeys', [hash, 0n, 20n]),
  await read('listGroups', [hash, 0n, 100n]),
  await read('listGroupContents', [hash, 1n]),
];

beforeAll(async () => {
  account = await newAccount();
  await addGroup(account.key);
  const usageKey = await addUsageKey(account.key, { execute_in_groups: [0] });
  keys = {
    none: undefined,
    key: account.key,
    mintingKey: account.key,
    accountKey: account.key,
    consentingKey: account.key,
    anyKeyOrWallet: account.key,
    anyAccountKeyOrWallet: account.key,
    keyOrWallet: account.key,
    accountKeyOrWallet: account.key,
    runKey: usageKey,
    anyKeyText: account.key,
    operator: stack.operatorToken,
  };
  before = await readState(account);
});

const send = async (
  route: (typeof routes)[number],
  body: string | Buffer | undefined,
  headers: Record<string, string> = {},
  query = '',
) => {
  const key = keys[route.auth];
  const response = await fetch(`${stack.url}${route.path}${query}`, {
    method: route.method,
    ...(body === undefined ? {} : { body }),
    headers: { 'Content-Type': 'application/json', ...(key && { 'X-Api-Key': key }), ...headers },
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
};

const writes = routes.filter((route) => route.method === 'POST' && !('rawBody' in route));
/** The route that takes a JSON string accepts any text as code. */
const takesObject = writes.filter(({ path }) => !path.endsWith('/get_svc_action_ipfs_id'));

describe.each(writes.map((route) => [route.path, route] as const))('%s', (_path, route) => {
  test.each([
    ['malformed JSON', '{"group_id":'],
    ['two values', '{} {}'],
    ['a repeated name', '{"name":"a","name":"a"}'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['nesting deeper than 100', `${'['.repeat(101)}${']'.repeat(101)}`],
    ['a number', '1'],
    ['null', 'null'],
    ['an array', '[]'],
  ])('%s', async (what, body) => {
    expectError(await send(route, body), /number|null|array/.test(what) ? 422 : 400);
  });

  test('another content type', async () => {
    expectError(await send(route, 'a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }), 400);
  });

  test('a body above 10 MiB', async () => {
    expectError(await send(route, Buffer.alloc(10 * 1024 * 1024 + 1, 0x20)), 413);
  });

  test('headers', async () => {
    expectError(await send(route, '{"', { 'X-Min-Block': 'x' }), 400);
    if (route.path.endsWith('/get_svc_action_ipfs_id')) return;
    const valid = JSON.stringify(Object.fromEntries([['name', 'n']]));
    for (const header of ['X-Min-Block', 'Idempotency-Key'] as const) {
      const { status } = await send(route, valid, { [header]: 'ä'.repeat(300).slice(0, 256) });
      expect([400, 422]).toContain(status);
    }
  });
});

test.each(takesObject.map(({ path }) => path))(
  'returns a 4xx from %s for objects of unsuitable values',
  async (path) => {
    const route = takesObject.find((candidate) => candidate.path === path);
    if (!route) throw new Error(path);
    // Values that fit no field of any endpoint. An endpoint with optional fields only accepts {}.
    const unfit = fc.oneof(
      fc
        .constantFrom(true, null, -1, 1.5, 2 ** 64, '0x', '\u0000', '\ud800', 'x'.repeat(2_000))
        .map((value) => [value]),
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
    );
    const fields = [
      'name',
      'description',
      'group_id',
      'usage_api_key',
      'account_name',
      'group_name',
      'hashed_cid',
      'code',
    ];
    await fc.assert(
      fc.asyncProperty(fc.record(Object.fromEntries(fields.map((field) => [field, unfit]))), async (body) => {
        const reply = await send(route, JSON.stringify(body));
        expect([400, 422]).toContain(reply.status);
        expectError(reply, reply.status as 400);
      }),
      { numRuns: 10 },
    );
  },
);

function hostileQueries(path: string): string[] {
  if (path.endsWith('/create_wallet')) return ['?name=%00', `?name=${'x'.repeat(200)}`, '?name=a&name=b'];
  if (path.endsWith('/transactions'))
    return ['?page_size=1e3', '?page_size=', '?before=%00', '?wallet=%00', '?status=x'];
  if (/\/(list_approvals|list_account_changes|requests)$/.test(path))
    return ['?page_size=1e3', '?page_size=', '?before=%00', '?before=x'];
  const pages = path.endsWith('/list_runs')
    ? ['?before=%00', '?error_name=%00']
    : ['?page_number=%00', '?page_number=99999999999'];
  return ['?page_size=1e3', '?page_size=', ...pages];
}

test.each(routes.filter(({ method, query }) => method === 'GET' && query).map(({ path }) => path))(
  'returns a 4xx from %s for hostile queries',
  async (path) => {
    const route = routes.find((candidate) => candidate.path === path && candidate.method === 'GET');
    if (!route) throw new Error(path);
    const queries = hostileQueries(path);
    for (const query of queries) {
      const reply = await send(route, undefined, {}, query);
      expect([400, 422]).toContain(reply.status);
      expectError(reply, reply.status as 400);
    }
  },
);

test.each(['GET', 'PUT', 'DELETE', 'PATCH'])(
  'returns 404 for %s on a POST path, and for unknown paths',
  async (method) => {
    for (const path of [
      '/core/v1/add_group',
      '/core/v1/Add_Group',
      '/core/v1/add_group/',
      '/core/v1/%2e%2e/health',
      '/x',
    ]) {
      const response = await fetch(`${stack.url}${path}`, { method, headers: { 'X-Api-Key': account.key } });
      expectError({ status: response.status, body: await response.json(), headers: response.headers }, 404);
    }
  },
);

test('leaves the account unchanged', async () => {
  expect(await readState(account)).toEqual(before);
});

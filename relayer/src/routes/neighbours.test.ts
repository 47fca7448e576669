/** An account beside others that send as many concurrent requests as they can. Statuses and order are judged, not times. */
import { afterAll, describe, expect, test } from 'vitest';
import { openAccount, startCrashHarness } from '../../test/crash-harness.ts';

const FLOOD = 150;
const FLOODING_ACCOUNTS = 30;
const NEIGHBOUR_REQUESTS = 5;
const group = { group_name: 'g', group_description: '' };
const opening = { account_name: 'a', account_description: '' };

const harness = await startCrashHarness();
const neighbour = await openAccount(harness);
const attacker = await openAccount(harness);
afterAll(() => harness[Symbol.asyncDispose]());

async function send(key: string, path: string, body?: object) {
  const response = await fetch(`${harness.url}/core/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': key },
    ...(body && { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  const { status, headers } = response;
  return {
    status,
    retryAfterSec: Number(headers.get('retry-after')),
    block: Number(headers.get('x-block-number')),
  };
}
type Sent = Awaited<ReturnType<typeof send>>;

/** Sends the requests of the neighbour one after another. */
async function visit(path: string, body?: object): Promise<Sent[]> {
  const sent: Sent[] = [];
  while (sent.length < NEIGHBOUR_REQUESTS) sent.push(await send(neighbour.key, path, body));
  return sent;
}

const all200 = Array.from({ length: NEIGHBOUR_REQUESTS }, () => expect.objectContaining({ status: 200 }));
const statuses = (sent: Sent[]) => [...new Set(sent.map(({ status }) => status))].sort();
const lastBlock = (sent: Sent[]) => Math.max(...sent.map(({ block }) => block));

/** A refusal is a 429 with the time to wait, never an error of the service. */
function expectRefusals(flood: Sent[]): void {
  expect(statuses(flood)).toEqual([200, 429]);
  for (const { status, retryAfterSec } of flood) if (status === 429) expect(retryAfterSec).toBeGreaterThan(0);
}

describe('writes of a neighbour succeed, before those that wait,', () => {
  test('beside concurrent writes of one account, which are 429 above its share', async () => {
    const flooding = Promise.all(Array.from({ length: FLOOD }, () => send(attacker.key, 'add_group', group)));
    const visited = await visit('add_group', group);
    const flood = await flooding;
    expect(visited).toEqual(all200);
    expectRefusals(flood);
    expect(visited[0]?.block).toBeLessThan(lastBlock(flood));
  });

  test('beside concurrent writes of 30 accounts', async () => {
    const accounts = await Promise.all(Array.from({ length: FLOODING_ACCOUNTS }, () => openAccount(harness)));
    const keys = Array.from({ length: FLOOD }, (_, index) => accounts[index % FLOODING_ACCOUNTS]?.key ?? '');
    const flooding = Promise.all(keys.map((key) => send(key, 'add_group', group)));
    const visited = await visit('add_group', group);
    const flood = await flooding;
    expect(visited).toEqual(all200);
    expect([200, 429]).toEqual(expect.arrayContaining(statuses(flood)));
    expect(visited[0]?.block).toBeLessThan(lastBlock(flood));
  });

  test('beside concurrent openings of accounts', async () => {
    const flooding = Promise.all(Array.from({ length: FLOOD }, () => send('', 'new_account', opening)));
    expect(await visit('add_group', group)).toEqual(all200);
    expect([200, 429]).toEqual(expect.arrayContaining(statuses(await flooding)));
  });
});

describe('requests of a neighbour succeed beside concurrent reads of one account, which are 429 above its share:', () => {
  test.each([
    ['list_runs', 'billing/balance'],
    ['billing/ledger', 'list_runs'],
    ['billing/balance', 'add_group'],
  ])('%s beside %s', async (read, path) => {
    const flooding = Promise.all(Array.from({ length: FLOOD }, () => send(attacker.key, read)));
    expect(await visit(path, path === 'add_group' ? group : undefined)).toEqual(all200);
    expectRefusals(await flooding);
  });
});

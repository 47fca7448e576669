import { randomUUID } from 'node:crypto';
import { apiKeyHash } from '@latchkey/protocol';
import {
  type Account,
  addGroup,
  addUsageKey,
  call,
  cidOfCode,
  createWallet,
  expectError,
  get,
  hex,
  newAccount,
  payAndConfirm,
  post,
  stack,
} from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { createParser } from 'eventsource-parser';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

// Some tests start their own relayers, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

type Event = { event: string; data: unknown };
type Record = { id: string; status: string; [field: string]: unknown };

let account: Account;
let usageKey: string;
let pkpId: string;
beforeAll(async () => {
  account = await newAccount();
  pkpId = await createWallet(account.key);
  await payAndConfirm({ 'X-Api-Key': account.key });
  const group = await addGroup(account.key, {
    pkp_ids_permitted: [pkpId],
    cid_hashes_permitted: [hex(0n)],
  });
  usageKey = await addUsageKey(account.key, { execute_in_groups: [group] });
});

/** Calls `onEvent` with the events of a run. Resolves to all of them. */
async function stream(
  body: object,
  onEvent: (event: Event) => void = () => {},
  { key = usageKey, headers = {}, url = stack.url }: { key?: string; headers?: object; url?: string } = {},
): Promise<Event[]> {
  const response = await fetch(`${url}/core/v1/svc_action`, {
    method: 'POST',
    headers: {
      'X-Api-Key': key,
      'Content-Type': 'application/json',
      Accept: 'text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ]);
  const events: Event[] = [];
  const parser = createParser({
    onEvent({ event = '', data }) {
      const read = { event, data: JSON.parse(data) };
      events.push(read);
      onEvent(read);
    },
  });
  for await (const text of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()))
    parser.feed(text);
  return events;
}
const dataOf = <Data>(events: Event[], name: string): Data[] =>
  events.filter(({ event }) => event === name).map(({ data }) => data as Data);
const logsOf = (events: Event[]): string =>
  dataOf<{ text: string }>(events, 'log')
    .map(({ text }) => text)
    .join('');
type Result = { status: number; headers: { [name: string]: string }; body: { [field: string]: unknown } };
const resultOf = (events: Event[]): Result => dataOf<Result>(events, 'result')[0] as Result;

/** Runs the code. Resolves to its record. */
async function recordOf(code: string, js_params: object = {}): Promise<Record> {
  const { headers, status } = await post('svc_action', { code, js_params }, usageKey);
  expect(status).toBe(200);
  return (await get(`run/${headers.get('x-run-id')}`, usageKey)).body as Record;
}

const sleeper = `async function main() {
  console.log('begun');
  await new Promise((done) => setTimeout(done, 60_000));
}`;

/** Starts a run that sleeps. Resolves to its id once its output has begun. */
async function startSleeper(options?: Parameters<typeof stream>[2]) {
  const begun = Promise.withResolvers<string>();
  let id = '';
  const events = stream(
    { code: sleeper },
    ({ event, data }) => {
      if (event === 'run') id = (data as { run_id: string }).run_id;
      if (event === 'log') begun.resolve(id);
      if (event === 'result') begun.reject(new Error(JSON.stringify(data)));
    },
    options,
  );
  events.catch(begun.reject);
  return { id: await begun.promise, events };
}

describe('the record of a run', () => {
  test('of a success: who, what, how long, what it used and cost', async () => {
    const code = `async function main({ pkpId }) {
      await Svc.Actions.getPrivateKey({ pkpId: pkpId.toLowerCase() });
      await Svc.Actions.getActionPrivateKey();
      const held = new Uint8Array(40_000_000).fill(1);
      const end = Date.now() + 150;
      while (Date.now() < end);
      return held.length;
    }`;
    const record = await recordOf(code, { pkpId });
    expect(record).toEqual({
      id: expect.any(String),
      account: hex(account.hash),
      usage_key_hash: hex(apiKeyHash(usageKey)),
      cid: await cidOfCode(code),
      status: 'success',
      error_name: null,
      started_at: expect.any(String),
      ended_at: expect.any(String),
      duration_ms: expect.any(Number),
      cpu_ms: expect.any(Number),
      memory_peak_bytes: expect.any(Number),
      charged_micros: expect.any(Number),
      key_operations: [
        { operation: 'getPrivateKey', wallet: pkpId },
        { operation: 'getActionPrivateKey', wallet: null },
      ],
      fetch_hosts: [],
      receipt: { message: expect.any(Object), signature: expect.any(String) },
      output: null,
    });
    expect(record.duration_ms).toBeGreaterThanOrEqual(150);
    expect(record.cpu_ms).toBeGreaterThanOrEqual(20);
    expect(record.memory_peak_bytes).toBeGreaterThan(20_000_000);
    expect(record.charged_micros).toBe(10_000 * Math.max(1, Math.ceil(Number(record.duration_ms) / 1_000)));
    expect(JSON.stringify(record)).not.toContain(usageKey);
  });

  test('of a failure: the name of its error, without characters that PostgreSQL cannot store', async () => {
    const record = await recordOf(`const main = () => {
      const error = new Error('not in the record');
      error.name = 'Bad\\0Name';
      throw error;
    }`);
    expect(record).toMatchObject({ status: 'failed', error_name: 'Bad\ufffdName' });
    expect(JSON.stringify(record)).not.toContain('not in the record');
  });

  test('has no refused key functions, but the hosts of failed requests', async () => {
    const record = await recordOf(`async function main() {
      const pkpId = '0x00000000000000000000000000000000000000Ff';
      await Svc.Actions.getPrivateKey({ pkpId }).catch(() => {});
      await fetch('http://127.0.0.1:65000/path?secret=1').catch(() => {});
      await fetch('http://127.0.0.1:65000/other').catch(() => {});
    }`);
    expect(record).toMatchObject({ status: 'success', key_operations: [], fetch_hosts: ['127.0.0.1:65000'] });
  });

  test('of a run in progress', async () => {
    const { id, events } = await startSleeper();
    const { body } = await get(`run/${id}`, account.key);
    expect(body).toMatchObject({
      id,
      status: 'running',
      ended_at: null,
      duration_ms: null,
      cpu_ms: null,
      charged_micros: null,
      error_name: null,
      key_operations: [],
      fetch_hosts: [],
    });
    await call('DELETE', `run/${id}`, { key: usageKey });
    await events;
  });

  test('of an idempotent run that was repeated is one record', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { code: 'const main = () => "once"' };
    const first = await post('svc_action', body, usageKey, headers);
    const second = await post('svc_action', body, usageKey, headers);
    expect(second.headers.get('x-run-id')).toBe(first.headers.get('x-run-id'));
    const { body: listed } = await get(`list_runs?cid=${await cidOfCode(body.code)}`, usageKey);
    expect((listed as Record[]).map(({ id }) => id)).toEqual([first.headers.get('x-run-id')]);
  });

  test('404 for other accounts, other usage keys, and unknown ids; 400 for a malformed id', async () => {
    const { id } = await recordOf('const main = () => 1');
    const otherKey = await addUsageKey(account.key);
    const stranger = await newAccount();
    for (const key of [otherKey, stranger.key]) {
      expectError(await get(`run/${id}`, key), 404);
      expectError(await call('DELETE', `run/${id}`, { key }), 404);
      expectError(await get(`list_runs?before=${id}`, key), 404);
    }
    expectError(await get(`run/${randomUUID()}`, account.key), 404);
    expectError(await get('run/1', account.key), 400);
    expect((await get(`run/${id}`, account.key)).status).toBe(200);
  });
});

describe('list_runs', () => {
  const ids = ({ body }: { body: unknown }) => (body as Record[]).map(({ id }) => id);

  test('newest first, in pages', async () => {
    const key = await addUsageKey(account.key, { execute_in_groups: [0] });
    const made: string[] = [];
    for (let i = 0; i < 5; i++) {
      const { headers } = await post('svc_action', { code: `const main = () => ${i}` }, key);
      made.unshift(headers.get('x-run-id') ?? '');
    }
    expect(ids(await get('list_runs', key))).toEqual(made);
    expect(ids(await get('list_runs?page_size=2', key))).toEqual(made.slice(0, 2));
    expect(ids(await get(`list_runs?page_size=2&before=${made[1]}`, key))).toEqual(made.slice(2, 4));
    expect(ids(await get(`list_runs?before=${made[4]}`, key))).toEqual([]);
    const ofKey = `list_runs?usage_key_hash=${hex(apiKeyHash(key))}`;
    expect(ids(await get(ofKey, account.key))).toEqual(made);
    expect(ids(await get(ofKey, usageKey))).toEqual([]);
  });

  test('with filters', async () => {
    const key = await addUsageKey(account.key, { execute_in_groups: [0] });
    const idOf = async (code: string) =>
      (await post('svc_action', { code }, key)).headers.get('x-run-id') ?? '';
    const good = 'const main = () => "good"';
    const success = await idOf(good);
    const between = new Date().toISOString();
    const failure = await idOf('const main = () => { throw new RangeError("bad") }');
    const found = async (query: string) => ids(await get(`list_runs?${query}`, key));
    expect(await found('')).toEqual([failure, success]);
    expect(await found('status=success')).toEqual([success]);
    expect(await found('status=failed')).toEqual([failure]);
    expect(await found('status=running')).toEqual([]);
    expect(await found('status=released')).toEqual([]);
    expect(await found(`cid=${await cidOfCode(good)}`)).toEqual([success]);
    expect(await found('error_name=RangeError')).toEqual([failure]);
    expect(await found(`from=${between}`)).toEqual([failure]);
    expect(await found(`to=${between}`)).toEqual([success]);
    expect(await found(`to=${between}&status=failed`)).toEqual([]);
  });

  test('422: an unknown status', async () => {
    expectError(await get('list_runs?status=done', account.key), 422);
  });
  test.each(['page_size=0', 'before=1', 'from=yesterday', 'usage_key_hash=1', 'cid=1'])(
    '400: %s',
    async (query) => {
      expectError(await get(`list_runs?${query}`, account.key), 400);
    },
  );
});

describe('a stream', () => {
  test('has the id of the run, its output as it comes, and its result', async () => {
    const cid = await cidOfCode(sleeper);
    const { id, events } = await startSleeper();
    await call('DELETE', `run/${id}`, { key: usageKey });
    const all = await events;
    expect(all.map(({ event }) => event)).toEqual(['run', 'log', 'result']);
    expect(all[0]?.data).toEqual({ run_id: id, cid });
    expect(all[1]?.data).toEqual({ text: 'begun\n' });
    expect(resultOf(all)).toMatchObject({ status: 200, headers: { 'X-Run-Id': id, 'X-Run-Cid': cid } });
  });

  test('all texts together are the logs of the result', async () => {
    const code = `async function main() {
      for (let i = 0; i < 2_000; i++) console.log(i, '💡');
      await new Promise((done) => setTimeout(done, 100));
      console.log('end');
      return 1;
    }`;
    const events = await stream({ code });
    const { body, headers } = resultOf(events);
    expect(body).toMatchObject({ response: 1, has_error: false });
    expect(logsOf(events)).toBe(body.logs);
    expect(logsOf(events)).toMatch(/^0 💡\n1 💡\n.*\n1999 💡\nend\n$/s);
    expect(dataOf(events, 'log').length).toBeLessThan(100);
    const seconds = Math.max(1, Math.ceil(Number(headers['X-Run-Duration-Ms']) / 1_000));
    expect(headers['X-Run-Cost-Micros']).toBe(`${seconds}0000`);
  });

  test('ends at the limit of the output, with the same output as the result', async () => {
    const events = await stream({ code: 'const main = () => { for (;;) console.log("x".repeat(999)); }' });
    const { body } = resultOf(events);
    expect(body).toMatchObject({ has_error: true, error: { name: 'ConsoleLimitError' } });
    expect(logsOf(events)).toBe(body.logs);
  });

  test('of a repeated request has the outcome of the first', async () => {
    const options = { headers: { 'Idempotency-Key': randomUUID() } };
    const body = { code: 'const main = () => { console.log("a"); return Math.random() }' };
    const first = await stream(body, undefined, options);
    const second = await stream(body, undefined, options);
    expect(second.map(({ event }) => event)).toEqual(['result']);
    expect(resultOf(second)).toEqual(resultOf(first));
  });

  test('402 and 403 are plain replies', async () => {
    const headers = { Accept: 'text/event-stream' };
    const body = { code: 'const main = () => 1' };
    const poor = await newAccount();
    const poorKey = await addUsageKey(poor.key, { execute_in_groups: [0] });
    // This relayer does not know the starter credit that the account got from the other.
    await using withoutCredit = await ownRelayer();
    expectError(await call('POST', 'svc_action', { key: poorKey, body, headers }, withoutCredit.url), 402);
    expectError(await post('svc_action', body, await addUsageKey(account.key), headers), 403);
  });
});

describe('a stop', () => {
  test('ends the run with StoppedError before its code would end, and it is charged for what it used', async () => {
    const { id, events } = await startSleeper();
    const startedAt = performance.now();
    const { status, body } = await call('DELETE', `run/${id}`, { key: usageKey });
    const tookMs = performance.now() - startedAt;
    expect(status).toBe(200);
    const { duration_ms: durationMs } = body as { duration_ms: number };
    expect(body).toMatchObject({
      id,
      status: 'failed',
      error_name: 'StoppedError',
      charged_micros: 10_000 * Math.ceil(durationMs / 1_000),
    });
    // The code would sleep for a minute.
    expect(tookMs).toBeLessThan(20_000);
    expect(resultOf(await events).body).toMatchObject({
      has_error: true,
      logs: 'begun\n',
      error: { name: 'StoppedError', message: 'the run was stopped by its account' },
    });
  });

  test('by the account key, of a run without a stream', async () => {
    const code = `${sleeper} // ${randomUUID()}`;
    const reply = post('svc_action', { code }, usageKey);
    const listed = async () =>
      (await get(`list_runs?status=running&cid=${await cidOfCode(code)}`, account.key)).body as Record[];
    await until('the run is listed', async () => (await listed()).length === 1);
    const id = (await listed())[0]?.id;
    expect((await call('DELETE', `run/${id}`, { key: account.key })).body).toMatchObject({
      status: 'failed',
    });
    expect((await reply).body).toMatchObject({ error: { name: 'StoppedError' } });
  });

  test('of a run that has ended changes nothing', async () => {
    const record = await recordOf('const main = () => "done"');
    const { status, body } = await call('DELETE', `run/${record.id}`, { key: usageKey });
    expect([status, { ...(body as object), output: null }]).toEqual([200, record]);
  });

  test('reaches a run of another relayer on the same database', async () => {
    await using first = await ownRelayer();
    await using second = await first.sibling();
    await payAndConfirm({ 'X-Api-Key': account.key }, { url: first.url });
    const { id, events } = await startSleeper({ url: first.url });
    const { body } = await call('DELETE', `run/${id}`, { key: usageKey }, second.url);
    expect(body).toMatchObject({ id, status: 'failed', error_name: 'StoppedError' });
    expect(resultOf(await events).body).toMatchObject({ error: { name: 'StoppedError' } });
  });
});

/** The traces of a whole stack, at a stand-in for a collector. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type Collector, type ExportedSpan, startCollector } from '@latchkey/testing/collector';
import { until } from '@latchkey/testing/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutputLine } from './output.ts';
import { type Stack, startStack } from './stack.ts';
import { temporaryDataDir } from './temporary-data-dir.ts';
import { testEnvironment } from './test-setup.ts';

const START_TIMEOUT_MS = 120_000;
const PASSWORD = 'canary-of-the-collector';

let dataDir: string;
let collector: Collector;
let stack: Stack;
const output: OutputLine[] = [];
beforeAll(async () => {
  dataDir = await temporaryDataDir();
  collector = await startCollector();
  const traces = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${PASSWORD}`,
  };
  const env = { ...testEnvironment, ...traces, RUNTIME_POOL_SIZE: '1', TRUST_PROXY: '1' };
  stack = await startStack({ dataDir, env, onOutput: (line) => output.push(line) });
}, START_TIMEOUT_MS);

afterAll(async () => {
  await stack?.close();
  await collector?.[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: the tests check the fields that they use
async function call(url: string, headers: Record<string, string>, body?: unknown): Promise<any> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

const relayer = (path: string, key: string, body?: unknown) =>
  call(`${stack.baseUrl}/${path}`, key === '' ? {} : { 'X-Api-Key': key }, body);

/** Resolves to the spans of a trace when it has one with each of these names. */
const traceWith = (traceId: string, names: string[]): Promise<ExportedSpan[]> =>
  until(`the trace has ${names}`, async () => {
    const spans = collector.spans().filter((span) => span.traceId === traceId);
    return names.every((name) => spans.some((span) => span.name === name)) && spans;
  });

/** Returns the services and names from a span up to the root. */
function pathOf(spans: ExportedSpan[], name: string): string[] {
  const path: string[] = [];
  for (
    let span = spans.find((each) => each.name === name);
    span;
    span = spans.find(({ spanId }) => spanId === span?.parentSpanId)
  )
    path.push(`${span.service}: ${span.name}`);
  return path;
}

test(
  'one trace, whose id is that of the run, leads from a webhook through the relayer to the runner and the key nodes, and has no secret',
  async () => {
    const { api_key: key } = await relayer('new_account', '', {
      account_name: 'canary-of-a-name',
      account_description: '',
    });
    const { wallet_address: pkpId } = await relayer('create_wallet', key, {});
    const code = `const main = async ({ pkpId }) => {
      console.log('canary-of-the-output');
      return (await Svc.Actions.getPrivateKey({ pkpId })).length;
    }`;
    const cid = await relayer('get_svc_action_ipfs_id', '', code);
    const { group_id: group } = await relayer('add_group', key, {
      group_name: 'g',
      group_description: '',
      pkp_ids_permitted: [pkpId],
      cid_hashes_permitted: [],
    });
    await relayer('add_action_to_group', key, { group_id: group, action_ipfs_cid: cid });
    const { usage_api_key: usageKey } = await relayer('add_usage_api_key', key, {
      execute_in_groups: [group],
    });
    const triggers = `${stack.triggersUrl}/api`;
    const { token } = await call(`${triggers}/login`, {}, { account_key: key });
    const bearer = { Authorization: `Bearer ${token}` };
    const trigger = await call(`${triggers}/triggers`, bearer, {
      name: 't',
      kind: 'webhook',
      usage_api_key: usageKey,
      action_code: code,
      default_params: { pkpId, param: 'canary-of-the-parameters' },
    });
    const sent = 'canary-of-the-query';
    const { run_id } = await call(`${trigger.webhook_url}?${sent}`, {}, { text: 'canary-of-the-event' });

    const spans = await traceWith(run_id.replaceAll('-', ''), [
      'accept',
      'run',
      'POST /core/v1/svc_action',
      'permission',
      'reserve',
      'run at a runner',
      'wait for a process',
      'code',
      'ask a key node',
      'POST /v1/release',
      'capture',
    ]);
    const run = await call(`${triggers}/runs/${run_id}`, bearer);
    expect(run).toMatchObject({ status: 'success', response: 66 });
    const request = ['latchkey-relayer: POST /core/v1/svc_action', 'latchkey-triggers: run'];
    const place = 'latchkey-relayer: run at a runner';
    expect(pathOf(spans, 'code')).toEqual(['latchkey-runner: code', place, ...request]);
    const asked = ['latchkey-relayer: ask a key node', place, ...request];
    expect(pathOf(spans, 'POST /v1/release')).toEqual(['latchkey-keynode: POST /v1/release', ...asked]);
    const [link] = spans.find(({ name }) => name === 'accept')?.links ?? [];
    const delivery = await until('the delivery', async () =>
      collector.spans().find(({ spanId }) => spanId === link?.spanId),
    );
    expect(delivery).toMatchObject({ service: 'latchkey-triggers', name: 'POST /webhook/:id' });

    const exported = collector.text();
    expect(exported).toContain(`"authorization":"${PASSWORD}"`);
    const secrets = [key, usageKey, token, code.slice(0, 30), trigger.webhook_url.split('/').at(-1), cid];
    for (const secret of [...secrets, 'canary-of-a-name', 'canary-of-the-output', sent])
      expect(exported).not.toContain(secret);
    expect(exported).not.toMatch(/canary-of-the-(?:parameters|event)/);
    expect(exported.split(PASSWORD)).toHaveLength(exported.split('"authorization"').length);
    const logged = output.filter(({ line }) => line.includes(`"trace_id":"${run_id.replaceAll('-', '')}"`));
    expect(logged.map(({ part }) => part)).toEqual(expect.arrayContaining(['triggers', 'relayer']));
  },
  START_TIMEOUT_MS,
);

test(
  'a write and a list continue the trace of their caller, to the transaction and to the indexer',
  async () => {
    const { api_key: key } = await relayer('new_account', '', { account_name: 'a', account_description: '' });
    const traceId = randomUUID().replaceAll('-', '');
    const headers = { 'X-Api-Key': key, traceparent: `00-${traceId}-${'1'.repeat(16)}-01` };
    await call(`${stack.baseUrl}/add_group`, headers, { group_name: 'g', group_description: '' });
    await call(`${stack.baseUrl}/list_groups`, headers);
    const spans = await traceWith(traceId, [
      'estimate',
      'store',
      'broadcast',
      'receipt',
      'POST /core/v1/add_group',
      'ask the indexer',
      'GET /accounts/:hash/groups',
    ]);
    const write = 'latchkey-relayer: POST /core/v1/add_group';
    for (const stage of ['estimate', 'store', 'broadcast', 'receipt'])
      expect(pathOf(spans, stage)).toEqual([`latchkey-relayer: ${stage}`, write]);
    expect(pathOf(spans, 'GET /accounts/:hash/groups').at(-1)).toBe(
      'latchkey-relayer: GET /core/v1/list_groups',
    );
    const request = spans.find(({ name }) => name === 'POST /core/v1/add_group');
    expect(request?.attributes).toContainEqual({
      key: 'transaction_hash',
      value: { stringValue: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    });
  },
  START_TIMEOUT_MS,
);

test('a stranger gets a trace of his own, with a link to his, whether he asks for a trace or against it', async () => {
  const traceIds = ['01', '00'].map((flags) => ({ flags, traceId: randomUUID().replaceAll('-', '') }));
  for (const { flags, traceId } of traceIds) {
    const traceparent = `00-${traceId}-${'1'.repeat(16)}-${flags}`;
    await call(`${stack.baseUrl}/version`, { traceparent, 'X-Forwarded-For': '198.51.100.7' });
  }
  for (const { traceId } of traceIds) {
    const linked = await until('the span', async () =>
      collector.spans().find(({ links = [] }) => links.some((link) => link.traceId === traceId)),
    );
    expect(linked).toMatchObject({ service: 'latchkey-relayer', name: 'GET /core/v1/version' });
    expect(linked.traceId).not.toBe(traceId);
    expect(linked.parentSpanId ?? '').toBe('');
  }
});

import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { describeExamples } from '@latchkey/testing/examples';
import { describe, expect, test } from 'vitest';
import { startService } from '../../test/service.ts';
import { servedDocument } from '../openapi.ts';
import { routes } from './index.ts';

const service = disposeAfterAll(await startService());

describe('examples', () => {
  describeExamples(routes, async () => (await fetch(`${service.url}/api/openapi.json`)).json());
});

test('the description from which the SDK is generated is the one that is served', async () => {
  const served = await (await fetch(`${service.url}/api/openapi.json`)).text();
  expect(served).toBe(JSON.stringify(servedDocument()));
});

test('the config of a new trigger has the schema of its kind', () => {
  type Schema = {
    oneOf: Schema[];
    anyOf: Schema[];
    properties: Record<string, Schema>;
    required: string[];
    enum: string[];
  };
  type Operation = { requestBody: { content: Record<string, { schema: Schema }> } };
  const { paths } = servedDocument() as unknown as { paths: Record<string, Record<string, Operation>> };
  const bodyOf = (path: string, method: string) =>
    paths[path]?.[method]?.requestBody.content['application/json']?.schema;
  const created = bodyOf('/api/triggers', 'post')?.oneOf.map(({ properties, required }) => [
    properties.kind?.enum,
    Object.keys(properties.config?.properties ?? properties.config?.anyOf[0]?.properties ?? {}),
    required.includes('config'),
  ]);
  expect(created).toEqual([
    [
      ['webhook'],
      [
        'verification',
        'delivery_header',
        'dedupe_by',
        'reply',
        'respond',
        'respond_within_ms',
        'if',
        'challenge',
      ],
      false,
    ],
    [['schedule'], ['cron', 'timezone', 'missed'], true],
    [
      ['chain_event', 'chain-event'],
      expect.arrayContaining(['chain', 'contract_address', 'event_signature']),
      true,
    ],
    [['chain_block'], expect.arrayContaining(['every', 'base_fee', 'balance']), true],
  ]);
  const changed = bodyOf('/api/triggers/{id}', 'patch')?.properties.config;
  expect(changed?.anyOf[0]?.anyOf).toHaveLength(4);
});

test('/api links the API description, / leads to the login page', async () => {
  const reply = await fetch(`${service.url}/api`);
  expect(await reply.json()).toMatchObject({ openapi: '/api/openapi.json', swagger_ui: '/api/swagger-ui' });
  const page = await fetch(`${service.url}/api`, { headers: { Accept: 'text/html' }, redirect: 'manual' });
  expect([page.status, page.headers.get('location')]).toEqual([302, '/api/swagger-ui']);
  const start = await fetch(service.url, { redirect: 'manual' });
  expect([start.status, start.headers.get('location')]).toEqual([303, '/login']);
});

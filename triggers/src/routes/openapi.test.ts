import { describeExamples } from '@latchkey/testing/examples';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../../test/service.ts';
import { routes } from './index.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service?.dispose();
});

describe('examples', () => {
  describeExamples(routes, async () => (await fetch(`${service.url}/api/openapi.json`)).json());
});

test('/api links the API description, / shows the pages', async () => {
  const reply = await fetch(`${service.url}/api`);
  expect(await reply.json()).toMatchObject({ openapi: '/api/openapi.json', swagger_ui: '/api/swagger-ui' });
  const page = await fetch(`${service.url}/api`, { headers: { Accept: 'text/html' }, redirect: 'manual' });
  expect([page.status, page.headers.get('location')]).toEqual([302, '/api/swagger-ui']);
  expect((await fetch(`${service.url}/`)).headers.get('content-type')).toMatch(/^text\/html/);
});

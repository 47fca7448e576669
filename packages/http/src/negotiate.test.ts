import { pino } from 'pino';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { listen, mount, routeDefiner } from './index.ts';

async function start(latest: number) {
  let calls = 0;
  const route = routeDefiner<Record<never, unknown>>()({
    ...({ method: 'GET', path: '/v1/x', tag: 't', summary: 's', auth: 'none' } as const),
    reply: z.number(),
    handle: () => ++calls,
  });
  const app = mount({
    routes: [route],
    context: {},
    authenticators: {},
    log: pino({ level: 'silent' }),
    prefix: '/v1',
    api: { title: 'Service', version: '1' },
    protocol: { name: 'latchkey-test', latest },
  });
  const server = await listen(app, 0);
  return {
    async ask(offered?: string) {
      const headers: Record<string, string> = offered === undefined ? {} : { 'Latchkey-Protocol': offered };
      const reply = await fetch(`${server.url}/v1/x`, { headers });
      return {
        status: reply.status,
        speaks: reply.headers.get('latchkey-protocol'),
        body: await reply.json(),
      };
    },
    calls: () => calls,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test.each([
  ['its own version', 1, 'latchkey-test.1', 'latchkey-test.1'],
  ['one version up', 1, 'latchkey-test.2, latchkey-test.1', 'latchkey-test.1'],
  ['one version down', 2, 'latchkey-test.1', 'latchkey-test.1'],
  ['no version', 1, undefined, null],
])('serves a client of %s', async (_, latest, offered, speaks) => {
  await using service = await start(latest);
  expect(await service.ask(offered)).toEqual({ status: 200, speaks, body: 1 });
});

test.each([
  ['two versions up', 1, 'latchkey-test.3, latchkey-test.2', 'latchkey-test.1'],
  ['two versions down', 3, 'latchkey-test.1', 'latchkey-test.3, latchkey-test.2'],
])('refuses a client %s before its request has an effect', async (_, latest, offered, speaks) => {
  await using service = await start(latest);
  const message = `the client speaks ${offered}, Service ${speaks}: update the older one`;
  expect(await service.ask(offered)).toMatchObject({
    status: 426,
    speaks,
    body: { error: 'bad_request', message },
  });
  expect(service.calls()).toBe(0);
});

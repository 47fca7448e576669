import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expect, test } from 'vitest';
import { startService } from '../../../test/service.ts';
import { triggers } from '../../db/schema.ts';
import { senders } from '../../sources/senders/index.ts';

const service = disposeAfterAll(await startService());
const { token } = await service.newAgent();

const preview = (config: object) => service.ask('POST', '/api/preview_schedule', token, { config });

test('a preview shows the next five slots and stores nothing', async () => {
  const { status, body } = await preview({ cron: '0 9 1 1 *', timezone: 'Europe/Berlin' });
  expect(status).toBe(200);
  expect(body.next_runs).toHaveLength(5);
  for (const slot of body.next_runs) expect(slot).toMatch(/^\d{4}-01-01T08:00:00\.000Z$/);
  expect(await service.db.$count(triggers)).toBe(0);
});

test.each([
  [400, { cron: '0 0 30 2 *' }],
  [400, { cron: 'nonsense' }],
  [400, { cron: '* * * * *', timezone: '+01:00' }],
  [422, {}],
])('a preview returns %i for %j', async (status, config) => {
  expect(await preview(config)).toMatchObject({ status });
});

test('lists every sender with its key and the fields that it needs', async () => {
  const { body } = await service.ask('GET', '/api/senders', token);
  expect(body.senders.map(({ scheme }: { scheme: string }) => scheme)).toEqual(Object.keys(senders));
  expect(body.senders).toEqual(
    expect.arrayContaining([
      { scheme: 'github', key_field: 'secret', required_fields: [] },
      { scheme: 'discord', key_field: 'public_key', required_fields: [] },
      { scheme: 'basic_auth', key_field: 'secret', required_fields: ['username'] },
      { scheme: 'hmac', key_field: 'secret', required_fields: ['header'] },
    ]),
  );
});

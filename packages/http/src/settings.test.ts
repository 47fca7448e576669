import { ConfigError, defineSettings } from '@latchkey/service/settings';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { httpConfig, httpSettings } from './settings.ts';

const { load } = defineSettings({
  schema: z.object(httpSettings({ port: 1, maxBodyBytes: 1 })),
  configFrom: (env) => httpConfig(env, { metricsPort: 2 }),
});

test('service and /metrics listen on the loopback address by default, /metrics also when HOST is public', () => {
  const metrics = { host: '127.0.0.1', port: 2 };
  expect(load({})).toMatchObject({ host: '127.0.0.1', port: 1, metrics });
  expect(load({ HOST: '0.0.0.0' })).toMatchObject({ host: '0.0.0.0', metrics });
});

test.each([
  ['2', 2],
  ['loopback', 'loopback'],
  ['10.0.0.0/8, 2001:db8::1', '10.0.0.0/8, 2001:db8::1'],
])('TRUST_PROXY can be %s', (text, value) => {
  expect(load({ TRUST_PROXY: text }).trustProxy).toBe(value);
});

test.each(['true', '*', '10.0.0.0/99', ' '])('TRUST_PROXY cannot be "%s"', (text) => {
  expect(() => load({ TRUST_PROXY: text })).toThrow(ConfigError);
  expect(() => load({ TRUST_PROXY: text })).toThrow('TRUST_PROXY: expected the number of hops');
});

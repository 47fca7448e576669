import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { loadConfig, takeConfig } from './config.ts';

test('takeConfig deletes the secrets from the environment', () => {
  const key = randomBytes(32).toString('base64');
  const variables = {
    SEALING_KEYS: key,
    DATABASE_URL: 'postgres://user:hidden@db/name',
    SERVICE_RPC_URL: 'https://node.example/v2/hidden',
    POLYGON_RPC_URL: 'wss://node.example/v2/hidden',
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const { secrets } = takeConfig();
  expect(secrets.sealingKeys.map(({ key }) => Buffer.from(key).toString('base64'))).toEqual([key]);
  expect(secrets.database.url).toBe(variables.DATABASE_URL);
  const left = JSON.stringify(process.env);
  for (const secret of ['hidden', key]) expect(left).not.toContain(secret);
  vi.unstubAllEnvs();
});

test('an RPC URL setting lists http and websocket nodes', () => {
  const required = { SEALING_KEYS: randomBytes(32).toString('base64') };
  const { rpcUrls } = loadConfig({
    ...required,
    BASE_RPC_URL: 'https://one.example/v2/key, wss://two.example',
  }).secrets;
  expect(rpcUrls).toMatchObject({
    service: ['http://127.0.0.1:8545'],
    base: ['https://one.example/v2/key', 'wss://two.example'],
    polygon: undefined,
  });
  for (const malformed of ['https://one.example,', 'ftp://one.example', ','])
    expect(() => loadConfig({ ...required, BASE_RPC_URL: malformed })).toThrow('BASE_RPC_URL');
});

test('OTHER_RPC_URLS lists nodes of further chains by chain id', () => {
  const required = { SEALING_KEYS: randomBytes(32).toString('base64') };
  const { rpcUrls } = loadConfig({
    ...required,
    OTHER_RPC_URLS: '10=https://one.example/?key=a=b, wss://two.example; 59144=https://three.example',
  }).secrets;
  expect(rpcUrls).toMatchObject({
    '10': ['https://one.example/?key=a=b', 'wss://two.example'],
    '59144': ['https://three.example'],
  });
  for (const malformed of [
    'https://one.example',
    '10=',
    '10=https://a.b;10=https://c.d',
    '1=https://a.b',
    '10=https://a.b;',
    'x=https://a.b',
  ])
    expect(() => loadConfig({ ...required, OTHER_RPC_URLS: malformed })).toThrow('OTHER_RPC_URLS');
});

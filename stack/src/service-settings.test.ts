import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Ports, type ServiceSettingsOptions, serviceSettings, urlsOf } from './service-settings.ts';

const ports: Ports = {
  chain: 1,
  postgres: 2,
  dashboard: 9,
  indexer: 3,
  stripe: 4,
  relayer: 5,
  triggers: 6,
  relayerMetrics: 7,
  triggersMetrics: 8,
  keynode1: 21,
  keynode2: 22,
  keynode3: 23,
};

const optionsWith = (env: Record<string, string>): ServiceSettingsOptions => ({
  ports,
  databaseUrls: { relayer: 'postgres://r', triggers: 'postgres://t', indexer: 'postgres://i' },
  dataDir: '/data',
  deploymentsDir: '/deployments',
  payerKeys: ['0x01', '0x02'],
  sealingKey: 'generated',
  operatorToken: 'token',
  runnerSocket: '/data/runner/socket',
  env,
});
const settingsWith = (env: Record<string, string>) => serviceSettings(optionsWith(env));

test('each service has its own port and database', () => {
  const settings = settingsWith({});
  expect(settings.relayer).toMatchObject({
    PORT: '5',
    DATABASE_URL: 'postgres://r',
    DATA_DIR: '/data/relayer',
  });
  expect(settings.triggers).toMatchObject({
    PORT: '6',
    DATABASE_URL: 'postgres://t',
  });
  expect(settings.indexer).toMatchObject({
    PORT: '3',
    DATABASE_URL: 'postgres://i',
  });
});

test('further settings replace defaults, not the addresses of the parts', () => {
  const { relayer } = settingsWith({ STARTER_CREDIT_CENTS: '7', RPC_URL: 'http://elsewhere', PORT: '99' });
  expect(relayer).toMatchObject({ STARTER_CREDIT_CENTS: '7', RPC_URL: urlsOf(ports).chain, PORT: '5' });
});

test('the keys of the payers reach the relayer only', () => {
  const { relayer, ...others } = settingsWith({});
  expect(relayer.PAYER_PRIVATE_KEYS).toBe('0x01,0x02');
  expect(JSON.stringify(others)).not.toContain('0x01');
});

test('the runner gets the group and its identity, the relayer the nodes and its own', () => {
  const keys = {
    runner: { KEY_GROUP: 'g', RUNNER_IDENTITY: 'a' },
    relayer: { KEY_NODES: 'n', RELAYER_IDENTITY: 'b' },
  };
  const settings = serviceSettings({ ...optionsWith({}), keys });
  expect(settings.runner).toMatchObject(keys.runner);
  expect(settings.relayer).toMatchObject(keys.relayer);
  for (const name of ['indexer', 'stripe', 'triggers'] as const)
    expect(settings[name]).not.toMatchObject({ RUNNER_IDENTITY: 'a' });
  expect(settings.relayer.RUNNER_IDENTITY).toBeUndefined();
  expect(settings.runner.RELAYER_IDENTITY).toBeUndefined();
});

test('the runner needs no wall of the machine, unless RUNNER_REQUIRE_WALLS names one', () => {
  expect(settingsWith({}).runner.RUNNER_REQUIRE_WALLS).toBe('none');
  const own = settingsWith({ RUNNER_REQUIRE_WALLS: 'files' });
  expect(own.runner.RUNNER_REQUIRE_WALLS).toBe('files');
});

test('the relayer uses the stand-in for Stripe unless STRIPE_SECRET_KEY is set', () => {
  expect(settingsWith({}).relayer.STRIPE_API_URL).toBe(urlsOf(ports).stripe);
  const own = settingsWith({ STRIPE_SECRET_KEY: 'sk_live' }).relayer;
  expect(own.STRIPE_SECRET_KEY).toBe('sk_live');
  expect(own.STRIPE_API_URL).toBeUndefined();
});

test('the relayer gets the hash of the token of the operator, and not the token', () => {
  const { relayer } = settingsWith({});
  expect(relayer.OPERATOR_TOKEN_HASH).toBe(createHash('sha256').update('token').digest('hex'));
  expect(Object.values(relayer)).not.toContain('token');
  const own = 'ab'.repeat(32);
  expect(settingsWith({ OPERATOR_TOKEN_HASH: own }).relayer.OPERATOR_TOKEN_HASH).toBe(own);
});

test('SEALING_KEYS of the environment replaces the generated key', () => {
  expect(settingsWith({}).triggers.SEALING_KEYS).toBe('generated');
  expect(settingsWith({ SEALING_KEYS: 'own' }).triggers.SEALING_KEYS).toBe('own');
});

test('actions reach the local chain and the allowed addresses', () => {
  const { runner } = settingsWith({ ACTION_ALLOWED_ADDRESSES: '127.0.0.1:9' });
  expect(runner.ACTION_ALLOWED_ADDRESSES).toBe('127.0.0.1:1,localhost:1,127.0.0.1:9');
});

test('the runner gets its own settings only', () => {
  const { runner } = settingsWith({
    RUNTIME_POOL_SIZE: '2',
    STRIPE_SECRET_KEY: 'sk_live',
    RPC_URL: 'http://a',
  });
  expect(runner).toMatchObject({ RUNTIME_POOL_SIZE: '2', RUNNER_LISTEN: '/data/runner/socket' });
  expect(JSON.stringify(runner)).not.toMatch(/sk_live|postgres|http|0x01|generated/);
});

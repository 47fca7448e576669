import { ConfigError } from '@latchkey/service/settings';
import { describe, expect, test, vi } from 'vitest';
import { environment, loadConfig, secretVariables, takeConfig } from './config.ts';

const KEY = `0x${'11'.repeat(32)}`;

test('uses a default for every setting that is absent or empty', () => {
  const config = loadConfig({ PORT: '', DATABASE_URL: '' });
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8_000, chain: { chainId: 31_337 } });
  expect(config.secrets.payerPrivateKeys).toHaveLength(1);
});

test('keeps secrets out of JSON and freezes the settings', () => {
  const config = loadConfig({ PAYER_PRIVATE_KEYS: KEY, ROOT_SECRET_PASSPHRASE: 'hidden' });
  expect(JSON.stringify(config)).not.toMatch(/11111111|hidden/);
  expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
  expect(() => Object.assign(config.chain, { chainId: 1 })).toThrow(TypeError);
});

const stripe = {
  STRIPE_SECRET_KEY: 'sk_test_hidden',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_shown',
  STRIPE_WEBHOOK_SECRETS: 'whsec_hidden1, whsec_hidden2',
};

describe('Stripe', () => {
  test('accepts all three settings together, several webhook secrets, and defaults to its own host', () => {
    const { secrets, billing } = loadConfig(stripe);
    expect(secrets.stripeSecretKey).toBe('sk_test_hidden');
    expect(secrets.stripeWebhookSecrets).toEqual(['whsec_hidden1', 'whsec_hidden2']);
    expect(billing).toMatchObject({ stripePublishableKey: 'pk_test_shown', stripeApiUrl: undefined });
  });

  test('turns payments and starter credit off when no setting is set', () => {
    const empty = { STRIPE_SECRET_KEY: '', STRIPE_PUBLISHABLE_KEY: '', STRIPE_WEBHOOK_SECRETS: '' };
    for (const variables of [{}, empty])
      expect(loadConfig(variables)).toMatchObject({
        secrets: { stripeSecretKey: undefined, stripeWebhookSecrets: [] },
        billing: { stripePublishableKey: undefined, starterCreditCents: 0 },
      });
  });

  test('keeps secrets out of JSON and accepts a restricted key', () => {
    expect(JSON.stringify(loadConfig(stripe))).not.toContain('hidden');
    expect(loadConfig({ ...stripe, STRIPE_SECRET_KEY: 'rk_live_1' }).secrets.stripeSecretKey).toBe(
      'rk_live_1',
    );
  });
});

describe('secrets', () => {
  const values: Record<(typeof secretVariables)[number], string> = {
    RPC_URL: 'https://node.example/v2/hidden-rpc',
    PRIVATE_RPC_URL: 'https://builder.example/hidden-private',
    WS_RPC_URL: 'wss://node.example/v2/hidden-ws',
    CHAINS: '[{"id":10,"name":"Ten","rpc_urls":["https://node.example/v2/hidden-chain"]}]',
    PAYER_PRIVATE_KEYS: KEY,
    PAYERS: `web3signer:https://user:hidden-signer@signer.example#0x${'11'.repeat(20)}`,
    PAYER_KEYSTORE_PASSPHRASE: 'hidden-keystore',
    DATABASE_URL: 'postgres://user:hidden-database@db/name',
    ROOT_SECRET_PASSPHRASE: 'hidden-passphrase',
    ROOT_SECRET: '33'.repeat(32),
    RUNNER_TOKEN: 'hidden-token',
    RELAYER_IDENTITY: '22'.repeat(32),
    IPFS_GATEWAY_URL: 'https://hidden-gateway.example',
    STRIPE_SECRET_KEY: 'sk_test_hidden',
    STRIPE_WEBHOOK_SECRETS: 'whsec_hidden1, whsec_hidden2',
  };

  test.each(['ROOT_SECRET', 'ROOT_SECRET_PASSPHRASE'])(
    'leave the environment once they are read, without %s',
    (absent) => {
      expect(Object.keys(values).sort()).toEqual([...secretVariables].sort());
      const others = {
        STRIPE_PUBLISHABLE_KEY: stripe.STRIPE_PUBLISHABLE_KEY,
        KEY_NODES: 'http://127.0.0.1:1',
      };
      for (const [name, value] of Object.entries({ ...others, ...values, [absent]: '' }))
        vi.stubEnv(name, value);
      try {
        const { secrets } = takeConfig();
        expect(secrets).toMatchObject({ payerPrivateKeys: [KEY], runnerToken: 'hidden-token' });
        const left = JSON.stringify(process.env);
        expect(
          Object.entries(values).filter(([name, value]) => name in process.env || left.includes(value)),
        ).toEqual([]);
      } finally {
        vi.unstubAllEnvs();
      }
    },
  );

  test('are all settings that can contain one', () => {
    const suspects = Object.keys(environment.shape).filter((name) =>
      /KEY|SECRET|TOKEN|PASS|IDENTITY|URL|NODES/.test(name),
    );
    expect(suspects.filter((name) => !(name in values))).toEqual([
      'CHAIN_TOKEN',
      'INDEXER_URLS',
      'RUNNER_URLS',
      'KEY_NODES',
      'UNKNOWN_KEYS_PER_MINUTE',
      'OPERATOR_TOKEN_HASH',
      'STRIPE_PUBLISHABLE_KEY',
      'STRIPE_API_URL',
    ]);
  });
});

test('reads runners by socket, URL and name', () => {
  const urls = ['unix:/run/socket', 'wss://one.example:8200', 'dns+wss://runners.latchkey.svc:8200'];
  expect(loadConfig({ RUNNER_URLS: urls.join(', ') }).runners.urls).toEqual(urls);
});

test('reads payers whose keys are elsewhere, without the local payer', () => {
  const kms = ['aws-kms:eu-west-1/arn:aws:kms:eu-west-1:1:key/a', 'gcp-kms:projects/p/cryptoKeyVersions/1'];
  const settings = { PAYERS: `${kms}, keystore:payer.json`, CHAIN_ID: '1' };
  const { secrets } = loadConfig({
    ...settings,
    ROOT_SECRET_PASSPHRASE: 'x',
    RELAYER_IDENTITY: '22'.repeat(32),
  });
  expect(secrets.payerPrivateKeys).toEqual([]);
  expect(secrets.payers).toEqual([...kms, expect.stringMatching(/^keystore:\/.*\/payer.json$/)]);
});

describe('mistakes', () => {
  const listMistakes = (variables: Record<string, string>): string => {
    try {
      loadConfig(variables);
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
    return '';
  };

  test('lists all mistakes together, without their values', () => {
    const text = listMistakes({
      PORT: '70000',
      RPC_URL: 'ftp://secret',
      PAYER_PRIVATE_KEYS: 'secret',
      LOG_LEVEL: 'loud',
    });
    expect(text.split('\n').map((line) => line.split(':')[0]?.split('.')[0])).toEqual([
      'PORT',
      'LOG_LEVEL',
      'RPC_URL',
      'PAYER_PRIVATE_KEYS',
    ]);
    expect(text).not.toContain('secret');
  });

  test.each([
    ['a payer listed twice', { PAYER_PRIVATE_KEYS: `${KEY}, ${KEY}` }, /twice/],
    ['a payer key that is not a scalar', { PAYER_PRIVATE_KEYS: `0x${'0'.repeat(64)}` }, /scalar/],
    [
      'the local payer on another chain',
      { CHAIN_ID: '1', ROOT_SECRET_PASSPHRASE: 'x' },
      /^PAYER_PRIVATE_KEYS: required/,
    ],
    [
      'the local passphrase on another chain',
      { CHAIN_ID: '1', PAYER_PRIVATE_KEYS: KEY },
      /^ROOT_SECRET_PASSPHRASE or ROOT_SECRET: required/,
    ],
    [
      'two root secrets',
      { ROOT_SECRET: '33'.repeat(32), ROOT_SECRET_PASSPHRASE: 'x' },
      /^ROOT_SECRET, ROOT_SECRET_PASSPHRASE: set one of them/,
    ],
    [
      'the local identity on another chain',
      { CHAIN_ID: '1', ROOT_SECRET_PASSPHRASE: 'x', PAYER_PRIVATE_KEYS: KEY },
      /^RELAYER_IDENTITY: required/,
    ],
    [
      'STRIPE_SECRET_KEY alone',
      { STRIPE_SECRET_KEY: 'sk_hidden' },
      /^STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRETS: required/,
    ],
    ['STRIPE_SECRET_KEY missing', { ...stripe, STRIPE_SECRET_KEY: '' }, /^STRIPE_SECRET_KEY: required/],
    [
      'STRIPE_WEBHOOK_SECRETS missing',
      { ...stripe, STRIPE_WEBHOOK_SECRETS: '' },
      /^STRIPE_WEBHOOK_SECRETS: required/,
    ],
    [
      'swapped Stripe keys',
      { ...stripe, STRIPE_SECRET_KEY: 'pk_hidden', STRIPE_PUBLISHABLE_KEY: 'sk_hidden' },
      /^STRIPE_PUBLISHABLE_KEY: must begin with pk_/,
    ],
    [
      'a secret key as the publishable key',
      { ...stripe, STRIPE_PUBLISHABLE_KEY: 'sk_hidden' },
      /^STRIPE_PUBLISHABLE_KEY: must begin with pk_/,
    ],
    [
      'a publishable key as the secret key',
      { ...stripe, STRIPE_SECRET_KEY: 'pk_hidden' },
      /^STRIPE_PUBLISHABLE_KEY: must begin with pk_/,
    ],
    ['STRIPE_API_URL that is not a URL', { ...stripe, STRIPE_API_URL: 'hidden' }, /^STRIPE_API_URL: /],
    [
      'an empty webhook secret in the list',
      { ...stripe, STRIPE_WEBHOOK_SECRETS: 'whsec_hidden,' },
      /^STRIPE_WEBHOOK_SECRETS/,
    ],
    [
      'an open connection to a runner elsewhere',
      { RUNNER_URLS: 'unix:a, ws://hidden.example:1' },
      /^RUNNER_URLS.*: expected unix:/,
    ],
    [
      'a name of several runners without TLS',
      { RUNNER_URLS: 'dns+ws://hidden.example:1' },
      /^RUNNER_URLS.*: expected unix:/,
    ],
    [
      'a port of a runner that does not exist',
      { RUNNER_URLS: 'dns+wss://hidden.example:70000' },
      /^RUNNER_URLS.*: expected a port/,
    ],
    ['a payer of an unknown kind', { PAYERS: 'vault:hidden' }, /^PAYERS.*: expected keystore:/],
    [
      'a part of the refills',
      { PAYER_REFILL_BELOW_ETHER: '1' },
      /^PAYER_REFILL_BELOW_ETHER, .*: set all three/,
    ],
    [
      'refills to less than their beginning',
      { PAYER_REFILL_BELOW_ETHER: '1', PAYER_REFILL_UP_TO_ETHER: '0.5', PAYER_REFILL_ETHER_PER_DAY: '2' },
      /the first below the second$/,
    ],
    ['a negative starter credit', { STARTER_CREDIT_CENTS: '-1' }, /^STARTER_CREDIT_CENTS: /],
  ])('%s', (_what, variables, message) => {
    const text = listMistakes(variables as Record<string, string>);
    expect(text).toMatch(message);
    expect(text).not.toContain('hidden');
  });
});

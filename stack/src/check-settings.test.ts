import { expect, test } from 'vitest';
import { checkSettings } from './check-settings.ts';
import type { Ports } from './service-settings.ts';

const ports: Ports = {
  chain: 1,
  postgres: 2,
  dashboard: 3,
  indexer: 4,
  stripe: 5,
  relayer: 6,
  triggers: 7,
  relayerMetrics: 8,
  triggersMetrics: 9,
  keynode1: 10,
  keynode2: 11,
  keynode3: 12,
};
const databaseUrl = 'postgresql://latchkey:password@127.0.0.1:2/name';

const check = (env: Record<string, string>) =>
  checkSettings({
    ports,
    databaseUrls: { relayer: databaseUrl, triggers: databaseUrl, indexer: databaseUrl },
    dataDir: '/data',
    deploymentsDir: '/deployments',
    payerKeys: [`0x${'11'.repeat(32)}`],
    sealingKey: Buffer.alloc(32).toString('base64'),
    operatorToken: 'token',
    runnerSocket: '/data/runner/socket',
    env,
  });

test('accepts settings that the stack replaces', async () => {
  await check({ DATABASE_URL: 'mysql://another-project', KEY_NODES: 'none', PORT: 'x', LOG_LEVEL: 'debug' });
});

test('names the service and the setting of each mistake', async () => {
  const wrong = check({ RUN_TIMEOUT_MS: 'soon', RUN_RETENTION_DAYS: '0', DATABASE_POOL_SIZE: '1' });
  await expect(wrong).rejects.toThrow(
    /^Invalid settings:\nrelayer: RUN_TIMEOUT_MS: .*\nrunner: RUN_TIMEOUT_MS: .*\ntriggers: RUN_RETENTION_DAYS: .*\nindexer: DATABASE_POOL_SIZE: /,
  );
});

test('refuses settings that contradict each other', async () => {
  await expect(check({ STRIPE_SECRET_KEY: 'sk_test_own' })).rejects.toThrow(
    'relayer: STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRETS: required when another Stripe setting is set',
  );
});

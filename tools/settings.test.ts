import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { loadModule, services } from './service-schemas.ts';

const key = 'ab'.repeat(32);
/** Settings without a default. */
const required: { [folder: string]: { [name: string]: string } } = {
  keynodes: {
    KEYNODE_PASSPHRASE: 'a passphrase of a test',
    RPC_URL: 'http://127.0.0.1:8545',
    RUNNER_KEYS: key,
    RELAYER_KEYS: key,
    OPERATOR_KEY: key,
  },
  triggers: { SEALING_KEYS: Buffer.alloc(32, 1).toString('base64') },
  indexer: { RPC_URL: 'http://127.0.0.1:8545' },
  'packages/dashboard-server': {
    RELAYER_URL: 'http://127.0.0.1:8000',
    TRIGGERS_URL: 'http://127.0.0.1:8100',
  },
};

test.each(services)('.env.example of $folder lists every setting with its default', async (service) => {
  const { environment } = await loadModule(service);
  const text = readFileSync(join(import.meta.dirname, '..', service.folder, '.env.example'), 'utf8');
  const example = parseEnv(text);
  expect(Object.keys(example).sort()).toEqual(Object.keys(environment.shape).sort());
  const set = Object.fromEntries(Object.entries(example).filter(([, value]) => value !== ''));
  const given = required[service.folder] ?? {};
  expect(environment.parse({ ...set, ...given })).toEqual(environment.parse(given));
});

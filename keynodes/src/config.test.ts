import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { environment, loadConfig, type secretVariables, takeConfig } from './config.ts';

const key = 'ab'.repeat(32);
const required = {
  KEYNODE_PASSPHRASE: 'a passphrase of a test',
  RPC_URL: 'http://127.0.0.1:8545',
  RUNNER_KEYS: key,
  RELAYER_KEYS: key,
  OPERATOR_KEY: key,
};

test('.env.example lists every setting with its default', () => {
  const example = parseEnv(readFileSync(new URL('../.env.example', import.meta.url), 'utf8'));
  expect(Object.keys(example).sort()).toEqual(Object.keys(environment.shape).sort());
  const set = Object.fromEntries(Object.entries(example).filter(([, value]) => value !== ''));
  expect(environment.parse({ ...required, ...set })).toEqual(environment.parse(required));
});

test('takes lists of public keys', () => {
  const other = 'cd'.repeat(32);
  expect(loadConfig({ ...required, RUNNER_KEYS: `${key}, ${other}` }).runnerKeys).toEqual([key, other]);
});

test('takes a list of RPC endpoints', () => {
  const urls = ['http://127.0.0.1:8545', 'http://127.0.0.1:8546'];
  expect(loadConfig({ ...required, RPC_URL: urls.join(', ') }).secrets.rpcUrls).toEqual(urls);
});

test('takes blocks of any age on the local chain only', () => {
  const anyAge = { ...required, MAX_BLOCK_AGE_SEC: '0' };
  expect(loadConfig(anyAge).maxBlockAgeSec).toBe(0);
  expect(() => loadConfig({ ...anyAge, CHAIN_ID: '8453' })).toThrow(
    'MAX_BLOCK_AGE_SEC: 0 is for chain 31337',
  );
  expect(loadConfig(required).maxBlockAgeSec).toBe(15);
});

test.each(Object.keys(required))('refuses a start without %s', (name) => {
  expect(() => loadConfig({ ...required, [name]: '' })).toThrow(name);
});

test.each([
  ['KEYNODE_PASSPHRASE', 'short'],
  ['DSTACK_SOCKET', '/run/dstack.sock'],
  ['ATTESTATION_VERIFIER_URL', 'http://127.0.0.1:8080'],
  ['PEER_COMPOSE_HASHES', key],
  ['RUNNER_KEYS', 'ab'],
  ['RELAYER_KEYS', `${key},`],
  ['OPERATOR_KEY', key.toUpperCase()],
  // The same endpoint twice would agree with itself.
  ['RPC_URL', 'http://127.0.0.1:8545,http://127.0.0.1:8545'],
])('refuses %s=%s', (name, value) => {
  expect(() => loadConfig({ ...required, [name]: value })).toThrow(name);
});

test('shows no secret', () => {
  const text = JSON.stringify(loadConfig(required));
  expect(text).not.toContain(required.KEYNODE_PASSPHRASE);
  expect(text).not.toContain('8545');
});

test('takeConfig deletes every secret from the environment', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const secrets: Record<(typeof secretVariables)[number], string> = {
    KEYNODE_PASSPHRASE: 'a passphrase of a test',
    KEYNODE_PREVIOUS_PASSPHRASE: 'an earlier passphrase',
    RPC_URL: 'https://node.example/v2/hidden',
    WS_RPC_URL: 'wss://node.example/v2/hidden',
  };
  for (const [name, value] of Object.entries({ ...required, ...secrets })) vi.stubEnv(name, value);
  const { toJSON: _, ...taken } = takeConfig().secrets;
  expect(Object.values(taken).flat().sort()).toEqual(Object.values(secrets).sort());
  expect(Object.keys(secrets).filter((name) => name in process.env)).toEqual([]);
});

import { expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig, type secretVariables, takeConfig } from './config.ts';

const key = 'ab'.repeat(32);
const required = {
  KEYNODE_PASSPHRASE: 'a passphrase of a test',
  RPC_URL: 'http://127.0.0.1:8545',
  RUNNER_KEYS: key,
  RELAYER_KEYS: key,
  OPERATOR_KEY: key,
};

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
  ['ATTESTED_OS_IMAGE_HASHES', key],
  ['ATTESTED_KEY_PROVIDERS', 'kms:3059'],
  ['PEER_COMPOSE_HASHES', key],
  ['REQUIRE_ATTESTED_RUNNERS', 'true'],
  ['RUNNER_KEYS', 'ab'],
  ['RELAYER_KEYS', `${key},`],
  ['OPERATOR_KEY', key.toUpperCase()],
  // The same endpoint twice would agree with itself.
  ['RPC_URL', 'http://127.0.0.1:8545,http://127.0.0.1:8545'],
])('refuses %s=%s', (name, value) => {
  expect(() => loadConfig({ ...required, [name]: value })).toThrow(name);
});

const attesting = {
  ATTESTATION_VERIFIER_URL: 'http://127.0.0.1:8080',
  ATTESTED_OS_IMAGE_HASHES: key,
  ATTESTED_KEY_PROVIDERS: 'kms:3059, local-sgx:1b7a',
  PEER_COMPOSE_HASHES: key,
};

test('takes the settings of quotes together', () => {
  expect(loadConfig({ ...required, ...attesting }).attestation).toMatchObject({
    keyProviders: ['kms:3059', 'local-sgx:1b7a'],
    runnerComposeHashes: undefined,
  });
  for (const name of Object.keys(attesting))
    expect(() => loadConfig({ ...required, ...attesting, [name]: '' })).toThrow('set all or none');
  for (const provider of ['kms', 'kms:', ':3059', 'kms:KEY'])
    expect(() => loadConfig({ ...required, ...attesting, ATTESTED_KEY_PROVIDERS: provider })).toThrow(
      'expected name:id',
    );
});

test('knows runners by their keys or by their quotes', () => {
  const { RUNNER_KEYS, ...others } = { ...required, ...attesting };
  const quoted = { ...others, REQUIRE_ATTESTED_RUNNERS: 'true', RUNNER_COMPOSE_HASHES: key };
  expect(loadConfig(quoted)).toMatchObject({ attestation: { runnerComposeHashes: [key] }, runnerKeys: [] });
  expect(() => loadConfig({ ...quoted, RUNNER_KEYS })).toThrow('RUNNER_KEYS: not used with');
  expect(() => loadConfig({ ...quoted, RUNNER_COMPOSE_HASHES: '' })).toThrow('needs RUNNER_COMPOSE_HASHES');
  expect(() => loadConfig({ ...quoted, REQUIRE_ATTESTED_RUNNERS: 'false' })).toThrow('RUNNER_KEYS: required');
});

test('takes a previous passphrase outside of an enclave only', () => {
  const changed = { ...required, KEYNODE_PREVIOUS_PASSPHRASE: 'an earlier passphrase' };
  expect(loadConfig(changed).secrets.previousPassphrase).toBe('an earlier passphrase');
  const moved = { ...changed, KEYNODE_PASSPHRASE: '', DSTACK_SOCKET: '/run/dstack.sock' };
  expect(() => loadConfig(moved)).toThrow('does not move into an enclave');
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

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig, type secretVariables, takeConfig } from './config.ts';

const GROUP = `${'ab'.repeat(32)},${'ac'.repeat(32)},02${'ad'.repeat(32)}`;

const TOKEN = 'a token of at least 32 characters';

test('uses a default for every setting that is absent or empty', () => {
  const config = loadConfig({ RUNNER_LISTEN: '' });
  expect(config.listen).toEqual({ path: expect.stringMatching(/\/\.data\/runner\/socket$/) });
  expect(config.runtime).toMatchObject({ poolSize: 4, memoryLimitMb: 64 });
});

test('keeps its token out of JSON', () => {
  expect(JSON.stringify(loadConfig({ RUNNER_TOKEN: TOKEN }))).not.toContain(TOKEN);
});

test('takeConfig deletes every secret from the environment', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const secrets: Record<(typeof secretVariables)[number], string> = {
    RUNNER_TOKEN: TOKEN,
    RUNNER_IDENTITY: 'cd'.repeat(32),
  };
  for (const [name, value] of Object.entries({ ...secrets, KEY_GROUP: GROUP })) vi.stubEnv(name, value);
  const { toJSON: _, ...taken } = takeConfig().secrets;
  expect(Object.values(taken).sort()).toEqual(Object.values(secrets).sort());
  expect(Object.keys(secrets).filter((name) => name in process.env)).toEqual([]);
});

describe('RUNNER_LISTEN', () => {
  test.each([
    ['127.0.0.1:9000', { host: '127.0.0.1', port: 9_000 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['[::1]:1', { host: '::1', port: 1 }],
  ])('%s is a port', (text, address) => {
    expect(loadConfig({ RUNNER_LISTEN: text, RUNNER_TOKEN: TOKEN }).listen).toEqual(address);
  });

  test.each([
    [{ RUNNER_LISTEN: '127.0.0.1:1' }, /^RUNNER_TOKEN: required/],
    [{ RUNNER_LISTEN: '127.0.0.1:1', RUNNER_TOKEN: 'short' }, /^RUNNER_TOKEN: expected at least 32/],
    [{ RUNNER_LISTEN: '0.0.0.0:1', RUNNER_TOKEN: TOKEN }, /^RUNNER_TLS_CERT_FILE: required/],
    [{ RUNNER_TLS_KEY_FILE: 'key.pem' }, /set both or none/],
  ])('%j is refused', (variables, message) => {
    expect(() => loadConfig(variables)).toThrow(message);
  });
});

test('reads DNS servers with and without a port', () => {
  expect(loadConfig({}).runtime.fetch.dnsServers).toBeUndefined();
  expect(
    loadConfig({ ACTION_DNS_SERVERS: '192.0.2.1, 192.0.2.2:5353,[2001:db8::1]:53' }).runtime.fetch.dnsServers,
  ).toEqual(['192.0.2.1', '192.0.2.2:5353', '[2001:db8::1]:53']);
});

describe('ACTION_ALLOWED_ADDRESSES', () => {
  test('is empty by default and normalises hosts as URLs do', () => {
    const allowed = (text: string) =>
      loadConfig({ ACTION_ALLOWED_ADDRESSES: text }).runtime.fetch.allowedAddresses;
    expect(allowed('')).toEqual([]);
    expect(allowed('127.0.0.1:8545, Localhost:80,[::0001]:443, 0x7f.1:99')).toEqual([
      '127.0.0.1:8545',
      'localhost:80',
      '[::1]:443',
      '127.0.0.1:99',
    ]);
  });

  test.each([
    '127.0.0.1',
    'localhost:',
    ':80',
    'localhost:70000',
    'http://a:1',
    'a:1/b',
    'u@a:1',
    'a b:1',
    '::1:80',
    '127.0.0.1:1,',
  ])('refuses %j', (text) => {
    expect(() => loadConfig({ ACTION_ALLOWED_ADDRESSES: text })).toThrow(
      /ACTION_ALLOWED_ADDRESSES.*is not host:port/,
    );
  });
});

describe('ACTION_FORBIDDEN_ADDRESSES', () => {
  test('is a list of addresses and networks', () => {
    const { forbiddenAddresses } = loadConfig({
      ACTION_FORBIDDEN_ADDRESSES: '9.9.9.9, 11.0.0.0/8,2a00:1450::/32',
    }).runtime.fetch;
    const checked = ['9.9.9.9', '11.2.3.4', '9.9.9.8', '12.0.0.1'].map((text) =>
      forbiddenAddresses.check(text),
    );
    expect(checked).toEqual([true, true, false, false]);
    expect(forbiddenAddresses.check('2a00:1450::5', 'ipv6')).toBe(true);
    expect(loadConfig({}).runtime.fetch.forbiddenAddresses.rules).toEqual([]);
  });

  test.each([
    'example.com',
    '11.0.0.0/',
    '11.0.0.0/33',
    '11.0.0',
    '/8',
    '2a00::/129',
    '11.0.0.0/8/8',
    '1.1.1.1,',
    '11.0.0.0/ 8',
  ])('refuses %j', (text) => {
    expect(() => loadConfig({ ACTION_FORBIDDEN_ADDRESSES: text })).toThrow(
      /^ACTION_FORBIDDEN_ADDRESSES: expected IP addresses and networks/,
    );
  });
});

test('takes a group with an identity, and an identity that waits for the group', () => {
  const both = { KEY_GROUP: GROUP, RUNNER_IDENTITY: 'cd'.repeat(32) };
  expect(loadConfig(both)).toMatchObject({
    keyGroup: {
      evaluations: 'ab'.repeat(32),
      signing: { ed25519: 'ac'.repeat(32), secp256k1: `02${'ad'.repeat(32)}` },
    },
  });
  for (const keys of ['ab'.repeat(32), `${GROUP},${'ab'.repeat(32)}`])
    expect(() => loadConfig({ ...both, KEY_GROUP: keys })).toThrow('KEY_GROUP');
  expect(JSON.stringify(loadConfig(both))).not.toContain(both.RUNNER_IDENTITY);
  for (const name of Object.keys(both)) expect(() => loadConfig({ ...both, [name]: 'ab' })).toThrow(name);
  expect(() => loadConfig({ ...both, RUNNER_IDENTITY: '' })).toThrow(
    'KEY_GROUP: needs RUNNER_IDENTITY or DSTACK_SOCKET',
  );
  expect(loadConfig({ ...both, KEY_GROUP: '' }).keyGroup).toBeUndefined();
});

test('takes a guest agent instead of an identity, which its author could use outside the enclave', () => {
  const attested = { KEY_GROUP: GROUP, DSTACK_SOCKET: '/run/dstack.sock' };
  expect(loadConfig(attested)).toMatchObject({ dstackSocket: '/run/dstack.sock' });
  expect(() => loadConfig({ ...attested, RUNNER_IDENTITY: 'cd'.repeat(32) })).toThrow(
    'RUNNER_IDENTITY: not used',
  );
  expect(loadConfig({ ...attested, KEY_GROUP: '' }).keyGroup).toBeUndefined();
});

test('RUNNER_REQUIRE_WALLS is `files` by default, and takes names of walls or `none`', () => {
  expect(loadConfig({ RUNNER_REQUIRE_WALLS: 'files, cgroup' }).requiredWalls).toEqual(['files', 'cgroup']);
  expect(loadConfig({}).requiredWalls).toEqual(['files']);
  expect(loadConfig({ RUNNER_REQUIRE_WALLS: 'none' }).requiredWalls).toEqual([]);
  for (const text of ['files,moat', 'none,files'])
    expect(() => loadConfig({ RUNNER_REQUIRE_WALLS: text })).toThrow(
      /RUNNER_REQUIRE_WALLS.*expected none, or a list of namespaces, files, syscalls, user, cgroup/,
    );
});

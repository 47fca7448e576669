import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { hasPublicNetwork, runInPublicNetwork } from '@latchkey/testing/public-network';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startAlertReceiver } from '../../test/alert-receiver.ts';
import { AlertError, createPostAlert, findUrlFault, newAlertSecret } from './post.ts';

const alert = { type: 'trigger.failing', timestamp: new Date().toISOString(), data: { name: 'ü\u2028' } };
const secret = newAlertSecret();

let receiver: Awaited<ReturnType<typeof startAlertReceiver>>;
beforeEach(async () => {
  receiver = await startAlertReceiver();
});
afterEach(() => receiver[Symbol.asyncDispose]());

const post = (url = receiver.url, options: Partial<Parameters<typeof createPostAlert>[0]> = {}) =>
  createPostAlert({ allowedAddresses: [receiver.address], ...options })({ url, secret, id: 'the id', alert });

test('a secret has 32 random bytes', () => {
  expect(newAlertSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newAlertSecret()).not.toBe(newAlertSecret());
});

test('an alert is signed by Standard Webhooks', async () => {
  await post();
  expect(receiver.verified(secret)).toEqual([alert]);
  expect(receiver.received[0]).toMatchObject({
    path: '/alerts',
    headers: { 'webhook-id': 'the id', 'content-type': 'application/json', host: receiver.address },
  });
  expect(() => receiver.verified(newAlertSecret())).toThrow();
});

test.each([199 + 1, 299])('%i confirms an alert', async (status) => {
  receiver.state.answer = (_, response) => response.writeHead(status).end();
  await post();
});

test.each([301, 302, 307, 308, 400, 410, 500])(
  '%i is an error, and no redirect is followed',
  async (status) => {
    receiver.state.answer = (_, response) => response.writeHead(status, { Location: '/elsewhere' }).end();
    await expect(post()).rejects.toEqual(new AlertError(`the reply has the status ${status}`));
    expect(receiver.received).toHaveLength(1);
  },
);

test('the body of the reply is not read, however long it is', async () => {
  let closed: Promise<void> | undefined;
  receiver.state.answer = (_, response) => {
    closed = new Promise((resolve) => response.once('close', resolve));
    const write = () => void (response.writable && response.write(randomBytes(65_536), write));
    write();
  };
  await post();
  await closed;
});

test.each([
  ['headers', { 'X-Long': 'x'.repeat(16_000) }],
  ['many headers', Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`X-${i}`, 'x'.repeat(20)]))],
])('a reply with too long %s is an error', async (_name, headers) => {
  receiver.state.answer = (_request, response) => response.writeHead(204, headers).end();
  await expect(post()).rejects.toThrow(AlertError);
});

test('a receiver that does not reply, or sends interim replies only, is an error in time', async () => {
  receiver.state.answer = () => {};
  await expect(post(receiver.url, { timeoutMs: 200 })).rejects.toEqual(new AlertError('no reply in 200 ms'));
  receiver.state.answer = (_, response) => {
    const timer = setInterval(() => response.writeProcessing(), 5);
    response.once('close', () => clearInterval(timer));
  };
  await expect(post(receiver.url, { timeoutMs: 200 })).rejects.toEqual(new AlertError('no reply in 200 ms'));
});

test('an aborted signal ends the request', async () => {
  receiver.state.answer = () => {};
  const stop = new AbortController();
  const posted = createPostAlert({ allowedAddresses: [receiver.address] })(
    { url: receiver.url, secret, id: 'the id', alert },
    stop.signal,
  );
  setTimeout(() => stop.abort(new Error('stopped')), 50);
  await expect(posted).rejects.toThrow('stopped');
});

describe('private addresses', () => {
  test.each([
    ['127.0.0.1', 4],
    ['::ffff:127.0.0.1', 6],
    ['10.0.0.1', 4],
    ['169.254.169.254', 4],
    ['fd00::1', 6],
  ] as const)('a name with the address %s is refused', async (address, family) => {
    const resolve = async () => [
      { address: '93.184.215.14', family: 4 as const },
      { address, family },
    ];
    const posted = post(`https://name.example:${receiver.port}/`, { resolve });
    await expect(posted).rejects.toThrow('name.example is a private address');
    expect(receiver.state.connections).toBe(0);
  });

  test.skipIf(!hasPublicNetwork())(
    'a public address of this machine is refused, also behind a name',
    async () => {
      const program = fileURLToPath(new URL('../../test/own-addresses.ts', import.meta.url));
      expect(await runInPublicNetwork(program)).toEqual({
        errors: Array(10).fill(expect.stringContaining('belongs to this service')),
        connections: 0,
      });
    },
  );

  test('a name without an address is an error', async () => {
    await expect(post('https://no-such-name.invalid/')).rejects.toThrow('has no address');
  });

  test.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest',
    'https://192.168.0.1:8443/',
  ])('%s is refused', async (url) => {
    expect(findUrlFault(url, [])).toMatch(/is a private address/);
    await expect(post(url)).rejects.toThrow('is a private address');
  });

  test('an allowed address is one host and port', () => {
    const allowed = ['127.0.0.1:8080', 'localhost:80', 'localhost:443'];
    for (const url of [
      'http://127.0.0.1:8080/',
      'https://127.0.0.1:8080/',
      'http://localhost/',
      'https://localhost/',
    ])
      expect(findUrlFault(url, allowed)).toBeUndefined();
    for (const url of [
      'http://127.0.0.1:8081/',
      'http://127.0.0.1/',
      'http://localhost:8080/',
      'ftp://localhost:80/',
    ])
      expect(findUrlFault(url, allowed)).toMatch(/^expected an https? URL$/);
  });
});

test.each([
  ['', 'expected a URL'],
  ['example.com', 'expected a URL'],
  ['http://example.com/', 'expected an https URL'],
  ['file:///etc/passwd', 'expected an https URL'],
  ['https://user@example.com/', 'expected a URL without a user name and a password'],
  ['https://:word@example.com/', 'expected a URL without a user name and a password'],
  ['https://example.com/alerts?token=1', undefined],
  ['https://8.8.8.8/', undefined],
])('the fault of %j is %j', (url, fault) => {
  expect(findUrlFault(url, [])).toBe(fault);
});

import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { hasPublicNetwork, runInPublicNetwork } from '@latchkey/testing/public-network';
import { signatureOf, startWebhookReceiver } from '@latchkey/testing/webhook-receiver';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPost, findUrlFault, newSecret, WebhookError } from './post.ts';

const message = { type: 'trigger.failing', timestamp: new Date().toISOString(), data: { name: 'ü\u2028' } };
const secret = newSecret();

let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(() => receiver[Symbol.asyncDispose]());

const post = (url = receiver.url, options: Partial<Parameters<typeof createPost>[0]> = {}) =>
  createPost({ allowedAddresses: [receiver.address], ...options })({ url, secret, id: 'the id', message });

test('a secret has 32 random bytes', () => {
  expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newSecret()).not.toBe(newSecret());
});

test('a message is signed by Standard Webhooks', async () => {
  await post();
  expect(receiver.verified(secret)).toEqual([message]);
  expect(receiver.received[0]).toMatchObject({
    path: '/webhooks',
    headers: { 'webhook-id': 'the id', 'content-type': 'application/json', host: receiver.address },
  });
  expect(() => receiver.verified(newSecret())).toThrow();
});

/** The vector of https://github.com/standard-webhooks/standard-webhooks: every library has it in its tests. */
test('the receiver of these tests verifies the published vector', () => {
  const signed = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    body: '{"test": 2432232314}',
  };
  expect(signatureOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', signed)).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test.each([200, 299])('%i confirms a message', async (status) => {
  receiver.state.answer = (_, response) => response.writeHead(status).end();
  expect(await post()).toBe(status);
});

test.each([301, 302, 307, 308, 400, 410, 500])(
  '%i is an error, and no redirect is followed',
  async (status) => {
    receiver.state.answer = (_, response) => response.writeHead(status, { Location: '/elsewhere' }).end();
    await expect(post()).rejects.toEqual(new WebhookError(`the reply has the status ${status}`, status));
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
  await expect(post()).rejects.toThrow(WebhookError);
});

test('a receiver that does not reply, or sends interim replies only, is an error in time', async () => {
  receiver.state.answer = () => {};
  await expect(post(receiver.url, { timeoutMs: 200 })).rejects.toEqual(
    new WebhookError('no reply in 200 ms'),
  );
  receiver.state.answer = (_, response) => {
    const timer = setInterval(() => response.writeProcessing(), 5);
    response.once('close', () => clearInterval(timer));
  };
  await expect(post(receiver.url, { timeoutMs: 200 })).rejects.toEqual(
    new WebhookError('no reply in 200 ms'),
  );
});

test('an aborted signal ends the request', async () => {
  receiver.state.answer = () => {};
  const stop = new AbortController();
  const posted = createPost({ allowedAddresses: [receiver.address] })(
    { url: receiver.url, secret, id: 'the id', message },
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
      const program = fileURLToPath(new URL('../test/own-addresses.ts', import.meta.url));
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
  ['https://example.com/webhooks?token=1', undefined],
  ['https://8.8.8.8/', undefined],
])('the fault of %j is %j', (url, fault) => {
  expect(findUrlFault(url, [])).toBe(fault);
});

/** A wallet that signs in the browser: this test is the page. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { stack } from '@latchkey/testing/stack';
import { type Hex, hexToString } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { inHome, newHome } from './latchkey.ts';

type Ask = { id: number; method: string; params: string[] };
type Reply = { status: number; body: { secret?: string; ask?: Ask | null; done?: boolean } };

/** Sends a request as a browser does. */
function post(link: URL, path: string, credential: string, body: object, headers = {}): Promise<Reply> {
  const content = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    request(
      {
        host: '127.0.0.1',
        port: link.port,
        path,
        method: 'POST',
        headers: {
          Origin: link.origin,
          Authorization: `Bearer ${credential}`,
          'Content-Length': Buffer.byteLength(content),
          ...headers,
        },
      },
      async (response) => {
        const reply = await text(response);
        resolve({ status: response.statusCode ?? 0, body: reply === '' ? {} : JSON.parse(reply) });
      },
    )
      .on('error', reject)
      .end(content);
  });
}

const linkIn = (output: string): URL | undefined => {
  const [found] = /http:\/\/127\.0\.0\.1:\d+\/#\S+/.exec(output) ?? [];
  return found === undefined ? undefined : new URL(found);
};

/** Answers what the command asks, as the page with a wallet does. */
async function answerAll(link: URL, account: ReturnType<typeof privateKeyToAccount>): Promise<string[]> {
  const { secret = '' } = (await post(link, '/open', link.hash.slice(1), {})).body;
  const methods: string[] = [];
  for (;;) {
    const { body } = await post(link, '/next', secret, {});
    if (body.done) return methods;
    if (!body.ask) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    const { id, method, params } = body.ask;
    methods.push(method);
    const result =
      method === 'eth_requestAccounts'
        ? [account.address]
        : method === 'personal_sign'
          ? await account.signMessage({ message: hexToString(params[0] as Hex) })
          : await account.signTypedData(JSON.parse(params[1] ?? ''));
    await post(link, '/reply', secret, { id, result });
  }
}

test('the page signs for login, an account and a group', { timeout: 600_000 }, async () => {
  const latchkey = inHome(await newHome());
  const account = privateKeyToAccount(generatePrivateKey());
  const withPage = async (args: string[]) => {
    let page: Promise<string[]> | undefined;
    const ended = await latchkey(args, {
      onOutput: (output) => {
        const link = linkIn(output);
        if (link) page ??= answerAll(link, account);
      },
    });
    return { ...ended, methods: await page };
  };
  const login = await withPage(['login', '--wallet', '--rpc-url', stack.rpcUrl]);
  expect(login).toMatchObject({ code: 0, methods: ['eth_requestAccounts'] });
  expect(login.stdout).toContain(account.address);
  expect(await withPage(['account', 'new', '--name', 'Browser'])).toMatchObject({
    code: 0,
    methods: ['eth_signTypedData_v4'],
  });
  expect(await withPage(['groups', 'add', 'Signed'])).toMatchObject({ code: 0, stdout: 'group 1\n' });
});

test('the link works once, and only for its own page', { timeout: 600_000 }, async () => {
  const latchkey = inHome(await newHome());
  let checked: Promise<number[]> | undefined;
  const ended = await latchkey(['login', '--wallet', '--rpc-url', stack.rpcUrl], {
    onOutput: (output) => {
      const link = linkIn(output);
      if (link) checked ??= attack(link);
    },
  });
  expect(await checked).toEqual([403, 403, 403, 403, 200, 403, 403, 403, 200, 200]);
  // The page refused, as a person does.
  expect([ended.code, ended.stdout]).toEqual([1, '']);

  async function attack(link: URL): Promise<number[]> {
    const token = link.hash.slice(1);
    const statuses: number[] = [];
    const send = async (...rest: [string, string, object, object?]) => {
      const reply = await post(link, ...rest);
      statuses.push(reply.status);
      return reply.body;
    };
    await send('/open', token, {}, { Origin: 'https://evil.example' });
    await send('/open', token, {}, { Host: 'evil.example' });
    await send('/open', 'a'.repeat(token.length), {});
    await send('/next', token, {});
    const { secret = '' } = await send('/open', token, {});
    await send('/open', token, {});
    await send('/open', '', {});
    await send('/reply', secret, { id: 99, result: [`0x${'1'.repeat(40)}`] });
    const { ask } = await send('/next', secret, {});
    await send('/reply', secret, { id: ask?.id, error: 4001 });
    return statuses;
  }
});

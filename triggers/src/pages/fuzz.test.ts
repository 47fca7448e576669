/** Hostile forms, queries and cookies to every page: no error of the service, no secret, and no text that becomes HTML. */
import { createBrowser, pairAgent } from '@latchkey/testing/browser';
import { FUZZ_TIMEOUT_MS, fuzz } from '@latchkey/testing/fuzz/endpoint';
import { judgeDisclosure } from '@latchkey/testing/fuzz/judge';
import { encodeRequest, headerText } from '@latchkey/testing/fuzz/requests';
import { hostileText } from '@latchkey/testing/fuzz/values';
import { openWire } from '@latchkey/testing/fuzz/wire';
import { newAccount, stack } from '@latchkey/testing/stack';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

const url = stack.triggersUrl;
const MARKUP = '"><img src=x onerror=alert(1)>';

/** Fields per form. */
const forms: Record<string, string[]> = {
  '/login/account-key': ['csrf', 'code', 'account_key'],
  '/login/wallet/message': ['csrf', 'address'],
  '/login/wallet': ['csrf', 'code', 'message', 'signature'],
  '/logout': ['csrf'],
  '/agent/authorize': ['csrf', 'code'],
  '/agent/deny': ['csrf', 'code'],
  '/agents/revoke': ['csrf', 'token_hash'],
};
const pages = ['/', '/login', '/agent/authorize', '/agents', '/pages/style.css', '/no-such-page'];

const wire = openWire(url);
let accountKey: string;
beforeAll(async () => {
  ({ key: accountKey } = await newAccount());
  await pairAgent(url, accountKey);
});
afterAll(() => wire.close());

/** Cookies of a browser and the CSRF token of its forms: those of the login, or of the pages after it. */
async function openSession(path: string) {
  const browser = createBrowser(url);
  const isLogin = path.startsWith('/login');
  if (!isLogin) await browser.logIn(accountKey);
  const csrf = await browser.csrfOn(isLogin ? '/login' : '/agents');
  expect(csrf).not.toBe('');
  return {
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    csrf,
    secrets: [accountKey, ...browser.cookies.values()],
  };
}
type Session = Awaited<ReturnType<typeof openSession>>;

const hostileValue = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.constant(MARKUP) },
);
const fieldText = (name: string, value: string): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`;

const cookies = ({ cookie }: Session) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(cookie) },
    { weight: 1, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: hostileValue.map((text) => headerText(`session=${text}; browser=${text}`)) },
  );
const accepted = fc.constantFrom('text/html', 'text/html', 'application/json', '*/*', '', MARKUP);

/** Each field is hostile, absent or there twice; the CSRF token is mostly right. */
function fields(names: readonly string[], { csrf }: Session): fc.Arbitrary<string> {
  const field = (name: string) =>
    fc.tuple(hostileValue, fc.nat(9)).map(([value, choice]) => {
      if (name === 'csrf' && choice < 7) return [fieldText(name, csrf)];
      if (choice === 8) return [];
      return Array<string>(choice === 9 ? 2 : 1).fill(fieldText(name, value));
    });
  const other = fc.tuple(fc.constantFrom('__proto__', 'code[]', 'unknown', ''), hostileValue);
  return fc
    .tuple(fc.tuple(...names.map(field)), fc.array(other, { maxLength: 2 }))
    .map(([own, others]) =>
      [...own.flat(), ...others.map(([name, value]) => fieldText(name, value))].join('&'),
    );
}

async function send(
  session: Session,
  request: { method: string; target: string; cookie: string; accept: string; body?: string },
): Promise<void> {
  const { method, target, cookie, accept, body } = request;
  const reply = await wire.send(
    encodeRequest({
      method,
      target,
      headers: [
        ['Accept', accept],
        ['Cookie', cookie],
        ['Content-Type', 'application/x-www-form-urlencoded'],
      ],
      body: body === undefined ? undefined : Buffer.from(body),
    }),
  );
  judgeDisclosure(reply, session.secrets);
  expect(reply.body).not.toContain(MARKUP);
  if (reply.headers.get('content-type')?.startsWith('text/html'))
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'");
}

test.each(Object.entries(forms))('POST %s', { timeout: FUZZ_TIMEOUT_MS }, async (path, names) => {
  const session = await openSession(path);
  const request = fc.record({
    cookie: cookies(session),
    accept: accepted,
    body: fc.oneof(
      { weight: 8, arbitrary: fields(names, session) },
      { weight: 1, arbitrary: fc.constantFrom('', '%', '%ff=%ff', '&&&=', 'a=b'.repeat(20_000)) },
    ),
  });
  await fuzz(request, (parts) => send(session, { method: 'POST', target: path, ...parts }));
});

test.each(pages)('GET %s', { timeout: FUZZ_TIMEOUT_MS }, async (path) => {
  const session = await openSession(path);
  const request = fc.record({
    cookie: cookies(session),
    accept: accepted,
    query: fields(['code', 'next'], session),
  });
  await fuzz(request, ({ query, ...parts }) =>
    send(session, { method: 'GET', target: `${path}?${query}`, ...parts }),
  );
});

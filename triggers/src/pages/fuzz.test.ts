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

/** Form fields by path. */
const forms: Record<string, string[]> = {
  '/login': ['code', 'account_key', 'message', 'signature', 'login_secret'],
  '/login/message': ['address', 'login_secret'],
  '/logout': [],
  '/agent/authorize': ['code'],
  '/agent/deny': ['code'],
};
const pages = ['/login', '/agent/authorize', '/pages/style.css'];

const wire = openWire(url);
let accountKey: string;
beforeAll(async () => {
  ({ key: accountKey } = await newAccount());
  await pairAgent(url, accountKey);
});
afterAll(() => wire.close());

/** Cookie of a browser that has logged in. */
async function openSession() {
  const browser = createBrowser(url);
  await browser.logIn(accountKey);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  expect(cookie).not.toBe('');
  return { cookie, secrets: [accountKey, ...browser.cookies.values()] };
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
    { weight: 1, arbitrary: hostileValue.map((text) => headerText(`session=${text}`)) },
  );
const accepted = fc.constantFrom('text/html', 'text/html', 'application/json', '*/*', '', MARKUP);

/** Each field is hostile, absent or there twice. */
function fields(names: readonly string[]): fc.Arbitrary<string> {
  const field = (name: string) =>
    fc.tuple(hostileValue, fc.nat(9)).map(([value, choice]) => {
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
  const session = await openSession();
  const request = fc.record({
    cookie: cookies(session),
    accept: accepted,
    body: fc.oneof(
      { weight: 8, arbitrary: fields(names) },
      { weight: 1, arbitrary: fc.constantFrom('', '%', '%ff=%ff', '&&&=', 'a=b'.repeat(20_000)) },
    ),
  });
  await fuzz(request, (parts) => send(session, { method: 'POST', target: path, ...parts }));
});

test.each(pages)('GET %s', { timeout: FUZZ_TIMEOUT_MS }, async (path) => {
  const session = await openSession();
  const request = fc.record({
    cookie: cookies(session),
    accept: accepted,
    query: fields(['code', 'next']),
  });
  await fuzz(request, ({ query, ...parts }) =>
    send(session, { method: 'GET', target: `${path}?${query}`, ...parts }),
  );
});

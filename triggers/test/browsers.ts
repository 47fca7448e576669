/** Starts the service with accounts, browsers (cookies only, no JavaScript) and agents to pair. */
import { apiKeyFromBytes } from '@latchkey/protocol';
import { createBrowser as createPlainBrowser } from '@latchkey/testing/browser';
import { hashToken, newSecret } from '../src/auth/secrets.ts';
import { startService } from './service.ts';

export const accountKey = apiKeyFromBytes(Buffer.alloc(32, 1));
export const otherAccountKey = apiKeyFromBytes(Buffer.alloc(32, 2));
export const usageKey = apiKeyFromBytes(Buffer.alloc(32, 3));
export const unknownKey = apiKeyFromBytes(Buffer.alloc(32, 4));

/** Starts the service with a relayer stand-in that knows these keys. */
export async function startWithAccounts(...options: Parameters<typeof startService>) {
  const service = await startService(...options);
  for (const key of [accountKey, otherAccountKey]) service.relayer.accountKeys.add(key);
  service.relayer.unknownKeys.add(unknownKey);
  return { ...service, browser: () => createBrowser(service.url) };
}
export type ServiceWithAccounts = Awaited<ReturnType<typeof startWithAccounts>>;

/** A browser that logs in with `accountKey` by default, or with a wallet as the script of the page does. */
export function createBrowser(url: string) {
  const browser = createPlainBrowser(url);
  const sign = async ({ address, signMessage }: Signer) => {
    const login_secret = newSecret();
    const reply = await browser.post('/login/message', { login_secret, address });
    const { message } = (await reply.json()) as { message: string };
    return { message, signature: await signMessage({ message }), login_secret };
  };
  return {
    ...browser,
    sign,
    logIn: (key = accountKey, code = '') => browser.logIn(key, code),
    logInWith: async (wallet: Signer) => browser.post('/login', await sign(wallet)),
  };
}
type Signer = { address: string; signMessage: (of: { message: string }) => Promise<string> };
export type Browser = ReturnType<typeof createBrowser>;

/** Starts pairing an agent with a new token. */
export async function startAgent({ post, url }: Pick<ServiceWithAccounts, 'post' | 'url'>, label?: string) {
  const token = `agent-token-${crypto.randomUUID()}`;
  const bearer = { authorization: `Bearer ${token}` };
  const reply = await post('/agent/pair', { token_hash: hashToken(token), label });
  const paired = (await reply.json()) as { authorize_url: string; user_code: string };
  const { pathname, search, searchParams } = new URL(paired.authorize_url);
  const code = searchParams.get('code') ?? '';
  return {
    token,
    bearer,
    code,
    userCode: paired.user_code,
    /** Path of the approval page. */
    path: pathname + search,
    complete: (headers: Record<string, string> = bearer, sent = code) =>
      post('/agent/pair/complete', { code: sent }, headers),
    me: () => fetch(`${url}/api/me`, { headers: bearer }),
  };
}

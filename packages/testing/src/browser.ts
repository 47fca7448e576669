/** A browser of the trigger service, and an agent that it approves. */
import { createHash, randomBytes } from 'node:crypto';

/** Keeps cookies. Does not follow redirects. */
export function createBrowser(url: string) {
  const cookies = new Map<string, string>();
  const request = async (path: string, init: RequestInit = {}): Promise<Response & { page: string }> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url + path, {
      redirect: 'manual',
      ...init,
      headers: {
        accept: 'text/html',
        ...(cookie && { cookie }),
        ...(init.headers as Record<string, string>),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return Object.assign(response, { page: await response.clone().text() });
  };
  const get = (path: string, headers: Record<string, string> = {}) => request(path, { headers });
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    request(path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  return {
    cookies,
    get,
    post,
    logIn: (key: string, code = '') => post('/login', { account_key: key, code }),
  };
}

/** Pairs an agent with the account of this key. Resolves to the token of the agent. */
export async function pairAgent(url: string, accountKey: string): Promise<string> {
  const token = randomBytes(32).toString('hex');
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const token_hash = createHash('sha256').update(token).digest('base64url');
  const { authorize_url } = (await post('/agent/pair', { token_hash, label: 'test' })) as {
    authorize_url: string;
  };
  const code = new URL(authorize_url).searchParams.get('code') ?? '';
  const browser = createBrowser(url);
  await browser.logIn(accountKey);
  await browser.post('/agent/authorize', { code });
  const completed = (await post('/agent/pair/complete', { code })) as { status: string };
  if (completed.status !== 'authorized')
    throw new Error(`the agent is not paired: ${JSON.stringify(completed)}`);
  return token;
}

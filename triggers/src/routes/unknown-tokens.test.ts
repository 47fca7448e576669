/** The limit of requests with unknown tokens and sessions, per address, at a service with a low one. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { startService } from '../../test/service.ts';
import { agentTokens } from '../db/schema.ts';

test('unknown tokens and sessions share UNKNOWN_TOKENS_PER_MINUTE_PER_ADDRESS; a token that was seen is exempt', async () => {
  const service = await startService({ UNKNOWN_TOKENS_PER_MINUTE_PER_ADDRESS: '4', TRUST_PROXY: '1' });
  try {
    const { token } = await service.newAgent();
    const get = (path: string, headers: Record<string, string>, ip = '192.0.2.1') =>
      fetch(`${service.url}${path}`, { headers: { ...headers, 'X-Forwarded-For': ip }, redirect: 'manual' });
    const bearer = (text: string) => ({ Authorization: `Bearer ${text}` });
    const unknown = () => randomBytes(32).toString('base64url');
    const requests: [status: number, send: (ip?: string) => Promise<Response>][] = [
      [401, (ip) => get('/api/me', bearer(unknown()), ip)],
      [401, (ip) => get('/api/agents', bearer(unknown()), ip)],
      [401, (ip) => get('/api/me', { Cookie: `session=${unknown()}` }, ip)],
      [303, (ip) => get('/agent/authorize', { Cookie: `session=${unknown()}` }, ip)],
    ];
    const known = () => get('/api/me', bearer(token));
    expect((await known()).status).toBe(200);
    for (const [status, send] of requests) expect((await send()).status).toBe(status);
    for (const [, send] of requests) {
      const refused = await send();
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await known()).status).toBe(200);
    // A refusal of a known token does not count.
    expect((await get('/api/agents', bearer(token))).status).toBe(403);
    for (const [status, send] of requests) expect((await send('192.0.2.2')).status).toBe(status);

    await service.db.delete(agentTokens);
    // The first one finds out that the token is unknown now.
    const ended = Array.from({ length: 6 }, () => () => get('/api/me', bearer(token), '192.0.2.3'));
    const statuses: number[] = [];
    for (const send of ended) statuses.push((await send()).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  } finally {
    await service.dispose();
  }
});

import { type Authenticator, forbidden, unauthorized } from '@latchkey/http';
import { and, eq, gt, sql } from 'drizzle-orm';
import { agentTokens, users } from '../db/schema.ts';
import { isCurrent } from './authority.ts';
import { readCookie } from './cookies.ts';
import { hashToken, isCsrfToken } from './secrets.ts';
import { findSessionUser, type SessionOptions } from './sessions.ts';

/** Caller of a request. */
export type User = { id: string; account: string; label: string };

const TOKEN = /^[A-Za-z0-9\-_.~]{32,512}$/;
const AgentToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'Token of an agent: 32 to 512 characters of A-Z a-z 0-9 - _ . ~',
} as const;

function readTokenHash(authorization = ''): string {
  const [, token = ''] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (!TOKEN.test(token))
    throw unauthorized('Bearer token missing or malformed.', {
      fix: 'Send Authorization: Bearer <token>. Pair a new agent with POST /agent/pair.',
    });
  return hashToken(token);
}

/** Any well-formed token, paired or not. The caller is its hash. */
export const agentToken: Authenticator<unknown, string> = {
  schemes: { AgentToken },
  authenticate: async (_context, { headers }) => readTokenHash(headers.authorization),
  callerId: (tokenHash) => tokenHash,
};

/**
 * The user of a paired token or of a browser session. The cookie is ignored when the request has an Authorization header. A token
 * or session whose account has another mode or admin than at login is deleted.
 */
export const agentOrSession: Authenticator<SessionOptions & { publicUrl: () => string }, User> = {
  schemes: {
    AgentToken,
    Session: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-session',
      description:
        'Session of the pages of this service. All methods except GET and HEAD require the header X-CSRF-Token.',
    },
  },
  async authenticate(context, { method, headers }) {
    const cookie = readCookie(headers.cookie, 'session', context.publicUrl());
    if (headers.authorization !== undefined || cookie === undefined)
      return findAgentUser(context, readTokenHash(headers.authorization));
    const visitor = await findSessionUser(context, cookie);
    if (!visitor) throw unauthorized('Session expired.', { fix: 'Log in again.' });
    const csrfToken = headers['x-csrf-token'];
    if (method !== 'GET' && method !== 'HEAD' && !isCsrfToken(cookie, String(csrfToken)))
      throw forbidden('CSRF token mismatch.', {
        fix: 'Send the value of the form field csrf of this session in the header X-CSRF-Token.',
      });
    return { id: visitor.id, account: visitor.account, label: 'browser session' };
  },
  callerId: ({ id }) => id,
};

async function findAgentUser({ db, relayer }: SessionOptions, tokenHash: string): Promise<User> {
  const { authority, label } = agentTokens;
  const [found] = await db
    .select({ id: users.id, account: users.account, label, authority })
    .from(agentTokens)
    .innerJoin(users, eq(users.id, agentTokens.userId))
    .where(and(eq(agentTokens.tokenHash, tokenHash), gt(agentTokens.expiresAt, sql`now()`)));
  if (!found) throw unauthorized('The token is not paired.', { fix: 'Pair this agent: POST /agent/pair.' });
  if (await isCurrent(relayer, found)) return { id: found.id, account: found.account, label: found.label };
  await db
    .delete(agentTokens)
    .where(and(eq(agentTokens.tokenHash, tokenHash), eq(authority, found.authority)));
  throw unauthorized('The admin or the account key has changed since this agent was paired.', {
    fix: 'Log in with the current admin wallet or account key, and pair this agent again.',
  });
}

import { type Authenticator, forbidden, unauthorized } from '@latchkey/http';
import { and, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { agentTokens, users } from '../db/schema.ts';
import { readCookie } from './cookies.ts';
import { isCsrfTokenOf, tokenHashOf } from './secrets.ts';
import { visitorOf } from './sessions.ts';

/** Who sent a request. */
export type User = { id: string; account: string; label: string };

const TOKEN = /^[A-Za-z0-9\-_.~]{32,512}$/;
const AgentToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'The token of an agent: 32 to 512 characters of A-Z a-z 0-9 - _ . ~',
} as const;

function tokenHashFrom(authorization = ''): string {
  const [, token = ''] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (!TOKEN.test(token))
    throw unauthorized('A bearer token is needed.', { fix: 'Pair this agent: POST /agent/pair.' });
  return tokenHashOf(token);
}

/** Whoever has a token, paired or not: its hash. */
export const agentToken: Authenticator<unknown, string> = {
  schemes: { AgentToken },
  authenticate: async (_context, { headers }) => tokenHashFrom(headers.authorization),
  callerId: (tokenHash) => tokenHash,
};

/** The user of a paired agent's token, or of a browser session. A cookie counts only where no token is sent. */
export const agentOrSession: Authenticator<{ db: Database; publicUrl: () => string }, User> = {
  schemes: {
    AgentToken,
    Session: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-session',
      description: 'For pages of this service. All methods but GET need the header X-CSRF-Token.',
    },
  },
  async authenticate({ db, publicUrl }, { method, headers }) {
    const cookie = readCookie(headers.cookie, 'session', publicUrl());
    if (headers.authorization !== undefined || cookie === undefined)
      return agentOf(db, tokenHashFrom(headers.authorization));
    const visitor = await visitorOf(db, cookie);
    if (!visitor) throw unauthorized('This session has ended.', { fix: 'Log in again.' });
    const csrfToken = headers['x-csrf-token'];
    if (method !== 'GET' && method !== 'HEAD' && !isCsrfTokenOf(cookie, String(csrfToken)))
      throw forbidden('The CSRF token is missing or not of this session.', {
        fix: 'Send X-CSRF-Token, the value of csrf in the forms of this service.',
      });
    return { ...visitor, label: 'browser session' };
  },
  callerId: ({ id }) => id,
};

async function agentOf(db: Database, tokenHash: string): Promise<User> {
  const [found] = await db
    .select({ id: users.id, account: users.account, label: agentTokens.label })
    .from(agentTokens)
    .innerJoin(users, eq(users.id, agentTokens.userId))
    .where(and(eq(agentTokens.tokenHash, tokenHash), gt(agentTokens.expiresAt, sql`now()`)));
  if (!found) throw unauthorized('This token is not paired.', { fix: 'Pair this agent again.' });
  return found;
}

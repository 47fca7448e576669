import { type Authenticator, forbidden, unauthorized } from '@latchkey/http';
import { and, eq, gt, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { agentTokens, users } from '../db/schema.ts';
import { isCurrent } from './authority.ts';
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

/**
 * The user of a paired agent's token, or of a browser session. A cookie counts only where no token is sent. Both end with the
 * authority over the account that they come from.
 */
export const agentOrSession: Authenticator<Pick<Context, 'db' | 'core' | 'publicUrl'>, User> = {
  schemes: {
    AgentToken,
    Session: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-session',
      description: 'For pages of this service. All methods but GET need the header X-CSRF-Token.',
    },
  },
  async authenticate(context, { method, headers }) {
    const cookie = readCookie(headers.cookie, 'session', context.publicUrl());
    if (headers.authorization !== undefined || cookie === undefined)
      return agentOf(context, tokenHashFrom(headers.authorization));
    const visitor = await visitorOf(context, cookie);
    if (!visitor) throw unauthorized('This session has ended.', { fix: 'Log in again.' });
    const csrfToken = headers['x-csrf-token'];
    if (method !== 'GET' && method !== 'HEAD' && !isCsrfTokenOf(cookie, String(csrfToken)))
      throw forbidden('The CSRF token is missing or not of this session.', {
        fix: 'Send X-CSRF-Token, the value of csrf in the forms of this service.',
      });
    return { id: visitor.id, account: visitor.account, label: 'browser session' };
  },
  callerId: ({ id }) => id,
};

async function agentOf({ db, core }: Pick<Context, 'db' | 'core'>, tokenHash: string): Promise<User> {
  const { authority, label } = agentTokens;
  const [found] = await db
    .select({ id: users.id, account: users.account, label, authority })
    .from(agentTokens)
    .innerJoin(users, eq(users.id, agentTokens.userId))
    .where(and(eq(agentTokens.tokenHash, tokenHash), gt(agentTokens.expiresAt, sql`now()`)));
  if (!found) throw unauthorized('This token is not paired.', { fix: 'Pair this agent again.' });
  if (await isCurrent(core, found)) return { id: found.id, account: found.account, label: found.label };
  await db
    .delete(agentTokens)
    .where(and(eq(agentTokens.tokenHash, tokenHash), eq(authority, found.authority)));
  throw unauthorized('The account of this token has another admin now.', {
    fix: 'Log in as its admin and pair this agent again.',
  });
}

import { type Authenticator, forbidden, unauthorized } from '@latchkey/http';
import { and, eq, gt, sql } from 'drizzle-orm';
import { agentTokens, users } from '../db/schema.ts';
import { noteUse } from './agents.ts';
import { isCurrent } from './authority.ts';
import { type BrowserOptions, findBrowserUser, readCookie, refuseOtherOrigins } from './browser.ts';
import { hashToken } from './secrets.ts';
import { findSessionUser, type SessionOptions, type SessionUser } from './sessions.ts';

/** Caller of a request. */
export type User = { id: string; account: string; label: string };

/** A caller whose request can outlive its credential. */
export type LiveUser = User & {
  /** As `authority.ts` encodes it, at login. */
  authority: string;
  /** Hash of the token of an agent. Undefined for a person. */
  agent: string | undefined;
  /** Rejects as a new request would: when the token or session has ended or its authority has changed. */
  authenticateAgain: () => Promise<void>;
};

type Request = Parameters<Authenticator<unknown, unknown>['authenticate']>[1];

const TOKEN = /^[A-Za-z0-9\-_.~]{32,512}$/;
const AgentToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'Token of an agent: 32 to 512 characters of A-Z a-z 0-9 - _ . ~',
} as const;
const LoginToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'Token of a person, from POST /api/login.',
} as const;
const Session = {
  type: 'apiKey',
  in: 'cookie',
  name: '__Host-session',
  description:
    'Session of the login page. Pages of other origins cannot use it: 403 for all methods except GET and HEAD.',
} as const;

function readToken(authorization = ''): string {
  const [, token = ''] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (!TOKEN.test(token))
    throw unauthorized('Bearer token missing or malformed.', {
      fix: 'Send Authorization: Bearer <token>. Pair a new agent with POST /agent/pair.',
    });
  return token;
}

/** Any well-formed token, paired or not. The caller is its hash. */
export const agentToken: Authenticator<unknown, string> = {
  schemes: { AgentToken },
  errors: ['too_many_requests'],
  authenticate: async (_context, { headers }) => hashToken(readToken(headers.authorization)),
  callerId: (tokenHash) => tokenHash,
};

/**
 * The user of a paired token, of a login token or of a browser session. The cookie is ignored when the request has an Authorization
 * header. A token or session whose account has another mode or admin than at login is deleted.
 */
export const agentOrSession: Authenticator<BrowserOptions, LiveUser> = {
  schemes: { AgentToken, LoginToken, Session },
  errors: ['too_many_requests'],
  async authenticate(context, request) {
    const user = await findAgentOrPerson(context, request);
    return {
      ...user,
      async authenticateAgain() {
        await findAgentOrPerson(context, request);
      },
    };
  },
  callerId: ({ id }) => id,
};

async function findAgentOrPerson(
  context: BrowserOptions,
  request: Request,
): Promise<Omit<LiveUser, 'authenticateAgain'>> {
  const cookie = readSessionCookie(context, request);
  if (cookie !== undefined) {
    const { id, account, authority } = await requireBrowserUser(context, request, cookie);
    return { id, account, authority, agent: undefined, label: 'browser session' };
  }
  const token = readToken(request.headers.authorization);
  const user = await context.limits.findToken(token, 'user', request.ip, async () => {
    const agent = await findAgentUser(context, token);
    if (agent) return agent;
    const person = await findSessionUser(context, token);
    if (!person) return undefined;
    const { id, account, authority } = person;
    return { id, account, authority, agent: undefined, label: 'login' };
  });
  if (user) return user;
  throw unauthorized('The token is unknown or has expired.', {
    fix: 'Pair this agent: POST /agent/pair. People log in: POST /api/login.',
  });
}

/** A person: the user of a login token or of a browser session. Refuses agents. */
export const session: Authenticator<BrowserOptions, SessionUser> = {
  schemes: { LoginToken, Session },
  errors: ['forbidden', 'too_many_requests'],
  async authenticate(context, request) {
    const cookie = readSessionCookie(context, request);
    if (cookie !== undefined) return requireBrowserUser(context, request, cookie);
    const token = readToken(request.headers.authorization);
    const person = await context.limits.findToken(token, 'person', request.ip, async () => {
      const found = await findSessionUser(context, token);
      if (!found && (await findAgentUser(context, token)))
        throw forbidden('The token of an agent cannot do this.', { fix: 'Log in: POST /api/login.' });
      return found;
    });
    if (person) return person;
    throw unauthorized('The login is unknown or has expired.', { fix: 'Log in: POST /api/login.' });
  },
  callerId: ({ id }) => id,
};

const readSessionCookie = ({ publicUrl }: BrowserOptions, { headers }: Request): string | undefined =>
  headers.authorization === undefined ? readCookie(headers.cookie, publicUrl()) : undefined;

async function requireBrowserUser(
  context: BrowserOptions,
  request: Request,
  cookie: string,
): Promise<SessionUser> {
  refuseOtherOrigins(request, context.publicUrl());
  const visitor = await findBrowserUser(context, cookie, request.ip);
  if (!visitor) throw unauthorized('Session expired.', { fix: 'Log in again.' });
  return visitor;
}

/** Resolves to the user of a paired token, or to undefined when it is not paired. */
async function findAgentUser(
  { db, relayer }: SessionOptions,
  token: string,
): Promise<Omit<LiveUser, 'authenticateAgain'> | undefined> {
  const tokenHash = hashToken(token);
  const { authority, label, lastUsedAt } = agentTokens;
  const [found] = await db
    .select({ id: users.id, account: users.account, label, authority, lastUsedAt })
    .from(agentTokens)
    .innerJoin(users, eq(users.id, agentTokens.userId))
    .where(and(eq(agentTokens.tokenHash, tokenHash), gt(agentTokens.expiresAt, sql`now()`)));
  if (!found) return undefined;
  if (await isCurrent(relayer, found)) {
    await noteUse(db, { id: tokenHash, lastUsedAt: found.lastUsedAt });
    const { id, account, label: name } = found;
    return { id, account, authority: found.authority, agent: tokenHash, label: name };
  }
  await db
    .delete(agentTokens)
    .where(and(eq(agentTokens.tokenHash, tokenHash), eq(authority, found.authority)));
  throw unauthorized('The admin or the account key has changed since this agent was paired.', {
    fix: 'Log in with the current admin wallet or account key, and pair this agent again.',
  });
}

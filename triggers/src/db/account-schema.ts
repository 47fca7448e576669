/** Tables of people and of their agents. */
import { index, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, instant, table } from './columns.schema.ts';

/** `account` is a master hash, or the identity of a wallet that has no account: 0x and 64 hex digits. */
export const users = table('users', {
  id: uuid('id').primaryKey().defaultRandom(),
  account: text('account').notNull().unique(),
  createdAt: createdAt(),
});

/** Single-use nonces of login messages. */
export const loginNonces = table('login_nonces', {
  nonce: text('nonce').primaryKey(),
  /** Hash of the secret of the requester of the message: the cookie of a browser, or `login_secret`. */
  browser: text('browser').notNull(),
  expiresAt: instant('expires_at').notNull(),
});

/** Mode, admin and key of the account at login, as `auth/authority.ts` encodes them. */
const authority = () => text('authority');

/** Sessions of people. `token_hash` is the SHA-256 of the cookie value or of the login token. */
export const sessions = table(
  'sessions',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    authority: authority().notNull(),
    expiresAt: instant('expires_at').notNull(),
    createdAt: createdAt(),
  },
  (t) => [index('sessions_expires_at').on(t.expiresAt)],
);

/** Pairing requests of agents, pending and completed. */
export const pairings = table(
  'pairings',
  {
    /** SHA-256 of the single-use code in `authorize_url`. */
    codeHash: text('code_hash').primaryKey(),
    tokenHash: text('token_hash').notNull(),
    userCode: text('user_code').notNull(),
    label: text('label').notNull(),
    /** IP address of the agent. */
    address: text('address'),
    expiresAt: instant('expires_at').notNull(),
    /** User who approved the pairing. Null while it is pending. */
    userId: uuid('user_id').references(() => users.id),
    authority: authority(),
    completedAt: instant('completed_at'),
    createdAt: createdAt(),
  },
  (t) => [index('pairings_expires_at').on(t.expiresAt)],
);

export const agentTokens = table(
  'agent_tokens',
  {
    /** SHA-256 of the token, base64url without padding. */
    tokenHash: text('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    label: text('label').notNull(),
    authority: authority().notNull(),
    expiresAt: instant('expires_at').notNull(),
    /** Exact to an hour. */
    lastUsedAt: instant('last_used_at'),
    createdAt: createdAt(),
  },
  (t) => [index('agent_tokens_user').on(t.userId)],
);

import { z } from 'zod';
import { logIn } from '../../auth/login.ts';
import { LOGIN_TOKEN_SEC, openSession } from '../../auth/sessions.ts';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';

export const loginBody = z.union(
  [
    z.object({
      account_key: z.string().meta({ description: 'Account key of a managed account. Not stored.' }),
    }),
    z.object({
      message: z.string().meta({ description: 'The message of POST /api/login/message, unchanged.' }),
      signature: z.string().meta({ description: 'EIP-191 or ERC-1271 signature of the message.' }),
      login_secret: z.string().meta({ description: 'The `login_secret` of POST /api/login/message.' }),
    }),
  ],
  { error: 'expected account_key, or message, signature and login_secret' },
);

export const login = defineRoute({
  method: 'POST',
  path: '/api/login',
  tag: 'login',
  summary: 'Logs a person in with the account key, or with the admin wallet',
  description:
    'With a wallet, ask for a message first (POST /api/login/message) and send it with its signature. The token is valid for 12 hours, ' +
    'until POST /api/logout, or until the account key, the admin or the mode of the account changes. It can do what a browser ' +
    'session can: also approve and revoke agents. `Idempotency-Key` is ignored: the reply is not stored.',
  auth: 'none',
  idempotent: false,
  body: loginBody,
  reply: z.object({
    token: z.string(),
    expires_at: z.iso.datetime(),
    account: z
      .string()
      .meta({ description: 'Master hash of the account, or the identity of a wallet without one.' }),
  }),
  errors: ['unauthorized', 'forbidden', 'too_many_requests', 'service_unavailable'],
  example: {
    body: { account_key: 'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=' },
    reply: {
      token: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
      expires_at: '2026-01-01T12:00:00.000Z',
      account: `0x${'12'.repeat(32)}`,
    },
  },
  handle: async (context: Pick<Context, 'db' | 'relayer' | 'limits' | 'dashboardLogin'>, { body, ip }) => {
    const { db, relayer, dashboardLogin: walletLogin } = context;
    await context.limits.loginIp.take(ip);
    const granted = await logIn({ relayer, walletLogin }, body);
    const { secret, expiresAt } = await openSession(db, granted, { lifetimeSec: LOGIN_TOKEN_SEC });
    return { token: secret, expires_at: expiresAt.toISOString(), account: granted.account };
  },
});

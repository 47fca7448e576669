import { address } from '@latchkey/http';
import { z } from 'zod';
import { isSecret } from '../../auth/secrets.ts';
import type { Context } from '../../context.ts';
import { checkedText } from '../checked-text.ts';
import { defineRoute } from '../define-route.ts';

const loginSecret = checkedText(
  isSecret,
  'expected 43 characters: 32 random bytes as base64url without padding',
).meta({
  pattern: '^[A-Za-z0-9_-]{43}$',
  description:
    '32 random bytes of the client as base64url without padding, the same in both requests: the message is valid only with it.',
});

export const messageBody = z.object({ address, login_secret: loginSecret });

export const loginMessage = defineRoute({
  method: 'POST',
  path: '/api/login/message',
  tag: 'login',
  summary: 'Creates a message that a wallet signs to log in',
  description:
    'The message (EIP-4361) names the origin of the dashboard (`DASHBOARD_URL`). It is valid for five minutes, for one POST /api/login.',
  auth: 'none',
  body: messageBody,
  reply: z.object({ message: z.string() }),
  errors: ['too_many_requests', 'service_unavailable'],
  example: {
    body: {
      address: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
      login_secret: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
    },
    reply: { message: 'app.example wants you to sign in with your Ethereum account:\n…' },
  },
  handle: async ({ limits, dashboardLogin }: Pick<Context, 'limits' | 'dashboardLogin'>, { body, ip }) => {
    await limits.loginIp.take(ip);
    return { message: await dashboardLogin.createMessage(body.login_secret, body.address) };
  },
});

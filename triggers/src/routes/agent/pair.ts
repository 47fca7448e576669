import { name } from '@latchkey/http';
import { z } from 'zod';
import { PAIRING_SEC, startPairing } from '../../auth/pairing.ts';
import { isSecret } from '../../auth/secrets.ts';
import type { Context } from '../../context.ts';
import { checkedText } from '../checked-text.ts';
import { defineRoute } from '../define-route.ts';

const tokenHash = checkedText(
  isSecret,
  'expected 43 characters: the SHA-256 of the token as base64url without padding',
).meta({ pattern: '^[A-Za-z0-9_-]{43}$' });

export const pair = defineRoute({
  method: 'POST',
  path: '/agent/pair',
  tag: 'agents',
  summary: 'Starts pairing an agent',
  description:
    'The agent generates a random token and sends only its hash. It shows `authorize_url` and `user_code` to the user, who opens ' +
    'the URL in a browser, compares the code and approves. The agent polls POST /agent/pair/complete meanwhile.',
  auth: 'none',
  // Callers of one address share a record, so that its key must be a secret.
  secretIdempotencyKey: true,
  body: z.object({
    token_hash: tokenHash,
    label: name.default('agent').meta({ description: 'Name of the agent on the approval page.' }),
  }),
  reply: z.object({ authorize_url: z.string(), user_code: z.string(), expires_in_seconds: z.int() }),
  errors: ['too_many_requests'],
  example: {
    body: { token_hash: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg', label: 'laptop' },
    reply: {
      authorize_url: 'http://127.0.0.1:8100/agent/authorize?code=Zk3-9sQyT1mVb7XwR4uN8g',
      user_code: 'BCDF-GHJK',
      expires_in_seconds: 600,
    },
  },
  handle: async ({ db, limits, publicUrl }: Pick<Context, 'db' | 'limits' | 'publicUrl'>, { body, ip }) => {
    await limits.pairingIp.take(ip);
    const { code, userCode } = await startPairing(db, {
      tokenHash: body.token_hash,
      label: body.label,
      // An IPv6 socket shows IPv4 clients in mapped form.
      address: ip.replace(/^::ffff:/, ''),
    });
    return {
      authorize_url: `${publicUrl()}/agent/authorize?code=${code}`,
      user_code: userCode,
      expires_in_seconds: PAIRING_SEC,
    };
  },
});

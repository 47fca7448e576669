/** The operator of the relayer, by a token. The settings have its SHA-256 only, so that neither a dump of them nor a backup gives access. */
import { hash, timingSafeEqual } from 'node:crypto';
import {
  type Authenticator,
  apiKeyFromHeaders,
  clientNetwork,
  notFound,
  type RateLimit,
  requestKeyHash,
  unauthorized,
} from '@latchkey/http';
import type { Config } from '../config.ts';

type OperatorContext = {
  config: Pick<Config, 'operatorTokenHash'>;
  unknownKeyLimit: RateLimit;
};

export const operator = {
  schemes: {
    OperatorToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'The token of the operator of the relayer.',
    },
  },
  errors: ['not_found', 'too_many_requests'],
  async authenticate({ config: { operatorTokenHash }, unknownKeyLimit }, { headers, ip }) {
    if (operatorTokenHash === undefined) throw notFound('There is no such endpoint.');
    const token = apiKeyFromHeaders(headers);
    if (token === undefined)
      throw unauthorized('Missing token.', { fix: 'Send Authorization: Bearer <token>.' });
    const expected = Buffer.from(operatorTokenHash, 'hex');
    if (!timingSafeEqual(hash('sha256', token, 'buffer'), expected)) {
      // The right token is exempt, so that others behind the address of the operator cannot refuse it.
      await unknownKeyLimit.take(clientNetwork(ip));
      throw unauthorized('Unknown token.', { fix: 'Send the token whose SHA-256 is OPERATOR_TOKEN_HASH.' });
    }
    return { hash: requestKeyHash(headers, token), minBlock: 0n };
  },
  callerId: () => 'operator',
} satisfies Authenticator<OperatorContext, { hash: bigint; minBlock: bigint }>;

import { createHash } from 'node:crypto';
import { type CryptoKey, errors, importJWK, type JWK } from 'jose';
import { z } from 'zod';
import { parseJson } from '../content.ts';
import { onlyValue } from './checks.ts';
import { type Fetch, fetchText, guardedFetch } from './guarded-fetch.ts';
import { createVerifyToken } from './jwt.ts';
import { createLookups } from './lookups.ts';
import { type Delivery, defineSender } from './sender.ts';

const KEY_ID = /^[\w-]{1,100}$/;

type Environment = 'production' | 'sandbox';
type Credentials = { client_id: string; environment: Environment };

/** Resolves to the key in a reply of Plaid, undefined for an expired or malformed one. */
async function readKey(reply: string): Promise<CryptoKey | undefined> {
  const { key } = (parseJson(Buffer.from(reply)) ?? {}) as { key?: JWK & { expired_at?: number | null } };
  if (typeof key !== 'object' || key === null) return undefined;
  const { kty, crv, x, y, expired_at: expiredAt } = key;
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') return undefined;
  if (typeof expiredAt === 'number' && expiredAt <= Date.now() / 1_000) return undefined;
  return (await importJWK({ kty, crv, x, y }, 'ES256').catch(() => undefined)) as CryptoKey | undefined;
}

/** https://plaid.com/docs/api/webhooks/webhook-verification/ */
export function createPlaid(fetch: Fetch) {
  const verifyToken = createVerifyToken(fetch);
  const failure = 'Plaid does not return its key.';
  const find = createLookups<CryptoKey>(failure);
  /** By credentials: a client gets only keys that Plaid gives it. */
  const findKey = ({ client_id, environment }: Credentials, secret: string, kid: string) => {
    const credentials = JSON.stringify([client_id, environment, secret]);
    const scope = createHash('sha256').update(credentials).digest('hex');
    return find(scope, kid, async () => {
      const body = JSON.stringify({ client_id, secret, key_id: kid });
      const url = `https://${environment}.plaid.com/webhook_verification_key/get`;
      return readKey((await fetchText(fetch, url, { failure, body })) ?? '');
    });
  };
  return defineSender<Credentials>({
    fields: {
      client_id: z.string().regex(/^[\w-]{1,100}$/),
      environment: z.enum(['production', 'sandbox']).default('production'),
    },
    isSigned: ({ headers, ...delivery }: Delivery, secret, config) =>
      verifyToken(onlyValue(headers, 'plaid-verification'), { headers, ...delivery }, '', {
        async findKey({ alg, kid } = {}) {
          const isKeyId = alg === 'ES256' && kid !== undefined && KEY_ID.test(kid);
          const key = isKeyId ? await findKey(config, secret, kid) : undefined;
          if (!key) throw new errors.JWKSNoMatchingKey();
          return key;
        },
        bodyHash: { claim: 'request_body_sha256', encoding: 'hex' },
      }),
    // Plaid signs every attempt anew: only a copied request has the same text.
    findId: ({ headers }) => onlyValue(headers, 'plaid-verification'),
    secrets: () => ({ headers: ['plaid-verification'] }),
  });
}

export const plaid = createPlaid(guardedFetch);

import { createHash } from 'node:crypto';
import { serviceUnavailable } from '@latchkey/http';
import { type CryptoKey, errors, importJWK, type JWK } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { parseJson } from '../content.ts';
import { onlyValue } from './checks.ts';
import { type Fetch, fetchText, guardedFetch } from './guarded-fetch.ts';
import { createVerifyToken } from './jwt.ts';
import { type Delivery, defineSender } from './sender.ts';

const KEY_ID = /^[\w-]{1,100}$/;
const KEEP_MS = 3_600_000;
const MAX_KEPT = 200;
/** A stranger can send any key id, and Plaid counts requests per client. */
const MAX_UNKNOWN_IDS = 10;
const UNKNOWN_MS = 60_000;

type Environment = 'production' | 'sandbox';
type Credentials = { client_id: string; environment: Environment };
type Client = { keys: LRUCache<string, CryptoKey>; unknown: LRUCache<string, true> };

const newClient = (): Client => ({
  keys: new LRUCache({ max: 10, ttl: KEEP_MS }),
  unknown: new LRUCache({ max: MAX_UNKNOWN_IDS, ttl: UNKNOWN_MS }),
});

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
  /** By credentials: a client gets only keys that Plaid gives it. */
  const clients = new LRUCache<string, Client>({ max: MAX_KEPT });
  const clientOf = (text: string): Client => {
    const name = createHash('sha256').update(text).digest('hex');
    const client = clients.get(name) ?? newClient();
    clients.set(name, client);
    return client;
  };
  const findKey = async ({ client_id, environment }: Credentials, secret: string, kid: string) => {
    const client = clientOf(JSON.stringify([client_id, environment, secret]));
    const known = client.keys.get(kid);
    if (known || client.unknown.has(kid)) return known;
    const failure = 'Plaid does not return its key.';
    client.unknown.purgeStale();
    if (client.unknown.size >= MAX_UNKNOWN_IDS) throw serviceUnavailable(failure);
    // Counts before the reply, so that concurrent requests count.
    client.unknown.set(kid, true);
    const body = JSON.stringify({ client_id, secret, key_id: kid });
    const url = `https://${environment}.plaid.com/webhook_verification_key/get`;
    const reply = await fetchText(fetch, url, { failure, body }).catch((error: unknown) => {
      client.unknown.delete(kid);
      throw error;
    });
    const key = await readKey(reply ?? '');
    if (!key) return undefined;
    client.unknown.delete(kid);
    client.keys.set(kid, key);
    return key;
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
    secrets: () => ({ headers: ['plaid-verification'] }),
  });
}

export const plaid = createPlaid(guardedFetch);

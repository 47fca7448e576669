/** Tokens that senders sign as JWS or JWT, with a shared secret or with a key of a JWKS URL. */
import { createHash } from 'node:crypto';
import { serviceUnavailable } from '@latchkey/http';
import { findUrlFault } from '@latchkey/webhooks/post';
import {
  type CryptoKey,
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
  flattenedVerify,
  type JWSHeaderParameters,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { isSame, TOLERANCE_SEC } from './checks.ts';
import { FETCH_TIMEOUT_MS, type Fetch, guardedFetch } from './guarded-fetch.ts';
import type { Delivery } from './sender.ts';

const MAX_TOKEN = 8_192;
const MAX_KEPT_URLS = 200;
const SHARED = ['HS256', 'HS384', 'HS512'];
const PUBLIC = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA'];

type FindKey = (header?: JWSHeaderParameters) => Promise<CryptoKey>;

export type TokenRules = {
  /** URL of the public keys. Without it and `findKey` the token is signed with a secret. */
  jwksUrl?: string;
  /** Resolves to the public key of a token. Rejects with `JWKSNoMatchingKey` when there is none. */
  findKey?: FindKey;
  issuer?: string | string[];
  audience?: string;
  /** Claim with the SHA-256 of the body. */
  bodyHash?: { claim: string; encoding: 'hex' | 'base64' | 'base64url' };
  /** Claims with fixed values. */
  claims?: Readonly<Record<string, unknown>>;
  /** The token has no claims: its payload is the body. */
  detached?: boolean;
  /** The sender sets neither `exp` nor `iat`. */
  ageless?: boolean;
};

type KeySource = ReturnType<typeof createRemoteJWKSet>;

/** Returns the rule that a JWKS URL breaks. Names are checked again when they are looked up. */
export const findJwksFault = (url: string): string | undefined =>
  /^https:\/\/(?:\d[\d.]*|0x[^/]*|\[)/i.test(url) ? 'expected a host name' : findUrlFault(url, []);

/** Keeps the keys of each URL for ten minutes. An unknown key id causes one request in 30 seconds at most. */
function createKeySources(fetch: Fetch): (url: string) => KeySource {
  const kept = new LRUCache<string, KeySource>({ max: MAX_KEPT_URLS });
  const get = async (url: string, options: RequestInit): Promise<Response> => {
    const failed = (cause: unknown) =>
      serviceUnavailable('The sender does not return its public keys.', { cause });
    const keys = await fetch(url, options)
      .then((response) => (response.status === 200 ? response.json() : Promise.reject(response.status)))
      .catch((cause: unknown) => Promise.reject(failed(cause)));
    return Response.json(keys);
  };
  return (url) => {
    const source =
      kept.get(url) ??
      createRemoteJWKSet(new URL(url), { timeoutDuration: FETCH_TIMEOUT_MS, [customFetch]: get });
    kept.set(url, source);
    return source;
  };
}

const hasBodyHash = ({ bodyHash }: TokenRules, payload: JWTPayload, body: Buffer): boolean => {
  if (!bodyHash) return true;
  const sent = payload[bodyHash.claim];
  const right = createHash('sha256').update(body).digest(bodyHash.encoding);
  return typeof sent === 'string' && isSame(sent.replace(/=+$/, ''), right.replace(/=+$/, ''));
};

const isTimely = ({ exp, iat }: JWTPayload): boolean =>
  exp !== undefined || (iat !== undefined && Math.abs(Date.now() / 1_000 - iat) <= TOLERANCE_SEC);

export type VerifyToken = (
  token: string | undefined,
  delivery: Delivery,
  secret: string,
  rules: TokenRules,
) => Promise<boolean>;

/** Resolves to whether the token is valid for the delivery. Rejects with 503 when the public keys cannot be fetched. */
export function createVerifyToken(fetch: Fetch = guardedFetch): VerifyToken {
  const keysOf = createKeySources(fetch);
  const verify = async (
    token: string,
    { body }: Delivery,
    secret: string,
    rules: TokenRules,
  ): Promise<boolean> => {
    const { jwksUrl, issuer, audience, claims = {}, detached = false, ageless = false } = rules;
    const findKey = rules.findKey ?? (jwksUrl === undefined ? undefined : keysOf(jwksUrl));
    const algorithms = findKey ? PUBLIC : SHARED;
    const resolve = findKey ?? (() => new TextEncoder().encode(secret));
    if (detached) {
      const [head = '', payload, signature = '', ...others] = token.split('.');
      if (payload !== '' || others.length > 0) return false;
      const isEncoded = decodeProtectedHeader({ protected: head }).b64 !== false;
      const signed = isEncoded ? body.toString('base64url') : body;
      await flattenedVerify({ protected: head, payload: signed, signature }, resolve, { algorithms });
      return true;
    }
    const { payload } = await jwtVerify(token, resolve, {
      algorithms,
      clockTolerance: TOLERANCE_SEC,
      ...(issuer !== undefined && { issuer }),
      ...(audience !== undefined && { audience }),
    });
    const hasClaims = Object.entries(claims).every(([name, value]) => payload[name] === value);
    return hasClaims && (ageless || isTimely(payload)) && hasBodyHash(rules, payload, body);
  };
  return async (token, delivery, secret, rules) => {
    if (token === undefined || token.length > MAX_TOKEN) return false;
    return verify(token.replace(/^bearer +/i, ''), delivery, secret, rules).catch((error: unknown) => {
      // jose throws a TypeError for a key that does not suit the algorithm of the token.
      if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException)
        return false;
      throw error;
    });
  };
}

export const verifyToken = createVerifyToken();

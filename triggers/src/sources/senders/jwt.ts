/** Tokens that senders sign as JWS or JWT, with a shared secret or with a key of a JWKS URL. */
import { createHash } from 'node:crypto';
import { serviceUnavailable } from '@latchkey/http';
import { publicLookup } from '@latchkey/http/public-address';
import {
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
  flattenedVerify,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { Agent, fetch as fetchWith } from 'undici';
import { findUrlFault, resolveName } from '../../alerts/post.ts';
import { isSame, TOLERANCE_SEC } from './checks.ts';
import type { Delivery } from './sender.ts';

const MAX_TOKEN = 8_192;
const MAX_JWKS_BYTES = 64 * 1024;
const FETCH_TIMEOUT_MS = 5_000;
const MAX_KEPT_URLS = 200;
const SHARED = ['HS256', 'HS384', 'HS512'];
const PUBLIC = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA'];

export type TokenRules = {
  /** URL of the public keys. Without it the token is signed with a secret. */
  jwksUrl?: string;
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

type Fetch = (url: string, options: RequestInit) => Promise<Response>;
type KeySource = ReturnType<typeof createRemoteJWKSet>;

/** Returns the rule that a JWKS URL breaks. Names are checked again when they are looked up. */
export const findJwksFault = (url: string): string | undefined =>
  /^https:\/\/(?:\d[\d.]*|0x[^/]*|\[)/i.test(url) ? 'expected a host name' : findUrlFault(url, []);

/** Fetches over TLS from public addresses only. */
export function createGuardedFetch(resolve: typeof resolveName = resolveName): Fetch {
  const lookup = publicLookup(resolve, (name) => new Error(`${name} is a private address`));
  const dispatcher = new Agent({
    connect: { timeout: FETCH_TIMEOUT_MS, lookup },
    maxResponseSize: MAX_JWKS_BYTES,
  });
  return async (url, { method = 'GET', signal = null }) =>
    (await fetchWith(url, { method, signal, redirect: 'error', dispatcher })) as unknown as Response;
}

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
export function createVerifyToken(fetch: Fetch = createGuardedFetch()): VerifyToken {
  const keysOf = createKeySources(fetch);
  const verify = async (
    token: string,
    { body }: Delivery,
    secret: string,
    rules: TokenRules,
  ): Promise<boolean> => {
    const { jwksUrl, issuer, audience, claims = {}, detached = false, ageless = false } = rules;
    const algorithms = jwksUrl === undefined ? SHARED : PUBLIC;
    const key = jwksUrl === undefined ? new TextEncoder().encode(secret) : keysOf(jwksUrl);
    const resolve = typeof key === 'function' ? key : async () => key;
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

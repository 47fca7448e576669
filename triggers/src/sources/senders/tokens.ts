/** Senders that send a JWS or JWT. */
import { z } from 'zod';
import { onlyValue, textAt } from './checks.ts';
import { findJwksFault, type TokenRules, type VerifyToken, verifyToken } from './jwt.ts';
import { defineSender, headerName, type Sender } from './sender.ts';

const ruleFields = {
  /** Header with the token, with or without `Bearer`. */
  header: headerName.default('authorization'),
  issuer: z.string().max(512).optional(),
  audience: z.string().max(512).optional(),
  /** Claim with the SHA-256 of the body. */
  body_hash_claim: z.string().min(1).max(128).optional(),
  body_hash_encoding: z.enum(['hex', 'base64', 'base64url']).default('hex'),
  /** The token has no payload: it signs the body. */
  detached: z.boolean().default(false),
};

type Rules = {
  header: string;
  issuer?: string;
  audience?: string;
  body_hash_claim?: string;
  body_hash_encoding: 'hex' | 'base64' | 'base64url';
  detached: boolean;
};

const toTokenRules = ({ issuer, audience, detached, ...hash }: Rules): TokenRules => ({
  detached,
  ...(issuer !== undefined && { issuer }),
  ...(audience !== undefined && { audience }),
  ...(hash.body_hash_claim !== undefined && {
    bodyHash: { claim: hash.body_hash_claim, encoding: hash.body_hash_encoding },
  }),
});

const findFault = ({ detached, issuer, audience, body_hash_claim: claim }: Rules) =>
  detached && [issuer, audience, claim].some((rule) => rule !== undefined)
    ? 'detached: a detached token has no claims'
    : undefined;

const secretsOf = ({ header }: Rules) => ({ headers: [header] });

/** Google signs a token about the sender, not the body. */
const GOOGLE_KEYS = 'https://www.googleapis.com/oauth2/v3/certs';
const CHAT = 'chat@system.gserviceaccount.com';

export function createTokenSenders(
  verify: VerifyToken,
): Record<'jwt' | 'jwks' | 'google_pubsub' | 'google_chat', Sender> {
  return {
    jwt: defineSender<Rules>({
      fields: ruleFields,
      findFault,
      isSigned: (delivery, key, config) =>
        verify(onlyValue(delivery.headers, config.header), delivery, key, toTokenRules(config)),
      secrets: secretsOf,
    }),
    jwks: defineSender<Rules>({
      keyField: 'jwks_url',
      fields: ruleFields,
      findFault: (config, urls) => {
        const fault = urls.map(findJwksFault).find((found) => found !== undefined);
        return fault === undefined ? findFault(config) : `jwks_url: ${fault}`;
      },
      isSigned: (delivery, jwksUrl, config) =>
        verify(onlyValue(delivery.headers, config.header), delivery, '', {
          ...toTokenRules(config),
          jwksUrl,
        }),
      secrets: secretsOf,
    }),
    // https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
    google_pubsub: defineSender<{ audience?: string }>({
      keyField: 'service_account',
      fields: { audience: z.string().min(1).max(512).optional() },
      isSigned: (delivery, email, { audience = delivery.url }) =>
        verify(onlyValue(delivery.headers, 'authorization'), delivery, '', {
          jwksUrl: GOOGLE_KEYS,
          issuer: ['https://accounts.google.com', 'accounts.google.com'],
          audience,
          claims: { email, email_verified: true },
        }),
      findId: ({ event }) => textAt(event, 'message', 'messageId'),
    }),
    // https://developers.google.com/workspace/chat/verify-requests-from-chat
    google_chat: defineSender({
      keyField: 'audience',
      isSigned: (delivery, audience) =>
        verify(onlyValue(delivery.headers, 'authorization'), delivery, '', {
          jwksUrl: `https://www.googleapis.com/service_accounts/v1/jwk/${CHAT}`,
          issuer: CHAT,
          audience,
        }),
    }),
  };
}

export const tokenSenders = createTokenSenders(verifyToken);

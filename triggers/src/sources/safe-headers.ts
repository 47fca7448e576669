/** Webhook headers that are passed to the action. */
import type { Headers } from './verification.ts';

/** Names of credentials of senders and proxies, anywhere in a header name. */
const CREDENTIAL = /authorization|cookie|api-?key|wallet-?auth|access-?token/;

const KEPT = new Set(['content-type', 'user-agent', 'x-request-id', 'digest', 'content-digest']);
/** Prefixes of the senders' own headers. */
const KEPT_PREFIX =
  /^(x-forwarded-|x-github-|x-gitlab-|x-slack-|x-webhook-|webhook-|svix-|x-shopify-|x-twilio-|x-amz-sns-|ce-)/;
const VERIFIES = /signature|hmac/;

/** Returns the passed headers: lower-case name to array of values. `further` lists headers named in the trigger's config. */
export function safeHeaders(headers: Headers, further: readonly string[]): Record<string, string[]> {
  const isKept = (name: string) =>
    KEPT.has(name) || KEPT_PREFIX.test(name) || VERIFIES.test(name) || further.includes(name);
  const isCredential = (name: string) => CREDENTIAL.test(name.replaceAll('_', '-'));
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, values]) =>
      values && isKept(name) && !isCredential(name) ? [[name, values]] : [],
    ),
  );
}

/** Which headers of a webhook an action gets to see. */
import type { Headers } from './verification.ts';

/** Credentials of the sender and of proxies before this service, wherever they stand in a name. */
const CREDENTIAL = /authorization|cookie|api-?key|wallet-?auth|access-?token/;

const KEPT = new Set(['content-type', 'user-agent', 'x-request-id', 'digest', 'content-digest']);
/** Of senders: who, what and when, under which names they sign it. */
const KEPT_PREFIX =
  /^(x-forwarded-|x-github-|x-gitlab-|x-slack-|x-webhook-|webhook-|svix-|x-shopify-|x-twilio-|x-amz-sns-|ce-)/;
const VERIFIES = /signature|hmac/;

/** The headers by name, each with its values; `further` names what a trigger's own verification reads. */
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

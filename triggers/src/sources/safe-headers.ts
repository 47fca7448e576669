/** Headers and query parameters that are passed to the action: all except credentials. */
import type { Headers } from './senders/sender.ts';

export const MASKED = '[masked]';

/** Names of credentials, anywhere in a name. They are removed. */
const CREDENTIAL = /authorization|cookie|api-?key|wallet-?auth|access-?token/;
/** Names of secrets that senders choose. Their values are masked. */
const SECRET = /secret|passw|(?<!idempotency-?)token$|^cf-webhook-auth$/;
/** Headers of one connection, and headers that proxies add. A forwarded URL can contain secrets of the query. */
const OF_TRANSPORT =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|forwarded|via|x-forwarded(?:-.*)?|x-original-.*|x-rewrite-url|x-real-ip|x-client-ip|true-client-ip|cf-(?!webhook-auth$).*|cdn-loop|x-envoy-.*|x-amzn-.*|x-cloud-trace-context)$/;

const plain = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** Returns lower-case name to array of values. `secrets` lists the headers of the sender's own secrets. */
export function safeHeaders(headers: Headers, secrets: readonly string[] = []): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, values]) => {
      const text = plain(name);
      if (!values || CREDENTIAL.test(text) || OF_TRANSPORT.test(text)) return [];
      const isMasked = secrets.includes(name) || SECRET.test(text);
      return [[name, isMasked ? values.map(() => MASKED) : values]];
    }),
  );
}

/** Masks the values of credentials in a query. `secrets` lists the names of the sender's own secrets. */
export function safeQuery(
  query: Readonly<Record<string, string[]>>,
  secrets: readonly string[] = [],
): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(query).map(([name, values]) => {
      const isMasked = secrets.includes(name) || CREDENTIAL.test(plain(name)) || SECRET.test(plain(name));
      return [name, isMasked ? values.map(() => MASKED) : values];
    }),
  );
}

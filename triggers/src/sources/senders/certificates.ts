/** Certificates with which senders sign. */
import type { X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Fetch, fetchText } from './guarded-fetch.ts';

const MAX_KEPT = 32;
const KEEP_MS = 3_600_000;

export const isValidNow = ({ validFrom, validTo }: X509Certificate): boolean =>
  Date.parse(validFrom) <= Date.now() && Date.now() <= Date.parse(validTo);

type Options = {
  fetch: Fetch;
  /** Name of the sender. */
  sender: string;
  /** Returns the certificate in a reply when it is the sender's. */
  findSigner: (pem: string) => X509Certificate | undefined;
};

/**
 * Returns a function that resolves to the certificate of a URL, undefined when the sender has no such certificate. It rejects with 503 when
 * the sender does not answer.
 */
export function createCertificates({ fetch, sender, findSigner }: Options) {
  const kept = new LRUCache<string, X509Certificate>({ max: MAX_KEPT, ttl: KEEP_MS });
  return async (url: string): Promise<X509Certificate | undefined> => {
    const known = kept.get(url);
    if (known && isValidNow(known)) return known;
    const pem = await fetchText(fetch, url, { failure: `${sender} does not return its certificate.` });
    const signer = findSigner(pem ?? '');
    if (signer) kept.set(url, signer);
    return signer;
  };
}

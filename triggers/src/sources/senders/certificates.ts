/** Certificates with which senders sign. */
import type { X509Certificate } from 'node:crypto';
import { type Fetch, fetchText } from './guarded-fetch.ts';
import { createLookups } from './lookups.ts';

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
 * the sender does not answer. `scope`: what bounds the certificates that strangers can ask for.
 */
export function createCertificates({ fetch, sender, findSigner }: Options) {
  const failure = `${sender} does not return its certificate.`;
  const find = createLookups<X509Certificate>(failure);
  return async (url: string, scope: string): Promise<X509Certificate | undefined> => {
    const found = await find(scope, url, async () =>
      findSigner((await fetchText(fetch, url, { failure })) ?? ''),
    );
    return found && isValidNow(found) ? found : undefined;
  };
}

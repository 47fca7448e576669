import { verify, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { crc32 } from 'node:zlib';
import { createCertificates, isValidNow } from './certificates.ts';
import { isRecent, onlyValue, textAt } from './checks.ts';
import { type Fetch, guardedFetch } from './guarded-fetch.ts';
import { type Delivery, defineSender } from './sender.ts';

const CERTIFICATE_PATH = /^\/v1\/notifications\/certs\/[\w-]{1,100}$/;
const SIGNERS = ['messageverificationcerts.paypal.com', 'messageverificationcerts.sandbox.paypal.com'];
const MAX_CHAIN = 5;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

type Options = {
  fetch: Fetch;
  /** Certificates that can end a chain, in PEM. */
  roots: readonly string[];
};

/** Returns the URL of a certificate of PayPal, undefined for every other URL: the header is not signed. */
function certificateUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, href } = new URL(text);
  const isPaypal = protocol === 'https:' && port === '' && hostname.endsWith('.paypal.com');
  return isPaypal && username + password + search === '' && CERTIFICATE_PATH.test(pathname)
    ? href
    : undefined;
}

function parseChain(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]{1,10000}-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.slice(0, MAX_CHAIN).map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}

const hasIssued = (issuer: X509Certificate, certificate: X509Certificate): boolean =>
  issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

/** Returns whether issuers among `others` lead from the certificate to a root. */
function isTrusted(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): boolean {
  if (!isValidNow(certificate)) return false;
  if (roots.some((root) => isValidNow(root) && hasIssued(root, certificate))) return true;
  return others.some(
    (other, i) => hasIssued(other, certificate) && isTrusted(other, others.toSpliced(i, 1), roots),
  );
}

/** Returns the first certificate of the chain when it is PayPal's for messages. */
function signerOf(pem: string, roots: readonly X509Certificate[]): X509Certificate | undefined {
  const [signer, ...others] = parseChain(pem);
  const isPaypal = SIGNERS.some((name) => signer?.checkHost(name) !== undefined);
  return signer && isPaypal && isTrusted(signer, others, roots) ? signer : undefined;
}

/** https://developer.paypal.com/api/rest/webhooks/rest/ Only a checksum of the body is signed. */
export function createPaypal({ fetch, roots: pems }: Options) {
  let roots: X509Certificate[] | undefined;
  const findSigner = (pem: string) => {
    roots ??= pems.map((root) => new X509Certificate(root));
    return signerOf(pem, roots);
  };
  const findCertificate = createCertificates({ fetch, sender: 'PayPal', findSigner });
  return defineSender({
    keyField: 'webhook_id',
    async isSigned({ headers, body }: Delivery, webhookId) {
      const of = (name: string) => onlyValue(headers, `paypal-${name}`) ?? '';
      const [id, time, signature] = [of('transmission-id'), of('transmission-time'), of('transmission-sig')];
      const url = certificateUrl(of('cert-url'));
      const isComplete = url !== undefined && id !== '' && /^[A-Za-z0-9+/]{1,1000}={0,2}$/.test(signature);
      if (!isComplete || of('auth-algo') !== 'SHA256withRSA') return false;
      if (!TIME.test(time) || !isRecent(Date.parse(time) / 1_000)) return false;
      const certificate = await findCertificate(url, webhookId);
      if (certificate?.publicKey.asymmetricKeyType !== 'rsa') return false;
      const signed = Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`);
      return verify('sha256', signed, certificate.publicKey, Buffer.from(signature, 'base64'));
    },
    findId: ({ event }) => textAt(event, 'id'),
  });
}

export const paypal = createPaypal({ fetch: guardedFetch, roots: rootCertificates });

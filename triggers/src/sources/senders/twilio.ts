import { createHash } from 'node:crypto';
import { parseForm } from '../content.ts';
import { isHmac, isSame, onlyValue } from './checks.ts';
import { type Delivery, defineSender } from './sender.ts';

/** Returns each name and its distinct values, sorted, without separators. */
function concatSorted(form: URLSearchParams): string {
  return [...new Set(form.keys())]
    .sort()
    .flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value))
    .join('');
}

/** A body that is not a form is signed by its hash in the query. */
function hasSignedHash({ body, search }: Delivery): boolean {
  const [hash, ...others] = new URLSearchParams(search).getAll('bodySHA256');
  const right = createHash('sha256').update(body).digest('hex');
  return others.length === 0 && isSame(hash?.toLowerCase(), right);
}

/** https://www.twilio.com/docs/usage/webhooks/webhooks-security */
export const twilio = defineSender({
  isSigned(delivery, key) {
    const form = parseForm(delivery);
    if (!form && !hasSignedHash(delivery)) return false;
    return isHmac(
      onlyValue(delivery.headers, 'x-twilio-signature'),
      [delivery.url, delivery.search, form ? concatSorted(form) : ''],
      key,
      { algorithm: 'sha1', encoding: 'base64' },
    );
  },
  // The signed text has no separators: deliveries that therefore share a signature count as one.
  findId: ({ headers }) => onlyValue(headers, 'x-twilio-signature')?.replace(/={1,2}$/, ''),
});

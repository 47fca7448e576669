import { parseJson } from '../content.ts';
import { contentId, isFresh, isHmac, onlyValue } from './checks.ts';
import { defineSender } from './sender.ts';

/** Characters that HubSpot decodes in the signed URL. */
const DECODED = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

/** https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation Version 3. */
export const hubspot = defineSender({
  isSigned({ method, headers, body, url, search }, key) {
    const timestamp = onlyValue(headers, 'x-hubspot-request-timestamp') ?? '';
    if (!isFresh(timestamp, 'milliseconds')) return false;
    const decoded = search.replace(DECODED, decodeURIComponent);
    const signed = [method, url, decoded, body, timestamp];
    // URL and body are signed without a separator: only one split leaves JSON.
    return (
      isHmac(onlyValue(headers, 'x-hubspot-signature-v3'), signed, key, { encoding: 'base64' }) &&
      parseJson(body) !== undefined
    );
  },
  // `eventId` is not unique.
  findId: ({ event }) => contentId(event, 'attemptNumber'),
});

import { isHmac, onlyValue } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/ Data Center sends `X-Request-Id`. */
export const bitbucket = defineSender({
  isSigned: ({ headers, body }, key) =>
    isHmac(onlyValue(headers, 'x-hub-signature'), [body], key, { prefix: 'sha256=' }),
  findId: ({ headers }) => onlyValue(headers, 'x-request-uuid') ?? onlyValue(headers, 'x-request-id'),
});

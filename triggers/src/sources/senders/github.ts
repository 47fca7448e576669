import { isHmac, onlyValue } from './checks.ts';
import { defineSender } from './sender.ts';

/** https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
export const github = defineSender({
  isSigned: ({ headers, body }, key) =>
    isHmac(onlyValue(headers, 'x-hub-signature-256'), [body], key, { prefix: 'sha256=' }),
  findId: ({ headers }) => onlyValue(headers, 'x-github-delivery'),
});

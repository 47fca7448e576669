import { isSame, onlyValue } from './checks.ts';
import { defineSender } from './sender.ts';
import { isSecretKey, isSignedMessage } from './signed-message.ts';

/**
 * https://docs.gitlab.com/user/project/integrations/webhooks/ A key that begins with `whsec_` is a signing token, any other key the
 * text of `X-Gitlab-Token`.
 */
export const gitlab = defineSender({
  findFault: (_config, keys) =>
    keys.some((key) => key.startsWith('whsec_') && !isSecretKey(key))
      ? 'secret: expected base64 after the prefix whsec_'
      : undefined,
  isSigned: (delivery, key) =>
    key.startsWith('whsec_')
      ? isSignedMessage(delivery, 'webhook', key)
      : isSame(onlyValue(delivery.headers, 'x-gitlab-token'), key),
  // GitLab sends one value in both headers. `X-Gitlab-Event-UUID` is for versions before 17.4.
  findId: ({ headers }) =>
    onlyValue(headers, 'webhook-id') ??
    onlyValue(headers, 'idempotency-key') ??
    onlyValue(headers, 'x-gitlab-event-uuid'),
  secrets: () => ({ headers: ['x-gitlab-token'] }),
});

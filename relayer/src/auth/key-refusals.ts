/** The 401 of a key that cannot be used. */
import { type HttpError, unauthorized } from '@latchkey/http';

export const unknownKey = (): HttpError =>
  unauthorized('Unknown API key.', {
    fix: 'Send the whole key to the service that made it. A removed or replaced key stays refused: make another one.',
  });

export const expiredKey = (): HttpError =>
  unauthorized('This usage key has expired.', {
    fix: 'Set a later time with set_usage_api_key_expiration, or make another usage key.',
  });

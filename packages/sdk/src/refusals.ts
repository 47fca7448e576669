import { HttpError, LatchkeyError } from './errors.ts';

/** Returns true for an error that proves that the call had no effect: the service refused it, or nothing was sent. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof HttpError)
    // A 429 can answer a retry after a lost reply. An invalid reply is that of a proxy.
    return (
      error.status >= 400 && error.status < 500 && error.status !== 429 && error.code !== 'invalid_reply'
    );
  return error instanceof LatchkeyError && error.code === 'configuration';
}

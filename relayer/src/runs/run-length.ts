/** The end of a run before its code ends: limits on its length, and a client that has gone. */
import { ActionError } from '@latchkey/runner-protocol';

/** Returns the shortest of the limits of the service, the request and the usage key. */
export const timeoutOf = (
  serviceMs: number,
  requestMs: number | null | undefined,
  keySec: number | null,
): number => Math.min(serviceMs, requestMs ?? serviceMs, keySec === null ? serviceMs : keySec * 1_000);

/** Returns a signal that aborts with the error of the run when `closed` aborts. */
export function stopWhenClosed(closed: AbortSignal): Disposable & { signal: AbortSignal } {
  const stop = new AbortController();
  const close = () => stop.abort(new ActionError('StoppedError', 'the client closed the request'));
  if (closed.aborted) close();
  else closed.addEventListener('abort', close, { once: true });
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => closed.removeEventListener('abort', close),
  };
}

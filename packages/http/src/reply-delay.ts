import type { EventEmitter } from 'node:events';

/**
 * Delays replies, so that a client that repeats a request without a pause takes little of the service's time: by half to one and a half
 * of `delayMs` at random, because clients that were delayed together would come back together. At most `max` replies wait, which bounds
 * their memory; further ones are sent immediately. `send` is not called for a client that goes away.
 */
export function createReplyDelay({ delayMs = 1_000, max = 2_000 } = {}) {
  let waiting = 0;
  return (res: EventEmitter, send: () => void): void => {
    if (waiting >= max) {
      send();
      return;
    }
    waiting++;
    const timer = setTimeout(
      () => {
        waiting--;
        res.off('close', cancel);
        send();
      },
      delayMs * (0.5 + Math.random()),
    );
    const cancel = () => {
      waiting--;
      clearTimeout(timer);
    };
    res.once('close', cancel);
  };
}

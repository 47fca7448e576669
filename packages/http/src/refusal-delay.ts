import type { EventEmitter } from 'node:events';

/**
 * Delays refusals: a client that repeats a refused request without a pause then takes little of the service's time. At most `max` wait
 * at a time, so that they hold little memory; further ones are sent immediately.
 */
export function createRefusalDelay({ delayMs, max }: { delayMs: number; max: number }) {
  let waiting = 0;
  return (res: EventEmitter, send: () => void): void => {
    if (waiting >= max) {
      send();
      return;
    }
    waiting++;
    const timer = setTimeout(() => {
      waiting--;
      res.off('close', cancel);
      send();
    }, delayMs);
    const cancel = () => {
      waiting--;
      clearTimeout(timer);
    };
    res.once('close', cancel);
  };
}

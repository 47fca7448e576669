import type { RequestHandler } from 'express';
import { clientNetwork } from './client-network.ts';
import { PointCounter } from './point-counter.ts';
import { createReplyDelay } from './reply-delay.ts';

const REQUESTS_PER_SECOND = 100;

/**
 * Delays requests by about a second while their client network sends more than 100 per second. They stay answered, not
 * refused: a health check behind a shared address must not fail because of its neighbour.
 */
export function createPace(): RequestHandler {
  const limiter = new PointCounter({ points: REQUESTS_PER_SECOND, duration: 1 });
  const delay = createReplyDelay();
  return (req, res, next) => {
    limiter.consume(clientNetwork(req.ip ?? '')).then(
      () => next(),
      () => delay(res, next),
    );
  };
}

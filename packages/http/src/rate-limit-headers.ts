/** `RateLimit-Policy` and `RateLimit`: draft-ietf-httpapi-ratelimit-headers-10, structured fields of RFC 9651. */

/** A limit of points per period, as it is for one caller. */
export type LimitState = {
  /** Lower-case letters and hyphens. */
  name: string;
  points: number;
  periodSec: number;
  remaining: number;
  resetSec: number;
};

/** For `replyHeaders` of a route that tells its limit. */
export const rateLimitReplyHeaders = {
  'RateLimit-Policy': 'The limit of this request: its name, `q` points per `w` seconds.',
  RateLimit: 'The name of the limit, `r` remaining points, and `t` seconds until there are `q` again.',
};

export function rateLimitHeaders({
  name,
  points,
  periodSec,
  remaining,
  resetSec,
}: LimitState): Record<keyof typeof rateLimitReplyHeaders, string> {
  return {
    'RateLimit-Policy': `"${name}";q=${points};w=${periodSec}`,
    RateLimit: `"${name}";r=${remaining};t=${Math.max(1, Math.ceil(resetSec))}`,
  };
}

/**
 * `server_error` (500) and `rate_limit` (429) come before any effect. `server_error_after_effect` is a 500 that the
 * idempotency key keeps, though everything was done; `lost_reply` does everything and cuts the connection.
 */
export type FailureKind = 'lost_reply' | 'rate_limit' | 'server_error' | 'server_error_after_effect';

export type PlannedFailure = {
  kind: FailureKind;
  /** How many requests fail (default 1). */
  times?: number;
  /** Only requests of this method, for example `POST`. */
  method?: string;
  /** Only requests whose path starts so, for example `/v1/refunds`. */
  path?: string;
};

export type Failures = ReturnType<typeof openFailures>;

/** Requests of the API that are to fail, in the order in which they were planned. */
export function openFailures() {
  let planned: (PlannedFailure & { left: number })[] = [];
  return {
    plan: (failure: PlannedFailure): void => {
      planned.push({ ...failure, left: failure.times ?? 1 });
    },
    /** The failure that this request gets, which is used up with it. */
    take: (request: { method: string; path: string }): FailureKind | undefined => {
      const failure = planned.find(
        ({ method = request.method, path = '' }) =>
          method === request.method && request.path.startsWith(path),
      );
      if (!failure) return undefined;
      failure.left--;
      planned = planned.filter(({ left }) => left > 0);
      return failure.kind;
    },
  };
}

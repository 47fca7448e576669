/**
 * `server_error` (500) and `rate_limit` (429) happen before any effect. `server_error_after_effect` is a 500 that the
 * idempotency key stores although the effect happened; `lost_reply` has its effect and closes the connection.
 */
export type FailureKind = 'lost_reply' | 'rate_limit' | 'server_error' | 'server_error_after_effect';

export type PlannedFailure = {
  kind: FailureKind;
  /** Number of requests that fail (default 1). */
  times?: number;
  /** Limits the failure to requests of this method, for example `POST`. */
  method?: string;
  /** Limits the failure to requests whose path starts with this text, for example `/v1/refunds`. */
  path?: string;
};

export type Failures = ReturnType<typeof openFailures>;

/** Planned failures of API requests, in the order of planning. */
export function openFailures() {
  let planned: (PlannedFailure & { left: number })[] = [];
  return {
    plan: (failure: PlannedFailure): void => {
      planned.push({ ...failure, left: failure.times ?? 1 });
    },
    /** Takes the failure of this request off the plan. */
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

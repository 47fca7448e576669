/** `server_error` (500) happens before any effect; `lost_reply` has its effect and closes the connection. */
export type FailureKind = 'lost_reply' | 'server_error';

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

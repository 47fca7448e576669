/**
 * The trace of a run. Its id is that of the run, so that each process that accepts, claims or retries it continues one trace, without
 * a column for it.
 */
import { linksToActive, type SpanOptions, startSpan } from '@latchkey/service/tracing';
import type { ClaimedRun } from './claim.ts';

const traceIdOf = (runId: string): string => runId.replaceAll('-', '');

/** The span of one request for a claimed run. */
export const spanOfRun = ({ id, attempt, lagSec }: ClaimedRun): SpanOptions => ({
  kind: 'CONSUMER',
  traceId: traceIdOf(id),
  attributes: { attempt, lag_sec: lagSec },
});

/** Begins the trace of a run, with a link to the request that fired it. */
export const traceAcceptance = (runId: string, startTime: Date): void =>
  startSpan('accept', {
    kind: 'PRODUCER',
    traceId: traceIdOf(runId),
    startTime,
    links: linksToActive(),
  }).end();

import { expect, test } from 'vitest';
import { spanOfRun } from './trace.ts';

test('each request for a run continues the trace of the run', () => {
  const id = '01234567-89ab-4def-8123-456789abcdef';
  const run = { id, attempt: 2, lagSec: 1.5 } as Parameters<typeof spanOfRun>[0];
  expect(spanOfRun(run)).toEqual({
    kind: 'CONSUMER',
    traceId: '0123456789ab4def8123456789abcdef',
    attributes: { attempt: 2, lag_sec: 1.5 },
  });
});

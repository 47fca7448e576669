import type { Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { storeRequests } from '../db/request-records.ts';
import { createNotStoredCounter } from '../metrics.ts';
import { createRequestLog, type RequestLog, STORE_MS } from '../request-log.ts';
import type { Every } from './timers.ts';

export type Requests = { requestLog: RequestLog };

export function openRequestLog(
  { db, metrics }: { db: Database; metrics: Registry },
  resources: AsyncDisposableStack,
  every: Every,
): Requests {
  const requestLog = createRequestLog({
    save: (requests) => storeRequests(db, requests),
    onNotStored: createNotStoredCounter(metrics),
  });
  // Disposed after the timer: the last ones.
  resources.defer(() => requestLog.store().catch(() => {}));
  every(STORE_MS, 'store the requests of accounts', requestLog.store);
  return { requestLog };
}

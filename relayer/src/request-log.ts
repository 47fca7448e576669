/** The log of the requests of accounts: collected in memory, and stored by one statement per second and process. */
import type { EndedRequest } from '@latchkey/http';
import type { NewRequest } from './db/request-records.ts';
import { hashText } from './db/text.ts';

export const STORE_MS = 1_000;
/** Per account between two stores, so that no account fills the table. */
const MAX_PER_ACCOUNT = 20;
/** Of all accounts between two stores. */
const MAX_WAITING = 2_000;

/** Why a request is not stored: too many of its account, too many of all, or the database failed. */
export type NotStored = 'account' | 'buffer' | 'database';

export type RequestLog = {
  /** Costs the reply nothing: it does not wait, and does not throw. */
  add: (request: EndedRequest) => void;
  /** Stores what was added. Requests that the database refuses are not kept. */
  store: () => Promise<void>;
};

type Waiting = { request: EndedRequest; endedAtMs: number; omitted: number };

export function createRequestLog({
  save,
  onNotStored,
  maxWaiting = MAX_WAITING,
}: {
  save: (requests: readonly NewRequest[]) => Promise<void>;
  onNotStored: (reason: NotStored, count: number) => void;
  maxWaiting?: number;
}): RequestLog {
  let waiting: Waiting[] = [];
  /** The number of waiting requests of each account, and the last of them. */
  let accounts = new Map<bigint, { count: number; last: Waiting }>();
  return {
    add(request) {
      const known = accounts.get(request.account);
      if (known && known.count >= MAX_PER_ACCOUNT) {
        known.last.omitted += 1;
        return onNotStored('account', 1);
      }
      if (waiting.length >= maxWaiting) return onNotStored('buffer', 1);
      const last = { request, endedAtMs: Date.now(), omitted: 0 };
      waiting.push(last);
      accounts.set(request.account, { count: (known?.count ?? 0) + 1, last });
    },
    async store() {
      const stored = waiting;
      if (stored.length === 0) return;
      waiting = [];
      accounts = new Map();
      try {
        await save(stored.map(toRow));
      } catch (error) {
        onNotStored('database', stored.length);
        throw error;
      }
    },
  };
}

function toRow({ request, endedAtMs, omitted }: Waiting): NewRequest {
  const { requestId, account, keyHash, method, route, status, error = null, durationMs } = request;
  return {
    account: hashText(account),
    requestId,
    key: hashText(keyHash),
    method,
    route,
    outcome: outcomeOf(status),
    status: status ?? null,
    error,
    durationMs,
    chargedMicros: Number(request.chargedMicros),
    at: new Date(endedAtMs),
    omitted,
  };
}

function outcomeOf(status: number | undefined): NewRequest['outcome'] {
  if (status === undefined) return 'aborted';
  if (status < 400) return 'success';
  return status < 500 ? 'refused' : 'failed';
}

/** Requests with an `Idempotency-Key`: of several with one key, one has its effect, and all get its outcome. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { conflict, errorBody, type HttpError, toHttpError, tooManyRequests } from './errors.ts';
import type { IdempotencyStore, StoredReply } from './idempotency.ts';
import type { Locals } from './request-locals.ts';

const LEASE_MS = 30_000;
const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 500;
/** Returns whether a later attempt of the same request may succeed. */
const isPassing = ({ status, code, retryAfterSec }: HttpError): boolean =>
  status >= 500 || code === 'payment_required' || retryAfterSec !== undefined;

/** Requests with one id that wait for the outcome of the first. They keep their bodies, so that further ones are refused. */
const MAX_WAITING = 20;
const MAX_WAITING_LARGE = 2;
const waiting = new Map<string, number>();

const stillInProgress = () =>
  tooManyRequests('The first request with this Idempotency-Key is still in progress.', 1);

function startWaiting(id: string, maxWaiting: number): Disposable {
  const count = waiting.get(id) ?? 0;
  if (count >= maxWaiting) throw stillInProgress();
  waiting.set(id, count + 1);
  return {
    [Symbol.dispose]() {
      const left = (waiting.get(id) ?? 0) - 1;
      if (left > 0) waiting.set(id, left);
      else waiting.delete(id);
    },
  };
}

/** Runs `attempt` unless this request has an outcome or is in flight; then waits for that outcome. */
export async function once(
  store: IdempotencyStore,
  id: string,
  requestHash: string,
  attempt: () => Promise<StoredReply>,
  { requestId, signal, log }: Pick<Locals, 'requestId' | 'signal' | 'log'>,
  isLarge: boolean,
): Promise<StoredReply> {
  const holder = randomUUID();
  using waits = new DisposableStack();
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, LONGEST_POLL_MS)) {
    const claim = await store.claim(id, { requestHash, holder, leaseMs: LEASE_MS });
    if (claim.state === 'claimed') break;
    if (claim.requestHash !== requestHash)
      throw conflict('This Idempotency-Key was used with another request.', {
        fix: 'Use a new key for a new request.',
      });
    if (claim.state === 'done') return withRequestId(claim.reply, requestId);
    if (pollMs === FIRST_POLL_MS) waits.use(startWaiting(id, isLarge ? MAX_WAITING_LARGE : MAX_WAITING));
    await delay(pollMs, undefined, { signal }).catch(() => {
      throw stillInProgress();
    });
  }
  waits.dispose();
  const fail = (what: string) => (err: unknown) => log.error({ err }, `failed to ${what}`);
  const renewal = setInterval(() => {
    store.renew(id, holder, LEASE_MS).catch(fail('renew idempotency lease'));
  }, LEASE_MS / 3);
  try {
    const reply = await attempt().catch((thrown: unknown) => {
      const error = toHttpError(thrown);
      if (isPassing(error)) throw thrown;
      return { status: error.status, headers: {}, body: JSON.stringify(errorBody(error, requestId)) };
    });
    // The effect has happened: a failure of the store must not turn the reply into an error.
    await store.complete(id, holder, reply).catch(fail('store idempotent outcome'));
    return reply;
  } catch (thrown) {
    await store.release(id, holder).catch(fail('release idempotency record'));
    throw thrown;
  } finally {
    clearInterval(renewal);
  }
}

/** Returns a stored reply for this request: the body of an error names the current request id. */
function withRequestId(reply: StoredReply, requestId: string): StoredReply {
  if (reply.status < 400) return reply;
  const body = { ...(JSON.parse(reply.body) as object), request_id: requestId };
  return { ...reply, body: JSON.stringify(body) };
}

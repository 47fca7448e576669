/** The core service, over HTTP only. */
import type { paths } from '@latchkey/sdk/api';
import { Agent, type Response as AgentResponse, fetch as fetchWith } from 'undici';
import { z } from 'zod';

const EXISTS_TIMEOUT_MS = 15_000;
/** A minute more than the longest run. */
const RUN_TIMEOUT_MS = 16 * 60_000;

/** How old the answer of `adminOf` can be: after a conversion old credentials are refused within it. */
const ADMIN_MAX_AGE_MS = 1_000;
const ADMIN_TIMEOUT_MS = 5_000;
const MAX_CACHED_ADMINS = 10_000;

type Body = NonNullable<paths['/core/v1/svc_action']['post']['requestBody']>['content']['application/json'];
type RunReply = paths['/core/v1/svc_action']['post']['responses'][200]['content']['application/json'];
type ErrorReply = { error: string; message: string; fix?: string };

/** What a request for a run came to: a reply of the action, a refusal that stays, or what may pass. */
export type RunAnswer =
  | { kind: 'reply'; httpStatus: 200; reply: RunReply; costMicros: number }
  | { kind: 'refused'; httpStatus: number; message: string; name: string }
  | { kind: 'passing'; httpStatus: number; message: string; retryAfterMs?: number };

/** The admin of an account, as the chain says. */
export type Admin = {
  /** Master hash: 0x and 64 hex digits. */
  account: string;
  wallet: string;
  /** The account key administers the account, and not the wallet. */
  managed: boolean;
};
const adminReply = z.object({
  account: z.string().regex(/^0x[0-9a-f]{64}$/),
  admin_wallet_address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  managed: z.boolean(),
});

export type Core = {
  /** `idempotencyKey` is the same for every attempt of one run. */
  run: (request: {
    key: string;
    body: Body;
    idempotencyKey: string;
    signal: AbortSignal;
  }) => Promise<RunAnswer>;
  /** What a key is for: undefined for one that the core service does not know. Rejects when it does not answer. */
  kindOfKey: (key: string) => Promise<'account key' | 'usage key' | undefined>;
  /**
   * Admin of the account that a hash (0x and 64 hex digits) names: a master hash, or the identity of its admin wallet. Undefined
   * when it names none; a second old at most. Rejects when the core service does not answer.
   */
  adminOf: (hash: string) => Promise<Admin | undefined>;
  /** Rejects when the service is not healthy. */
  ping: () => Promise<void>;
};

/** The core service does not answer, or not as it should. */
export class CoreUnavailableError extends Error {
  override readonly name = 'CoreUnavailableError';
}

export function createCore(url: string): Core {
  // The built-in fetch gives up when there are no headers after five minutes.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const headersOf = (key: string) => ({ 'X-Api-Key': key, 'Content-Type': 'application/json' });
  return {
    async run({ key, body, idempotencyKey, signal }) {
      let response: AgentResponse;
      let text: string;
      try {
        response = await fetchWith(`${url}/core/v1/svc_action`, {
          method: 'POST',
          dispatcher,
          headers: { ...headersOf(key), 'Idempotency-Key': idempotencyKey },
          body: JSON.stringify(body),
          redirect: 'error',
          signal: AbortSignal.any([signal, AbortSignal.timeout(RUN_TIMEOUT_MS)]),
        });
        text = await response.text();
      } catch {
        signal.throwIfAborted();
        return { kind: 'passing', httpStatus: 0, message: 'the core service does not answer' };
      }
      const { status: httpStatus } = response;
      const json = parseJson(text);
      if (httpStatus === 200 && json !== undefined)
        return { kind: 'reply', httpStatus, reply: json as RunReply, costMicros: costOf(response) };
      const { error = 'invalid_reply', message = `status ${httpStatus}` } = (json ??
        {}) as Partial<ErrorReply>;
      if (httpStatus === 429 || httpStatus >= 500 || httpStatus === 200)
        return { kind: 'passing', httpStatus, message, ...retryAfterOf(response) };
      return { kind: 'refused', httpStatus, message, name: error };
    },
    async kindOfKey(key) {
      const ask = (path: string) =>
        fetch(`${url}/core/v1/${path}`, {
          headers: headersOf(key),
          redirect: 'error',
          signal: AbortSignal.timeout(EXISTS_TIMEOUT_MS),
        }).catch(() => {
          throw new CoreUnavailableError('the core service does not answer');
        });
      // The list of usage keys is for account keys alone.
      const { status } = await ask('list_api_keys?page_size=1');
      if (status === 200) return 'account key';
      if (status === 403) return 'usage key';
      if (status === 401 || status === 400) return undefined;
      throw new CoreUnavailableError(`the core service answered with ${status}`);
    },
    adminOf: cachedBriefly(async (hash) => {
      const response = await fetch(`${url}/core/v1/account_admin?account=${hash}`, {
        redirect: 'error',
        signal: AbortSignal.timeout(ADMIN_TIMEOUT_MS),
      }).catch(() => {
        throw new CoreUnavailableError('the core service does not answer');
      });
      const json: unknown = await response.json().catch(() => undefined);
      if (response.status === 404) return undefined;
      const { success, data } = adminReply.safeParse(json);
      if (!response.ok || !success)
        throw new CoreUnavailableError(`the core service answered with ${response.status}`);
      return { account: data.account, wallet: data.admin_wallet_address, managed: data.managed };
    }),
    async ping() {
      const response = await fetch(`${url}/core/v1/version`, {
        signal: AbortSignal.timeout(EXISTS_TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (!response.ok) throw new CoreUnavailableError(`the core service answered with ${response.status}`);
    },
  };
}

/** Shares answers that were asked for within `ADMIN_MAX_AGE_MS`, also those under way. Failures are not kept. */
function cachedBriefly<Answer>(ask: (name: string) => Promise<Answer>): (name: string) => Promise<Answer> {
  const answers = new Map<string, { askedAt: number; answer: Promise<Answer> }>();
  return (name) => {
    const known = answers.get(name);
    if (known && performance.now() - known.askedAt < ADMIN_MAX_AGE_MS) return known.answer;
    if (answers.size >= MAX_CACHED_ADMINS) answers.clear();
    const entry = { askedAt: performance.now(), answer: ask(name) };
    answers.set(name, entry);
    entry.answer.catch(() => {
      if (answers.get(name) === entry) answers.delete(name);
    });
    return entry.answer;
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const costOf = ({ headers }: AgentResponse): number => Number(headers.get('x-run-cost-micros') ?? 0);

function retryAfterOf(response: AgentResponse): { retryAfterMs?: number } {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: seconds * 1_000 } : {};
}

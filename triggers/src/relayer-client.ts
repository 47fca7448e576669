/** HTTP client of the relayer. */
import { createRunEventReader } from '@latchkey/protocol';
import type { paths } from '@latchkey/sdk/api';
import { createAskTogether } from '@latchkey/service/ask-together';
import { Agent, request } from 'undici';
import { z } from 'zod';

const EXISTS_TIMEOUT_MS = 15_000;
/** One minute longer than the longest run. */
const RUN_TIMEOUT_MS = 16 * 60_000;

const ADMIN_TIMEOUT_MS = 5_000;

type Body = NonNullable<paths['/core/v1/svc_action']['post']['requestBody']>['content']['application/json'];
type RunReply = paths['/core/v1/svc_action']['post']['responses'][200]['content']['application/json'];
type RunResponse = Awaited<ReturnType<typeof request>>;
type Headers = RunResponse['headers'];
/** A reply to a request for a run, from the body or from the last event of a stream. */
type Replied = { statusCode: number; headers: Headers; json: unknown };
type ErrorReply = { error: string; message: string; fix?: string };

/** Result of one request for a run. */
export type RunAnswer =
  /** The run was executed. */
  | {
      kind: 'reply';
      httpStatus: 200;
      reply: RunReply;
      costMicros: number;
      cid: string | null;
      durationMs: number | null;
    }
  /** The relayer will never execute the run. */
  | { kind: 'refused'; httpStatus: number; message: string; name: string }
  /** The relayer does not accept the usage key. */
  | { kind: 'unknown key'; httpStatus: 401; message: string }
  /** The account has no credit, or the usage key has reached a cap that does not free by itself. */
  | { kind: 'unpaid'; httpStatus: 402; message: string }
  /** A limit or a cap: the run was not executed, and can be later. */
  | { kind: 'limited'; httpStatus: 402 | 429; message: string; retryAfterMs: number }
  /**
   * No reply (0), or one that tells of an outage: any status of 5xx, a redirect, or a malformed body. The run may
   * have been executed; `began` when the relayer told so.
   */
  | { kind: 'unreachable'; httpStatus: number; message: string; retryAfterMs: number; began: boolean }
  /** The runner crashed while it executed the run. */
  | { kind: 'crashed'; httpStatus: 502; message: string };

/** The admin of an account, read from the chain. */
export type Admin = {
  /** Master hash: 0x and 64 hex digits. */
  account: string;
  wallet: string;
  /** True when the account key administers the account, false when `wallet` does. */
  managed: boolean;
};
const adminReply = z.object({
  account: z.string().regex(/^0x[0-9a-f]{64}$/),
  admin_wallet_address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  managed: z.boolean(),
});

const refusal = z.object({ message: z.string(), fix: z.string().optional() });

const explained = z.object({
  action: z.object({ permitted: z.boolean(), explanation: z.string() }),
  code_stored: z.boolean().optional(),
});

const healthy = z.object({ ok: z.literal(true) });
/** Health of a relayer that can run actions. Indexer and payers are not needed. */
const canRun = z.object({ chain: healthy, database: healthy, runtime: healthy, keys: healthy });

export type RelayerClient = {
  /** Requests one run. All attempts of a run send the same `idempotencyKey`. Rejects only when `signal` is aborted. */
  run: (request: {
    key: string;
    body: Body;
    idempotencyKey: string;
    /** Called with the relayer's id of the run when the code begins. */
    onStart: (runId: string) => void;
    /** Called with the console output as it comes. */
    onLog: (text: string) => void;
    signal: AbortSignal;
  }) => Promise<RunAnswer>;
  /** Stops a run of the usage key, by the relayer's id. Rejects with `RelayerUnavailableError`. */
  stopRun: (key: string, runId: string) => Promise<void>;
  /** Resolves to undefined for a key that the relayer does not know. Rejects with `RelayerUnavailableError`. */
  getKeyKind: (key: string) => Promise<'account key' | 'usage key' | undefined>;
  /**
   * Resolves to whether the usage key is permitted to run the action of the CID, and whether the relayer stores its code; to
   * undefined for an unknown or expired key. Rejects with `RelayerUnavailableError`.
   */
  explainExecution: (
    key: string,
    cid: string,
    signal: AbortSignal,
  ) => Promise<{ permitted: boolean; explanation: string; codeStored: boolean } | undefined>;
  /**
   * Resolves to the admin of the account with this master hash or admin wallet identity (0x and 64 hex digits), or to
   * undefined when there is no such account. The relayer is asked after the call, so that the credentials from before a conversion
   * or a rotation end with its reply. Rejects with `NotAcceptedError` or `RelayerUnavailableError`.
   */
  getAdmin: (hash: string) => Promise<Admin | undefined>;
  /** Rejects when no relayer answers whose parts that runs need are healthy. The next requests go to the first that does. */
  ping: () => Promise<void>;
};

/** The relayer did not answer, or sent an unexpected reply. */
export class RelayerUnavailableError extends Error {
  override readonly name = 'RelayerUnavailableError';
}

/** The account was transferred to a wallet that has not accepted it, so that it has no sessions. Its message is the relayer's. */
export class NotAcceptedError extends Error {
  override readonly name = 'NotAcceptedError';
  readonly fix: string | undefined;

  constructor({ message, fix }: { message: string; fix?: string | undefined }) {
    super(message);
    this.fix = fix;
  }
}

const unexpected = (status: number) =>
  new RelayerUnavailableError(`The relayer answered with status ${status}.`);

/** Several relayers of one database know the same runs: the next one is asked after one that does not answer. */
export function createRelayerClient(urls: readonly [string, ...string[]]): RelayerClient {
  let url = urls[0];
  const leave = (failed: string): void => {
    if (failed === url) url = urls[(urls.indexOf(url) + 1) % urls.length] ?? url;
  };
  // The default is an error when no headers arrive within five minutes.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const requestHeaders = (key: string) => ({ 'X-Api-Key': key, 'Content-Type': 'application/json' });
  /** Resolves to a reply; `json` is undefined when the body is not JSON. Rejects with `RelayerUnavailableError`. */
  const ask = async (path: string, init: RequestInit) => {
    const signal = init.signal ?? AbortSignal.timeout(EXISTS_TIMEOUT_MS);
    const asked = url;
    const response = await fetch(`${asked}/core/v1/${path}`, { ...init, redirect: 'error', signal }).catch(
      () => {
        leave(asked);
        throw new RelayerUnavailableError('The relayer does not answer.');
      },
    );
    const json: unknown = await response.json().catch(() => undefined);
    return { ok: response.ok, status: response.status, json };
  };
  const askAdmin = async (hash: string): Promise<Admin | undefined> => {
    const signal = AbortSignal.timeout(ADMIN_TIMEOUT_MS);
    const { ok, status, json } = await ask(`account_admin?account=${hash}`, { signal });
    if (status === 404) return undefined;
    if (status === 403) throw new NotAcceptedError(refusal.parse(json));
    const { success, data } = adminReply.safeParse(json);
    if (!ok || !success) throw unexpected(status);
    return { account: data.account, wallet: data.admin_wallet_address, managed: data.managed };
  };
  const together = createAskTogether();
  return {
    async run({ key, body, idempotencyKey, onStart, onLog, signal }) {
      let replied: Replied;
      let began = false;
      const asked = url;
      try {
        const response = await request(`${asked}/core/v1/svc_action`, {
          method: 'POST',
          dispatcher,
          headers: {
            ...requestHeaders(key),
            'Idempotency-Key': idempotencyKey,
            Accept: 'text/event-stream',
          },
          body: JSON.stringify(body),
          signal: AbortSignal.any([signal, AbortSignal.timeout(RUN_TIMEOUT_MS)]),
        });
        replied = await readReply(response, {
          onStart: (runId) => {
            began = true;
            onStart(runId);
          },
          onLog,
        });
      } catch {
        signal.throwIfAborted();
        leave(asked);
        return {
          kind: 'unreachable',
          httpStatus: 0,
          message: 'The relayer does not answer.',
          retryAfterMs: 0,
          began,
        };
      }
      const answer = toAnswer(replied, began);
      if (answer.kind === 'unreachable') leave(asked);
      return answer;
    },
    async stopRun(key, runId) {
      const { ok, status } = await ask(`run/${runId}`, { method: 'DELETE', headers: requestHeaders(key) });
      // A removed key has ended its runs.
      if (!ok && status !== 401 && status !== 404) throw unexpected(status);
    },
    async getKeyKind(key) {
      // Only account keys may list usage keys.
      const { status } = await ask('list_api_keys?page_size=1', { headers: requestHeaders(key) });
      if (status === 200) return 'account key';
      if (status === 403) return 'usage key';
      if (status === 401 || status === 400) return undefined;
      throw unexpected(status);
    },
    async explainExecution(key, cid, signal) {
      const path = `explain_execution?${new URLSearchParams({ cid })}`;
      const { ok, status, json } = await ask(path, { headers: requestHeaders(key), signal });
      if (status === 401) return undefined;
      const { success, data } = explained.safeParse(json);
      if (!ok || !success) throw unexpected(status);
      return { ...data.action, codeStored: data.code_stored ?? false };
    },
    getAdmin: (hash) => together(hash, () => askAdmin(hash)),
    async ping() {
      url = await Promise.any(
        urls.map(async (asked) => {
          const response = await fetch(`${asked}/health`, { signal: AbortSignal.timeout(EXISTS_TIMEOUT_MS) });
          if (!canRun.safeParse(await response.json()).success)
            throw new RelayerUnavailableError('A part of the relayer is down.');
          return asked;
        }),
      );
    },
  };
}

const started = z.object({ run_id: z.string() });
const logged = z.object({ text: z.string() });

type Listeners = { onStart: (runId: string) => void; onLog: (text: string) => void };

/** Reads the body, or the events of a stream. Rejects when the stream ends without a result. */
async function readReply(response: RunResponse, { onStart, onLog }: Listeners): Promise<Replied> {
  const { statusCode, headers, body } = response;
  if (!textIn(headers, 'content-type')?.startsWith('text/event-stream'))
    return { statusCode, headers, json: parseJson(await body.text()) };
  const events = createRunEventReader((name, data) => {
    if (name === 'run') onStart(started.parse(data).run_id);
    else if (name === 'log') onLog(logged.parse(data).text);
  });
  const decoder = new TextDecoder();
  for await (const bytes of body) events.feed(decoder.decode(bytes as Uint8Array, { stream: true }));
  const reply = events.end();
  const named = Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { statusCode: reply.status, headers: Object.fromEntries(named), json: reply.body };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toAnswer({ statusCode: httpStatus, headers, json }: Replied, began: boolean): RunAnswer {
  if (httpStatus === 200 && json !== undefined)
    return {
      kind: 'reply',
      httpStatus,
      reply: json as RunReply,
      costMicros: numberIn(headers, 'x-run-cost-micros') ?? 0,
      cid: textIn(headers, 'x-run-cid') ?? null,
      durationMs: numberIn(headers, 'x-run-duration-ms') ?? null,
    };
  const { error: name = 'invalid_reply', message = `status ${httpStatus}` } = (json ??
    {}) as Partial<ErrorReply>;
  const retryAfterSec = numberIn(headers, 'retry-after');
  const retryAfterMs = (retryAfterSec ?? 0) * 1_000;
  switch (httpStatus) {
    case 401:
      return { kind: 'unknown key', httpStatus, message };
    case 402:
      if (retryAfterSec === undefined) return { kind: 'unpaid', httpStatus, message };
      return { kind: 'limited', httpStatus, message, retryAfterMs };
    case 429:
      return { kind: 'limited', httpStatus, message, retryAfterMs };
    default:
      // A gateway's own 502 has no body of a relayer.
      if (httpStatus === 502 && name === 'service_unavailable')
        return { kind: 'crashed', httpStatus, message };
      if (httpStatus >= 500 || httpStatus < 400)
        return { kind: 'unreachable', httpStatus, message, retryAfterMs, began };
      return { kind: 'refused', httpStatus, message, name };
  }
}

const textIn = (headers: Headers, name: string): string | undefined => [headers[name]].flat()[0];

/** Returns the number in a header, or undefined when it is absent or not a number of at least 0. */
function numberIn(headers: Headers, name: string): number | undefined {
  const number = Number(textIn(headers, name) ?? Number.NaN);
  return number >= 0 && Number.isFinite(number) ? number : undefined;
}

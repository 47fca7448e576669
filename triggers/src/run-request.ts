/** Requests to the relayer for one run. */
import { createRunEventReader } from '@latchkey/protocol';
import type { paths } from '@latchkey/sdk/api';
import { traceHeaders } from '@latchkey/service/tracing';
import {
  APPROVALS_VERSION,
  OTHER_PROTOCOL_STATUS,
  protocolHeader,
  protocols,
} from '@latchkey/service/versions';
import { Agent, request } from 'undici';
import { z } from 'zod';

/** One minute longer than the longest run. */
const RUN_TIMEOUT_MS = 16 * 60_000;

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
      /** Id of the relayer's record of the run. */
      relayerRunId: string | null;
      durationMs: number | null;
    }
  /** The relayer will never execute the run. */
  | { kind: 'refused'; httpStatus: number; message: string; name: string }
  /** The relayer does not accept the usage key. */
  | { kind: 'unknown key'; httpStatus: 401; message: string }
  /** The account has no credit, or the usage key has reached a cap that does not free by itself. */
  | { kind: 'unpaid'; httpStatus: 402; message: string }
  /** A limit, a cap or an approval that is not given yet: the run was not executed, and can be later. */
  | { kind: 'limited'; httpStatus: 402 | 409 | 429; message: string; retryAfterMs: number }
  /**
   * The service failed: no reply (status 0), a status of 500 or more, a redirect, a malformed body, or a relayer of another version. The run may have been executed.
   * `began`: the relayer reported that the code began.
   */
  | { kind: 'unreachable'; httpStatus: number; message: string; retryAfterMs: number; began: boolean }
  /** The runner crashed while it executed the run. */
  | { kind: 'crashed'; httpStatus: 502; message: string };

/** Requests one run. All attempts of a run send the same `idempotencyKey`. Rejects only when `signal` is aborted. */
export type RequestRun = (request: {
  key: string;
  body: Body;
  idempotencyKey: string;
  /** Names the run in the relayer's log. */
  correlationId: string;
  /** Called with the relayer's id of the run when the code begins. */
  onStart: (runId: string) => void;
  /** Called with the console output as it comes. */
  onLog: (text: string) => void;
  signal: AbortSignal;
}) => Promise<RunAnswer>;

/** The relayer that is asked. Call `leave` when it did not answer. */
export type Relayers = { url: () => string; leave: (failed: string) => void };

export const requestHeaders = (key: string) => ({ 'X-Api-Key': key, 'Content-Type': 'application/json' });

export function createRunRequest(relayers: Relayers): RequestRun {
  // The default is an error when no headers arrive within five minutes.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  return async ({ key, body, idempotencyKey, correlationId, onStart, onLog, signal }) => {
    let replied: Replied;
    let began = false;
    const asked = relayers.url();
    try {
      const response = await request(`${asked}/core/v1/svc_action`, {
        method: 'POST',
        dispatcher,
        headers: {
          ...requestHeaders(key),
          ...protocolHeader(protocols.relayer, body.approval_id == null ? undefined : APPROVALS_VERSION),
          'Idempotency-Key': idempotencyKey,
          'X-Correlation-Id': correlationId,
          Accept: 'text/event-stream',
          ...traceHeaders(),
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
      relayers.leave(asked);
      return {
        kind: 'unreachable',
        httpStatus: 0,
        message: 'The relayer does not answer.',
        retryAfterMs: 0,
        began,
      };
    }
    const answer = toAnswer(replied, began);
    if (answer.kind === 'unreachable') relayers.leave(asked);
    return answer;
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
      relayerRunId: z.uuid().safeParse(textIn(headers, 'x-run-id')).data ?? null,
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
    case 409:
      if (retryAfterSec === undefined) return { kind: 'refused', httpStatus, message, name };
      return { kind: 'limited', httpStatus, message, retryAfterMs };
    case 429:
      return { kind: 'limited', httpStatus, message, retryAfterMs };
    default:
      // A gateway's own 502 has no body of a relayer.
      if (httpStatus === 502 && name === 'service_unavailable')
        return { kind: 'crashed', httpStatus, message };
      if (httpStatus >= 500 || httpStatus < 400 || httpStatus === OTHER_PROTOCOL_STATUS)
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

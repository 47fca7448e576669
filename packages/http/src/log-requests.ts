import type { IncomingHttpHeaders } from 'node:http';
import { createSparseLog } from '@latchkey/service/sparse-log';
import { inPresentTrace, isTracing } from '@latchkey/service/tracing';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { apiKeyFromHeaders, requestKeyHash } from './api-key.ts';
import { clientNetwork } from './client-network.ts';
import type { Locals } from './request-locals.ts';

/** Longer texts are not hashed for the log. */
const MAX_KEY_LENGTH = 512;

/** A request of a known account, without anything that its client wrote. */
export type EndedRequest = {
  requestId: string;
  account: bigint;
  /** Hash of the key or wallet that sent it. */
  keyHash: bigint;
  method: string;
  /** Declared path of the route. */
  route: string;
  /** Undefined when the client left before the reply. */
  status: number | undefined;
  error: string | undefined;
  durationMs: number;
  chargedMicros: bigint;
};

/** Logs each request. Refusals of one address by a limit are one line per second, with their `count`, and so are aborted requests. */
export function logRequests(
  log: Logger,
  onEnd: ((ended: EndedRequest) => void) | undefined,
): (req: Request, res: Response) => void {
  const sparse = createSparseLog();
  return (req, res) => {
    const startMs = performance.now();
    const write = () => {
      const { ids, ip, errorCode, routePath } = res.locals as Locals;
      const durationMs = Math.round(performance.now() - startMs);
      if (onEnd) report(res, durationMs, onEnd);
      const line = {
        ...ids,
        method: req.method,
        route: routePath ?? 'other',
        status: res.writableFinished ? res.statusCode : 'aborted',
        ...(errorCode === undefined ? {} : { error: errorCode }),
        client_address: ip,
        ...keyHashPart(req.headers),
        duration_ms: durationMs,
      };
      if (line.status !== 429 && line.status !== 'aborted') return log.info(line, 'request');
      sparse(`${line.status} ${clientNetwork(ip)}`, (count) =>
        log.info(count === 1 ? line : { ...line, count }, 'request'),
      );
    };
    // With the trace of the request, which the event does not have.
    res.once('close', isTracing() ? inPresentTrace(write) : write);
  };
}

function report(res: Response, durationMs: number, onEnd: (ended: EndedRequest) => void): void {
  const { owner, requestId, method, routePath, errorCode, chargedMicros } = res.locals as Locals;
  if (owner === undefined || routePath === undefined) return;
  const status = res.writableFinished ? res.statusCode : undefined;
  onEnd({
    ...owner,
    requestId,
    method,
    route: routePath,
    status,
    error: errorCode,
    durationMs,
    chargedMicros,
  });
}

/**
 * Returns the first 8 hex digits of the hash of the request's key: enough to find its requests, not enough to use it.
 */
function keyHashPart(headers: IncomingHttpHeaders): { key_hash?: string } {
  const key = apiKeyFromHeaders(headers);
  if (key === undefined || key.length > MAX_KEY_LENGTH) return {};
  return { key_hash: requestKeyHash(headers, key).toString(16).padStart(64, '0').slice(0, 8) };
}

import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';

/** The values that `mount` keeps per request in `res.locals`. */
export class Locals {
  /** A new UUID. */
  readonly requestId = randomUUID();
  /** Client address; '' when the connection is closed already. */
  readonly ip: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Declared path of the route, which log and metrics name. */
  routePath: string | undefined;
  errorCode: string | undefined;
  /** The account of the request and the hash of the key or wallet that sent it, once they are known. */
  owner: { account: bigint; keyHash: bigint } | undefined;
  /** Price of the request. */
  chargedMicros = 0n;
  /** Chosen by the client: the trigger service sends the id of its run. */
  correlationId: string | undefined;
  readonly #res: Response;
  readonly #parentLog: Logger;
  #log: Logger | undefined;
  #signal: AbortSignal | undefined;

  constructor(req: Request, res: Response, parentLog: Logger) {
    this.ip = req.ip ?? '';
    this.method = req.method;
    this.headers = req.headers;
    this.#res = res;
    this.#parentLog = parentLog;
  }

  identify(account: bigint, keyHash: bigint): void {
    this.owner = { account, keyHash };
  }

  /** The ids in each log line of the request. */
  get ids() {
    const { requestId, correlationId } = this;
    return {
      request_id: requestId,
      ...(correlationId !== undefined && { correlation_id: correlationId }),
    };
  }

  /** Made for the first who asks: few requests log more than their end. */
  get log(): Logger {
    this.#log ??= this.#parentLog.child(this.ids);
    return this.#log;
  }

  /** Aborted when the client disconnects before the reply, or closes its side, after which it can still read the reply. */
  get signal(): AbortSignal {
    this.#signal ??= disconnectSignal(this.#res);
    return this.#signal;
  }
}

function disconnectSignal(res: Response): AbortSignal {
  const controller = new AbortController();
  const { socket } = res.req;
  const leave = () => controller.abort();
  if (res.closed ? !res.writableFinished : socket.readableEnded) leave();
  else if (!res.closed) {
    socket.once('end', leave);
    res.once('close', () => {
      socket.off('end', leave);
      if (!res.writableFinished) leave();
    });
  }
  return controller.signal;
}

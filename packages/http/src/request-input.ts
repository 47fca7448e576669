import type { Request } from 'express';
import type { Logger } from 'pino';
import type { Parts } from './decode.ts';
import type { Locals } from './request-locals.ts';
import type { Input } from './route.ts';

export type AnyInput = Input<unknown, unknown, unknown, unknown, unknown, string, number>;

/**
 * The input of a handler. Values that few handlers read are getters of the class: they cost nothing until then, and getters of an
 * object literal cost a request about 10 µs each. A spread of the input does not have them.
 */
export class RequestInput implements AnyInput {
  readonly body: unknown;
  readonly query: unknown;
  readonly params: unknown;
  readonly headers: unknown;
  readonly caller: unknown;
  readonly ip: string;
  readonly requestId: string;
  readonly minBlock: bigint | undefined;
  readonly idempotencyId: string | undefined;
  readonly sendEvent: AnyInput['sendEvent'];
  readonly charge: AnyInput['charge'];
  readonly setHeader: AnyInput['setHeader'];
  readonly setStatus: AnyInput['setStatus'];
  status: number;
  readonly replyHeaders: Record<string, string> = {};
  readonly #req: Request;
  readonly #locals: Locals;

  constructor(
    req: Request,
    locals: Locals,
    {
      parts,
      caller,
      minBlock,
      idempotencyId,
      status,
      sendEvent,
    }: Pick<AnyInput, 'caller' | 'minBlock' | 'idempotencyId' | 'sendEvent'> & {
      parts: Parts;
      status: number;
    },
  ) {
    this.body = parts.body;
    this.query = parts.query;
    this.params = parts.params;
    this.headers = parts.headers;
    this.caller = caller;
    this.ip = locals.ip;
    this.requestId = locals.requestId;
    this.minBlock = minBlock;
    this.idempotencyId = idempotencyId;
    this.sendEvent = sendEvent;
    this.status = status;
    this.charge = (micros) => {
      locals.chargedMicros += micros;
    };
    this.setHeader = (name, value) => {
      this.replyHeaders[name] = String(value);
    };
    this.setStatus = (other) => {
      this.status = other;
    };
    this.#req = req;
    this.#locals = locals;
  }

  get log(): Logger {
    return this.#locals.log;
  }

  get signal(): AbortSignal {
    return this.#locals.signal;
  }

  get method(): string {
    return this.#req.method;
  }

  get allHeaders(): AnyInput['allHeaders'] {
    return this.#req.headersDistinct;
  }

  get rawQuery(): string {
    const { url } = this.#req;
    return url.includes('?') ? url.slice(url.indexOf('?')) : '';
  }
}

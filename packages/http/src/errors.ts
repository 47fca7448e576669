import type { LimitState } from './rate-limit-headers.ts';

/** Status of each error code; the codes are the closed list of the wire. */
export const errorStatus = {
  bad_request: 400,
  invalid_json: 400,
  unauthorized: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unprocessable_entity: 422,
  too_many_requests: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const;

export const GONE = 410;

export type ErrorCode = keyof typeof errorStatus;

/** The body of every reply with a status of 400 or more. */
export type ErrorBody = { error: ErrorCode; message: string; fix?: string; request_id: string };

type HttpErrorOptions = {
  fix?: string;
  retryAfterSec?: number;
  /** The limit that was reached, which the headers of the reply tell. */
  limit?: LimitState | undefined;
  cause?: unknown;
  status?: number;
  /** The message of a 503 is shown to the caller: it has no secret and no URL. */
  isPublic?: boolean;
};

/**
 * An error whose status and code the caller gets. `message` and `fix` are public for a 4xx; for a 5xx both stay in the
 * log and the caller gets a fixed sentence, except for a 503 whose message is public.
 */
export class HttpError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly fix: string | undefined;
  readonly retryAfterSec: number | undefined;
  readonly limit: LimitState | undefined;
  readonly isPublic: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    { fix, retryAfterSec, limit, cause, status, isPublic = false }: HttpErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'HttpError';
    this.code = code;
    this.status = status ?? errorStatus[code];
    this.fix = fix;
    this.retryAfterSec = retryAfterSec;
    this.limit = limit;
    this.isPublic = isPublic;
  }
}

const errorConstructor =
  (code: ErrorCode) =>
  (message: string, options?: HttpErrorOptions): HttpError =>
    new HttpError(code, message, options);

export const badRequest = errorConstructor('bad_request');
export const invalidJson = errorConstructor('invalid_json');
export const unauthorized = errorConstructor('unauthorized');
export const paymentRequired = errorConstructor('payment_required');
export const forbidden = errorConstructor('forbidden');
export const notFound = errorConstructor('not_found');
export const conflict = errorConstructor('conflict');
export const payloadTooLarge = errorConstructor('payload_too_large');
export const unprocessableEntity = errorConstructor('unprocessable_entity');
export const serviceUnavailable = errorConstructor('service_unavailable');

/** Returns a 410: the resource exists and is disabled. Its code is `not_found`, because the list of codes is closed. */
export function gone(message: string, options?: HttpErrorOptions): HttpError {
  return notFound(message, { ...options, status: GONE });
}

/** `retryAfterSec` becomes the header `Retry-After`, which every 429 carries. */
export function tooManyRequests(message: string, retryAfterSec: number, limit?: LimitState): HttpError {
  return new HttpError('too_many_requests', message, { retryAfterSec, limit });
}

const sentenceFor5xx = {
  internal_error: 'The service failed to answer this request.',
  service_unavailable: 'A service that this request depends on is unavailable.',
} as const;

/** Returns the error body. A 5xx shows only its code, and a public message. */
export function errorBody(error: HttpError, requestId: string): ErrorBody {
  const { code } = error;
  if (code === 'internal_error' || (code === 'service_unavailable' && !error.isPublic))
    return { error: code, message: sentenceFor5xx[code], request_id: requestId };
  return {
    error: error.code,
    message: error.message,
    ...(error.fix === undefined ? {} : { fix: error.fix }),
    request_id: requestId,
  };
}

/**
 * Returns any thrown value as an HttpError: our own errors unchanged, errors of Express and its body parser by their
 * type, all others as 500.
 */
export function toHttpError(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown;
  const { type, status } = (thrown ?? {}) as { type?: unknown; status?: unknown };
  switch (type) {
    case 'entity.too.large':
      return payloadTooLarge('The body is larger than this endpoint accepts.', { cause: thrown });
    case 'entity.parse.failed':
      return badRequest('The body is not valid JSON.', { cause: thrown });
    case 'charset.unsupported':
      return badRequest('The body is not UTF-8.', { fix: 'Send the body in UTF-8.', cause: thrown });
    case 'encoding.unsupported':
      return badRequest('Compressed bodies are not accepted.', {
        fix: 'Send the body without Content-Encoding.',
      });
  }
  if (typeof status === 'number' && status >= 400 && status < 500)
    return badRequest('The request is malformed.', { cause: thrown });
  return new HttpError('internal_error', 'unexpected failure', { cause: thrown });
}

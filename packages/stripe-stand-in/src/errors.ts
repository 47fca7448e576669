import type Stripe from 'stripe';

/** `error` of an error reply, in Stripe's form. */
export type ErrorBody = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  doc_url?: string;
  charge?: string;
  payment_intent?: Stripe.PaymentIntent;
  payment_method?: Stripe.PaymentMethod;
};

export class StripeApiError extends Error {
  readonly status: number;
  readonly error: ErrorBody;
  /** False when the request did not start to execute; its idempotency key stays unused. */
  readonly hasStarted: boolean;

  constructor(status: number, error: ErrorBody, hasStarted = true) {
    super(error.message);
    this.status = status;
    this.error =
      error.code === undefined
        ? error
        : { ...error, doc_url: `https://docs.stripe.com/error-codes/${error.code.replaceAll('_', '-')}` };
    this.hasStarted = hasStarted;
  }
}

type Details = { code?: string; param?: string };

/** 400: the object's state does not allow the operation. */
export function invalidRequest(message: string, details: Details = {}): StripeApiError {
  return new StripeApiError(400, { type: 'invalid_request_error', message, ...details });
}

/** 400: a parameter is invalid. */
export function invalidParameter(message: string, details: Details): StripeApiError {
  return new StripeApiError(400, { type: 'invalid_request_error', message, ...details }, false);
}

/** 404 for an id in the path, 400 for an id in a parameter. `noun` is Stripe's name of the resource. */
export function resourceMissing(noun: string, id: string, param = 'id'): StripeApiError {
  return new StripeApiError(param === 'id' ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${noun}: '${id}'`,
    param,
  });
}

export function unauthorized(message: string): StripeApiError {
  return new StripeApiError(401, { type: 'invalid_request_error', message }, false);
}

export function secretKeyRequired(): StripeApiError {
  const error = {
    type: 'invalid_request_error',
    code: 'secret_key_required',
    message: 'This API call cannot be made with a publishable API key. Please use a secret API key.',
  } as const;
  return new StripeApiError(403, error, false);
}

export function idempotencyConflict(message: string): StripeApiError {
  return new StripeApiError(400, { type: 'idempotency_error', message }, false);
}

export function rateLimited(): StripeApiError {
  const error = {
    type: 'invalid_request_error',
    code: 'rate_limit',
    message: 'Request rate limit exceeded.',
  } as const;
  return new StripeApiError(429, error, false);
}

export function serverError(): StripeApiError {
  return new StripeApiError(500, { type: 'api_error', message: 'An unknown error occurred.' }, false);
}

/** `error` of an error reply, in Stripe's form. */
export type ErrorBody = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  /** The payment that the error is about. */
  payment_intent?: object;
};

export class StripeApiError extends Error {
  readonly status: number;
  readonly error: ErrorBody;

  constructor(status: number, error: ErrorBody) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

/** 400: a parameter is invalid, or the state of the object does not allow the operation. */
export function invalidRequest(
  message: string,
  details: { code?: string; param?: string } = {},
): StripeApiError {
  return new StripeApiError(400, { type: 'invalid_request_error', message, ...details });
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

export function cardError(error: Omit<ErrorBody, 'type'>): StripeApiError {
  return new StripeApiError(402, { type: 'card_error', ...error });
}

export function serverError(): StripeApiError {
  return new StripeApiError(500, { type: 'api_error', message: 'An unknown error occurred.' });
}

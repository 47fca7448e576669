import { describe, expect, test } from 'vitest';
import { errorBody, toHttpError } from './errors.ts';
import * as http from './index.ts';

describe('toHttpError', () => {
  test('keeps our own errors', () => {
    const error = http.conflict('x');
    expect(toHttpError(error)).toBe(error);
  });

  test.each([
    undefined,
    null,
    'text',
    1,
    new Error('x'),
    { status: 200 },
    { status: 503 },
    Object.create(null),
  ])('maps %o to 500', (thrown) =>
    expect(toHttpError(thrown)).toMatchObject({ status: 500, code: 'internal_error' }),
  );
});

test.each(Object.entries(http.errorStatus))('%s has the status %i and the error body', (code, status) => {
  const error = new http.HttpError(code as http.ErrorCode, 'the message', { fix: 'the fix' });
  expect(error.status).toBe(status);
  const body = errorBody(error, 'id');
  expect(body).toMatchObject({ error: code, request_id: 'id' });
  if (status < 500) expect(body).toMatchObject({ message: 'the message', fix: 'the fix' });
  else expect(JSON.stringify(body)).not.toMatch(/the message|the fix/);
});

test('a 503 shows its message when that is public, a 500 never', () => {
  const bodyOf = (code: http.ErrorCode) =>
    errorBody(new http.HttpError(code, 'the message', { isPublic: true, cause: 'hidden' }), 'id');
  expect(bodyOf('service_unavailable')).toEqual({
    error: 'service_unavailable',
    message: 'the message',
    request_id: 'id',
  });
  expect(JSON.stringify(bodyOf('internal_error'))).not.toContain('the message');
});

test('gone is 410 with the code not_found', () => {
  const error = http.gone('paused', { fix: 'the fix' });
  expect(error.status).toBe(410);
  expect(errorBody(error, 'id')).toEqual({
    error: 'not_found',
    message: 'paused',
    fix: 'the fix',
    request_id: 'id',
  });
});

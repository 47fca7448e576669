import { expect, test } from 'vitest';
import { driverError, isDatabaseUnavailable } from './database-errors.ts';

const fromDriver = (code: string, message = 'm') => Object.assign(new Error(message), { code });

test('driverError returns the cause that the driver threw', () => {
  const error = fromDriver('23505');
  expect(driverError(new Error('query', { cause: new Error('pool', { cause: error }) }))).toBe(error);
  expect(driverError('text')).toBeUndefined();
});

test.each([
  ['a lost connection', fromDriver('08006')],
  ['too many connections', fromDriver('53300')],
  ['a server that is stopping', fromDriver('57P01')],
  ['a statement timeout', fromDriver('57014')],
  ['a refused connection', fromDriver('ECONNREFUSED')],
  ['a standby', fromDriver('25006')],
  ['a full disk', fromDriver('53100')],
  ['a disk that fails', fromDriver('58030')],
  ['a server that is silent', new Error('Query read timeout')],
  ['no free connection in the pool', new Error('timeout exceeded when trying to connect')],
])('isDatabaseUnavailable is true for %s', (_name, error) => {
  expect(isDatabaseUnavailable(new Error('query', { cause: error }))).toBe(true);
});

test.each([
  ['a broken constraint', fromDriver('23505')],
  ['a syntax error', fromDriver('42601')],
  ['an error of another kind', new Error('m')],
])('isDatabaseUnavailable is false for %s', (_name, error) => {
  expect(isDatabaseUnavailable(error)).toBe(false);
});

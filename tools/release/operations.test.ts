/** Operations of an API in logs, before and after an update. */
import { expect, test } from 'vitest';
import { compareOperations, readCalls } from './operations.ts';

const log = (route: string, status: number | string) =>
  JSON.stringify({ level: 30, method: 'GET', route, status, msg: 'request' });
const before = { '/run/{id}': { get: {}, delete: {}, parameters: [] }, '/list': { get: {} } };

test('operations that no client called are listed', () => {
  const calls = readCalls(
    [log('/run/:id', 200), 'not JSON', '{"msg":"ready"}', log('/list', 404)].join('\n'),
  );
  expect(compareOperations(before, before, calls)).toEqual({ faults: [], unused: ['DELETE /run/{id}'] });
});

test('an operation that is gone is a fault, and a new one is not', () => {
  const after = { '/run/{id}': { get: {} }, '/list': { get: {} }, '/new': { post: {} } };
  expect(compareOperations(before, after, []).faults).toEqual(['DELETE /run/{id} is gone']);
});

test('an internal error is a fault, once per operation', () => {
  const statuses = [500, 500, 503, 'aborted'];
  const calls = readCalls(statuses.map((status) => log('/list', status)).join('\n'));
  expect(compareOperations(before, before, calls).faults).toEqual(['GET /list replied 500']);
});

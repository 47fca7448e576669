import { HttpError, LatchkeyError } from '@latchkey/sdk';
import { expect, test } from 'vitest';
import { runError, sendError, startError } from './errors.ts';

const http = (status: number, code: 'forbidden' | 'invalid_reply' = 'forbidden') =>
  startError(new HttpError(code, 'refused', { status }));
const run = (name: string) =>
  runError({ error: { name, message: 'ended', stack: '' }, runId: 'run' } as Parameters<typeof runError>[0]);

test.each([
  ['a key without the permission', http(403), 4100],
  ['an account without credit', http(402), -32603],
  ['a client without a key', startError(new LatchkeyError('configuration', 'no key')), -32603],
  ['a policy', run('PolicyError'), 4001],
  ['a limit', run('AllowanceError'), 4001],
  ['a malformed request', run('RequestError'), -32602],
  ['a wallet that the key may not use', run('WalletNotPermittedError'), 4100],
  ['the chain', run('TransactionError'), -32003],
])('a send that was refused by %s keeps its code', (_what, error, code) => {
  expect(sendError(error, 'k1')).toBe(error);
  expect(error).toMatchObject({ code });
});

test.each([
  ['no reply', startError(new LatchkeyError('network', 'no reply'))],
  ['a timeout', startError(new LatchkeyError('timeout', 'too late'))],
  ['a failure of the service', http(503)],
  ['a limit of requests, which a retry can meet', http(429)],
  ['a page of a proxy', http(404, 'invalid_reply')],
  ['a reply that cannot be read', startError(new SyntaxError('Unexpected token'))],
  ['the time of the run', run('TimeLimitError')],
  ['a key that was removed during the run', run('PermissionError')],
  ['an error of the code', run('TypeError')],
  ['an unknown error', run('Error')],
])('a send that ended with %s may have been sent, and names its key', (_what, error) => {
  expect(sendError(error, 'k1')).toMatchObject({
    code: 4900,
    message: expect.stringContaining("idempotencyKey: 'k1'"),
    cause: error,
  });
});

test('the error of a send keeps the id of its run', () => {
  expect(sendError(run('Error'), 'k1')).toMatchObject({ message: expect.stringContaining('Run: run') });
});

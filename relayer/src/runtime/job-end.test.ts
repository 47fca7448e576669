import { describe, expect, test, vi } from 'vitest';
import { createConsoleOutput } from './console-output.ts';
import { ActionError } from './errors.ts';
import { createJobEnd } from './job-end.ts';
import { ProtocolViolation } from './protocol.ts';

/** A job whose process runs the script `file:///srv/script.js`. */
function startJob() {
  const kill = vi.fn();
  const onHostError = vi.fn();
  const output = createConsoleOutput(1_000);
  output.add('line\n', 0);
  const end = createJobEnd({
    actionProcess: { kill, scriptUrl: 'file:///srv/script.js' },
    output,
    onHostError,
  });
  return { ...end, kill, onHostError };
}

describe('the end of a job', () => {
  test('a success has the response and the output; the process is killed', async () => {
    const { succeed, result, signal, kill } = startJob();
    succeed({ a: 1 });
    expect(await result).toEqual({
      response: { a: 1 },
      logs: 'line\n',
      hasError: false,
      durationMs: expect.any(Number),
    });
    expect(signal.aborted).toBe(true);
    expect(kill).toHaveBeenCalledTimes(1);
  });

  test('the first cause counts', async () => {
    const { fail, succeed, failWith, result, kill, onHostError } = startJob();
    fail('TimeLimitError', 'too long');
    succeed('late');
    failWith(new ActionError('MemoryLimitError', 'too much'));
    expect(await result).toMatchObject({ hasError: true, error: { name: 'TimeLimitError' } });
    expect(kill).toHaveBeenCalledTimes(1);
    expect(onHostError).not.toHaveBeenCalled();
  });

  test('no text of an error names the path of the script', async () => {
    const { fail, result } = startJob();
    fail('Error', 'at file:///srv/script.js:1:1', 'Error\n at file:///srv/script.js:1:1');
    expect(await result).toMatchObject({
      error: { message: 'at runtime.js:1:1', stack: 'Error\n at runtime.js:1:1' },
    });
  });

  test('an ActionError keeps its name', async () => {
    const { failWith, result } = startJob();
    failWith(new ActionError('CreditError', 'no credit'));
    expect(await result).toMatchObject({ error: { name: 'CreditError', message: 'no credit' } });
  });

  test.each([
    ['a violation of the protocol is not reported', new ProtocolViolation(), 0],
    ['an error of the host is reported', new TypeError('secret'), 1],
  ])('%s, and shows the action no detail', async (_name, error, reported) => {
    const { failWith, result, onHostError } = startJob();
    failWith(error);
    expect(await result).toMatchObject({
      error: { name: 'ProcessError', message: 'the process of the action did not keep to its protocol' },
    });
    expect(onHostError).toHaveBeenCalledTimes(reported);
  });
});

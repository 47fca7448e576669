import { ActionError } from '@latchkey/runner-protocol';
import { describe, expect, test, vi } from 'vitest';
import { createConsoleOutput } from './console-output.ts';
import { createJobEnd } from './job-end.ts';
import { ProtocolViolation } from './protocol.ts';

const usage = { cpuMs: 10, memoryPeakBytes: 1_000, keyOperations: [], fetchHosts: ['example.com'] };

function startJob() {
  const kill = vi.fn();
  const onHostError = vi.fn();
  const readUsage = vi.fn(() => usage);
  const output = createConsoleOutput(1_000);
  output.add('line\n', 0);
  const end = createJobEnd({
    actionProcess: { kill },
    output,
    readUsage,
    onHostError,
  });
  return { ...end, kill, onHostError };
}

describe('the end of a job', () => {
  test('returns the response and the output of a success, and kills the process', async () => {
    const { succeed, result, signal, kill } = startJob();
    succeed({ a: 1 });
    expect(await result).toEqual({
      response: { a: 1 },
      logs: 'line\n',
      hasError: false,
      durationMs: expect.any(Number),
      usage,
    });
    expect(signal.aborted).toBe(true);
    await vi.waitFor(() => expect(kill).toHaveBeenCalledTimes(1));
  });

  test('keeps the first cause', async () => {
    const { fail, succeed, failWith, result, kill, onHostError } = startJob();
    fail('TimeLimitError', 'too long');
    succeed('late');
    failWith(new ActionError('MemoryLimitError', 'too much'));
    expect(await result).toMatchObject({ hasError: true, error: { name: 'TimeLimitError' } });
    expect(kill).toHaveBeenCalledTimes(1);
    expect(onHostError).not.toHaveBeenCalled();
  });

  test('keeps the name of an ActionError', async () => {
    const { failWith, result } = startJob();
    failWith(new ActionError('CreditError', 'no credit'));
    expect(await result).toMatchObject({ error: { name: 'CreditError', message: 'no credit' } });
  });

  test.each([
    ['does not report a protocol violation', new ProtocolViolation(), 0],
    ['reports an error of the host', new TypeError('secret'), 1],
  ])('%s, and shows the action no detail', async (_name, error, reported) => {
    const { failWith, result, onHostError } = startJob();
    failWith(error);
    expect(await result).toMatchObject({
      error: { name: 'ProcessError', message: 'the action process violated the protocol' },
    });
    expect(onHostError).toHaveBeenCalledTimes(reported);
  });
});

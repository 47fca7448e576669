/** One run in one process: serves the action's requests, and ends the run when it exceeds a limit. */

import { abortError, type RunLimits, type RunResult } from '@latchkey/runner-protocol';
import { hostErrorNames } from '@latchkey/runner-protocol/error-names';
import type { Agent } from 'undici';
import type { RunNames } from '../fetching/action-names.ts';
import { createGuardedAgent, type FetchOptions } from '../fetching/guarded-agent.ts';
import { guardedFetch } from '../fetching/guarded-fetch.ts';
import type { Imports } from '../imports/imports.ts';
import type { ActionProcess, Exit } from '../processes/action-process.ts';
import {
  type ActionRequests,
  type CallChain,
  type CallKey,
  createActionRequests,
  type TakeAllowance,
} from './action-requests.ts';
import type { FindApproval } from './approvals.ts';
import { type ConsoleOutput, createConsoleOutput } from './console-output.ts';
import { createJobEnd, type JobEnd } from './job-end.ts';
import { type ChildMessage, ProtocolViolation, type RunMessage } from './protocol.ts';
import { readResponse } from './response.ts';
import { type Base, createUsageMeter, type UsageMeter } from './run-usage.ts';

export type LoadedCode = {
  /** Memory that the action can use. */
  memoryLimitBytes: number;
  /** Use of the process before it got the code. */
  base: Base;
};

export type Job = {
  loaded: LoadedCode;
  /** JSON of the parameters of `main`. */
  params: string;
  callKey: CallKey;
  takeAllowance?: TakeAllowance | undefined;
  callChain: CallChain;
  findApproval?: FindApproval | undefined;
  load: Imports['load'];
  limits: RunLimits;
  signal: AbortSignal | undefined;
  /** Name lookups of this run. */
  names: RunNames;
  fetchOptions: FetchOptions;
  maxFrameBytes: number;
  /** Called with the console output as it comes. */
  onLog?: ((text: string) => void) | undefined;
  onHostError: (error: unknown) => void;
};

const CHECK_MS = 20;
/** The kernel ends a process that grows further than this between two checks, or in memory the checks do not count. */
const KERNEL_MEMORY_SLACK_BYTES = 32 * 1024 * 1024;
/**
 * Copies of the code in a process until they are collected: frame, text, source. They do not count as the action's
 * memory.
 */
const CODE_COPIES = 4;
const MIB = 1024 * 1024;
/** Anonymous memory of an idle process that has ethers loaded. Loading it does not count as the action's memory. */
const IDLE_BYTES = 20 * MIB;

/** Sends UTF-8 code to a process that is not to run it yet. */
export function loadCode(
  actionProcess: Pick<ActionProcess, 'anonymousBytes' | 'cpuMs' | 'limitMemory' | 'send'>,
  code: Uint8Array,
  memoryLimitMb: number,
): LoadedCode {
  const base = {
    memoryBytes: Math.max(IDLE_BYTES, actionProcess.anonymousBytes()),
    cpuMs: actionProcess.cpuMs(),
  };
  const memoryLimitBytes = memoryLimitMb * MIB + CODE_COPIES * code.length;
  actionProcess.limitMemory(memoryLimitBytes + KERNEL_MEMORY_SLACK_BYTES);
  void actionProcess.send({ type: 'code' }, code);
  return { memoryLimitBytes, base };
}

/** Runs the loaded code and kills the process. Never rejects. */
export function runJob(actionProcess: ActionProcess, job: Job): Promise<RunResult> {
  const { limits, callKey, takeAllowance, callChain, load, onHostError } = job;
  const output = createConsoleOutput(limits.maxConsoleBytes, job.onLog);
  const usage = createUsageMeter(actionProcess, job.loaded.base);
  const end = createJobEnd({ actionProcess, output, readUsage: usage.read, onHostError });
  const onBytes = (bytes: number): void => requests.countFetchedBytes(bytes);
  /** Made for the first fetch. */
  let agent: Agent | undefined;
  end.signal.addEventListener('abort', () => void agent?.destroy());
  /** Names of the errors that the action was answered. */
  const answered = new Set<string>();
  const requests = createActionRequests({
    async callKey(operation, args) {
      const value = await callKey(operation, args);
      usage.noteKeyOperation(operation, args);
      return value;
    },
    takeAllowance,
    callChain,
    findApproval: job.findApproval,
    load,
    limits,
    fetch(message, body, signal, countRequest) {
      const onRequest = (host: string): void => {
        countRequest();
        usage.noteHost(host);
      };
      agent ??= createGuardedAgent(job.fetchOptions, job.names, onBytes);
      return guardedFetch(agent, job.fetchOptions, message, body, signal, { onRequest, onBytes });
    },
    send(answer, body) {
      if ('name' in answer) answered.add(answer.name);
      return actionProcess.send(answer, body);
    },
    fail: end.failWith,
    ended: end.signal,
    onHostError,
  });

  actionProcess.onViolation = () => end.failWith(new ProtocolViolation());
  actionProcess.onMessage = (message, body, frameBytes) => {
    if (end.signal.aborted) return;
    try {
      if (message.type === 'log') takeLog(message.text, frameBytes, { output, end, limits });
      else if (message.type === 'pending') output.warn(message.text);
      else take(message, body, { requests, end, limits, answered });
    } catch (error) {
      end.failWith(error);
    }
  };
  watch(actionProcess, job, { end, usage });
  if (!end.signal.aborted) void actionProcess.send(runMessage(job, limits));
  return end.result;
}

const runMessage = (
  { params: jsParams, maxFrameBytes, fetchOptions: { maxRequestBodyBytes } }: Job,
  { timeoutMs, maxResponseBytes }: RunLimits,
): RunMessage => ({
  type: 'run',
  jsParams,
  timeoutMs,
  maxResponseBytes,
  maxRequestBodyBytes,
  maxFrameBytes,
});

function takeLog(
  line: string,
  frameBytes: number,
  { output, end, limits }: { output: ConsoleOutput; end: JobEnd; limits: RunLimits },
): void {
  if (output.add(line, frameBytes)) return;
  end.fail('ConsoleLimitError', `the console output has more than ${limits.maxConsoleBytes} bytes`);
}

function take(
  message: Exclude<ChildMessage, { type: 'log' | 'pending' }>,
  body: Uint8Array,
  {
    requests,
    end,
    limits,
    answered,
  }: { requests: ActionRequests; end: JobEnd; limits: RunLimits; answered: ReadonlySet<string> },
): void {
  if (message.type === 'failed')
    end.fail(reportedName(message.name, answered), message.message, message.stack);
  else if (message.type === 'done') end.succeed(readResponse(body, limits.maxResponseBytes));
  else if (message.type === 'ready') throw new ProtocolViolation('ready');
  else requests.take(message, body);
}

/** Ends the job at its time and memory limits, when its signal aborts, and when its process exits. */
function watch(
  actionProcess: ActionProcess,
  { limits, signal, loaded }: Job,
  { end, usage }: { end: JobEnd; usage: UsageMeter },
): void {
  const outOfMemory = () =>
    end.fail('MemoryLimitError', `the action used more than ${limits.memoryLimitMb} MB of memory`);
  const watcher = setInterval(() => {
    if (usage.sample() > loaded.memoryLimitBytes) outOfMemory();
  }, CHECK_MS);
  const outOfTime = () => end.fail('TimeLimitError', `the action ran longer than ${limits.timeoutMs} ms`);
  const timer = setTimeout(outOfTime, limits.timeoutMs);
  end.signal.addEventListener('abort', () => {
    clearInterval(watcher);
    clearTimeout(timer);
  });
  void actionProcess.exited.then((exit) => {
    if (ranOutOfMemory(exit)) outOfMemory();
    else if (exit.signal === 'SIGALRM') outOfTime();
    else end.fail('ProcessError', 'the action process exited before the action ended');
  });
  if (!signal) return;
  const onAbort = () => end.failWith(abortError(signal));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { signal: end.signal });
}

/** Returns the name under which the run reports an error of the action: the name of a host error only when the host answered with it. */
const reportedName = (name: string, answered: ReadonlySet<string>): string =>
  hostErrorNames.has(name) && !answered.has(name) ? 'Error' : name;

/** V8 and Rust abort the process when an allocation fails. */
const ranOutOfMemory = ({ signal, stderrTail, ranOutOfMemory }: Exit): boolean =>
  ranOutOfMemory ||
  /out of memory|memory allocation of|Cannot allocate memory/i.test(stderrTail) ||
  signal === 'SIGTRAP' ||
  signal === 'SIGABRT';

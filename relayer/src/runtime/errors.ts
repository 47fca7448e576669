import { hostErrorNames } from './error-names.ts';

/**
 * An error whose name and message are meant for the action's author. From a host function it reaches the action as a
 * thrown `Error`; every other error reaches it as `InternalError` without detail.
 */
export class ActionError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** No process can take the run: the queue is full, the runtime is closed or died, or processes do not start. */
export class RuntimeUnavailableError extends Error {
  override readonly name = 'RuntimeUnavailableError';
}

/** The relayer stopped before the run ended. The run costs nothing, has no outcome, and can be retried. */
export class RunInterruptedError extends Error {
  override readonly name = 'RunInterruptedError';
}

/** The account has its share of the slots and of the queue. */
export class RunShareError extends Error {
  override readonly name = 'RunShareError';
}

/** Returns the name under which an error that an action threw is reported. */
export const actionErrorName = (name: string): string => (hostErrorNames.has(name) ? 'Error' : name);

/** The error that a failed run reports. */
export type RunError = { name: string; message: string; stack: string };

const MAX_NAME_CHARS = 200;
const MAX_MESSAGE_CHARS = 8_000;
const MAX_STACK_CHARS = 16_000;

/** Cuts the three texts to a size that is safe to store and to send. */
export const toRunError = (name: string, message: string, stack = `${name}: ${message}`): RunError => ({
  name: name.slice(0, MAX_NAME_CHARS),
  message: message.slice(0, MAX_MESSAGE_CHARS),
  stack: stack.slice(0, MAX_STACK_CHARS),
});

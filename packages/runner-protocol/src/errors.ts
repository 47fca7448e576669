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

/** No process can take the run: no runner is connected, it is closed or died, or processes do not start. */
export class RuntimeUnavailableError extends Error {
  override readonly name: string = 'RuntimeUnavailableError';
}

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

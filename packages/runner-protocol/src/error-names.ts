/** Names of errors of the host. An action that throws its own error under one of these names reports `Error`. */

/** Errors with which the host ends a run. */
export const hostErrorNames: ReadonlySet<string> = new Set([
  'TimeLimitError',
  'MemoryLimitError',
  'CodeLimitError',
  'ParamsLimitError',
  'ParamsError',
  'ConsoleLimitError',
  'KeyLimitError',
  'FetchLimitError',
  'CreditError',
  'PermissionError',
  'StoppedError',
  'ProcessError',
]);

/** Errors that the environment of an action throws or ends the run with. */
export const environmentErrorNames: ReadonlySet<string> = new Set([
  'NoMainError',
  'ImportError',
  'NeverSettledError',
  'ResponseError',
  'ResponseLimitError',
  'WalletNotPermittedError',
  'WalletMismatchError',
  'DecryptError',
  'FetchBlockedError',
  'InternalError',
]);

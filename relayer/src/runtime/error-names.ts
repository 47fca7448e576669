/** Names of errors that say something of the host. An action that throws an error of its own under one of them reports `Error`. */

/** The host ends a run with these. */
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

/** The environment of an action throws these, or ends the run with them. */
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

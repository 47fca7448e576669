/** Names of errors of the host. An action that throws its own error under one of these names reports `Error`. */

/** Errors with which the host ends a run or answers an action. */
export const hostErrorNames: ReadonlySet<string> = new Set([
  'TimeLimitError',
  'MemoryLimitError',
  'CodeLimitError',
  'ParamsLimitError',
  'ParamsError',
  'ConsoleLimitError',
  'KeyLimitError',
  'FetchLimitError',
  'TransactionLimitError',
  'CreditError',
  'PermissionError',
  'StoppedError',
  'ProcessError',
  'WalletNotPermittedError',
  'WalletNotExportableError',
  'WalletMismatchError',
  'DecryptError',
  'SecretError',
  'ActionKeyError',
  'AllowanceError',
  'FetchBlockedError',
  'TransactionError',
  'RpcError',
  'ApprovalRequiredError',
  'ApprovalLimitError',
  'InternalError',
]);

/** Errors that the process of an action throws or ends the run with. */
export const environmentErrorNames: ReadonlySet<string> = new Set([
  'NoMainError',
  'ImportError',
  'NeverSettledError',
  'ResponseError',
  'ResponseLimitError',
]);

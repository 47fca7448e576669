import { HttpError, LatchkeyError, type RunActionResult } from '@latchkey/sdk';
import { BaseError } from 'viem';

/** Codes of errors, of EIP-1193 and EIP-1474. */
export const CODES = {
  /** The rules of the action refuse the request. */
  refused: 4001,
  /** The usage key is unknown, or may not run the action with the wallet. */
  unauthorized: 4100,
  unsupportedMethod: 4200,
  unknownChain: 4902,
  invalidParams: -32602,
  failed: -32603,
  /** The service or the chain refuses the transaction. Nothing was sent. */
  transactionRefused: -32003,
} as const;

/** A request to the wallet that was not fulfilled. */
export class WalletRequestError extends BaseError {
  override readonly name = 'WalletRequestError';
  /** As in EIP-1193: 4001 for a refusal by the rules of the action, 4100 for a key without the permission. */
  readonly code: number;

  constructor(code: number, message: string, details: { fix?: string | undefined; cause?: unknown } = {}) {
    const { fix, cause } = details;
    super(message, fix === undefined ? {} : { metaMessages: [fix] });
    this.code = code;
    // The base class would repeat its message.
    if (cause !== undefined) this.cause = cause;
  }
}

/** Returns the error for a run that could not be started. */
export function startError(error: unknown): unknown {
  if (!(error instanceof LatchkeyError)) return error;
  const isUnauthorized = error instanceof HttpError && (error.status === 401 || error.status === 403);
  return new WalletRequestError(isUnauthorized ? CODES.unauthorized : CODES.failed, error.message, {
    fix: error.fix,
    cause: error,
  });
}

/** Codes of the errors that end a run, by their names. */
const codesOfRuns: Record<string, number> = {
  PolicyError: CODES.refused,
  AllowanceError: CODES.refused,
  PermissionError: CODES.unauthorized,
  WalletNotPermittedError: CODES.unauthorized,
  WalletMismatchError: CODES.unauthorized,
  RequestError: CODES.invalidParams,
  TypeError: CODES.invalidParams,
  TransactionError: CODES.transactionRefused,
};

/** Returns the error of a run that ended with one. */
export function runError({ error, runId }: RunActionResult): WalletRequestError {
  const { name, message } = error ?? { name: 'Error', message: 'the action ended with an error' };
  return new WalletRequestError(
    codesOfRuns[name] ?? CODES.failed,
    `The action did not fulfil the request: ${name}: ${message}`,
    { fix: `Run: ${runId}` },
  );
}

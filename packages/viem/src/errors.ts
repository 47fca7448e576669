import { HttpError, isRefusal, LatchkeyError, type RunActionResult } from '@latchkey/sdk';
import { BaseError } from 'viem';

/** Codes of errors, of EIP-1193 and EIP-1474. */
export const CODES = {
  /** The rules of the action refuse the request. */
  refused: 4001,
  /** The usage key is unknown, or may not run the action with the wallet. */
  unauthorized: 4100,
  unsupportedMethod: 4200,
  /** The transaction may have been sent. viem repeats a request after -32603, and not after this code. */
  unknownOutcome: 4900,
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
    { fix: `Run: ${runId}`, cause: error },
  );
}

/**
 * Names of errors of a run after which nothing was sent. A run can end with others after its transaction was stored: its time is over, the
 * key was removed, the code after the send has a TypeError.
 */
const namesOfRefusals: ReadonlySet<unknown> = new Set([
  'PolicyError',
  'AllowanceError',
  'RequestError',
  'WalletNotPermittedError',
  'WalletMismatchError',
  'TransactionError',
]);

/** Returns the error of a transaction that can be on its way. */
export function unknownOutcome(error: unknown, fix: string): WalletRequestError {
  const reason = error instanceof BaseError ? error.shortMessage : String(error);
  const details = error instanceof WalletRequestError ? (error.metaMessages ?? []) : [];
  return new WalletRequestError(CODES.unknownOutcome, reason, {
    fix: [...details, `The transaction may have been sent. ${fix}`].join('\n'),
    cause: error,
  });
}

/** Returns the error of a send by the service. */
export function sendError(error: unknown, idempotencyKey: string): unknown {
  const cause = (error as { cause?: Error }).cause;
  if (isRefusal(cause) || namesOfRefusals.has(cause?.name)) return error;
  return unknownOutcome(
    error,
    `To send it once, call account.sendTransaction with the same fields and idempotencyKey: '${idempotencyKey}'.`,
  );
}

import type { accountConfigAbi } from '@latchkey/protocol';
import type { ContractErrorArgs, ContractErrorName as ErrorName, Hash } from 'viem';
import type { components } from './generated/api.ts';

/** What an error reply of the relayer or of the indexer names itself. */
export type HttpErrorCode = components['schemas']['Error']['error'];

/** Every code of {@link LatchkeyError}. */
export type ErrorCode =
  | HttpErrorCode
  /** No reply, or no whole one, after all attempts. */
  | 'network'
  /** A reply that is not the relayer's: a proxy's page, cut JSON. */
  | 'invalid_reply'
  /** `timeoutMs` has passed. */
  | 'timeout'
  /** `signal` was aborted. */
  | 'aborted'
  /** The client or the call is not put together right; nothing was sent. */
  | 'configuration'
  /** The contract refused, see {@link ContractError}. */
  | 'contract'
  /** The wallet's holder refused to sign. */
  | 'signature_rejected'
  /** The wallet cannot pay for the gas. */
  | 'insufficient_funds'
  /** The node cannot be asked, or refused for a reason that is not the contract's. */
  | 'chain_unavailable'
  /** Another transaction took the nonce of the one that was sent. */
  | 'transaction_replaced';

/** What an error carries besides its text. */
export interface ErrorDetails {
  /** What to do about it. */
  fix?: string | undefined;
  /** HTTP status of the reply. */
  status?: number | undefined;
  /** Names the request in the relayer's log. */
  requestId?: string | undefined;
  /** Set once a transaction was sent: it may be mined although the call failed. */
  transactionHash?: Hash | undefined;
  cause?: unknown;
}

/**
 * Every error of the SDK. `code` says what happened, `fix` what to do about it. No error holds a key, a request header, or
 * the URL of a node.
 */
export class LatchkeyError extends Error {
  override readonly name: string = 'LatchkeyError';
  readonly code: ErrorCode;
  readonly fix: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly transactionHash: Hash | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.fix = details.fix;
    this.status = details.status;
    this.requestId = details.requestId;
    this.transactionHash = details.transactionHash;
  }
}

/** The relayer refused: `status`, `code`, its own `message` and `fix`, `requestId`. */
export class HttpError extends LatchkeyError {
  override readonly name = 'HttpError';
  declare readonly status: number;
  /** Seconds after which the relayer wants to be asked again. */
  readonly retryAfterSec: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    details: ErrorDetails & { status: number; retryAfterSec?: number | undefined },
  ) {
    super(code, message, details);
    this.retryAfterSec = details.retryAfterSec;
  }
}

type ArgumentsByName = {
  [name in ErrorName<typeof accountConfigAbi>]: ContractErrorArgs<typeof accountConfigAbi, name>;
};
/** Arguments of each error in the contract's interface. */
export interface ContractErrorArguments extends ArgumentsByName {}
/** Names of the errors in the contract's interface. */
export type ContractErrorName = keyof ContractErrorArguments;

/** The contract refused the call, by an error of its interface. */
export class ContractError<name extends ContractErrorName = ContractErrorName> extends LatchkeyError {
  override readonly name = 'ContractError';
  readonly errorName: name;
  readonly args: ContractErrorArguments[name];

  constructor(errorName: name, args: ContractErrorArguments[name], text: string, details: ErrorDetails = {}) {
    super('contract', `the contract refuses: ${text}`, details);
    this.errorName = errorName;
    this.args = args;
  }

  /** True for this error of the contract; `args` have its types then. */
  is<wanted extends ContractErrorName>(errorName: wanted): this is ContractError<wanted> {
    return (this.errorName as string) === errorName;
  }
}

/** The holder of the wallet refused to sign: nothing was sent. */
export class SignatureRejectedError extends LatchkeyError {
  override readonly name = 'SignatureRejectedError';

  constructor(details: ErrorDetails = {}) {
    super('signature_rejected', 'the signature was rejected in the wallet', details);
  }
}

/** What the reason of an aborted signal is to a caller: a time-out, or the caller's own wish. */
export function abortError(reason: unknown, transactionHash?: Hash): LatchkeyError {
  const isTimeout = reason instanceof Error && reason.name === 'TimeoutError';
  const sent = transactionHash ? `; the transaction ${transactionHash} was sent and may still be mined` : '';
  return isTimeout
    ? new LatchkeyError('timeout', `the call took longer than its time-out${sent}`, { transactionHash })
    : new LatchkeyError('aborted', `the call was aborted${sent}`, { transactionHash, cause: reason });
}

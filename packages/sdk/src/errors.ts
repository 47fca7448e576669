import type { accountConfigAbi } from '@latchkey/protocol';
import type { ContractErrorArgs, ContractErrorName as ErrorName, Hash } from 'viem';
import type { components } from './generated/api.ts';

/** Error codes in replies of the relayer and the indexer. */
export type HttpErrorCode = components['schemas']['Error']['error'];

/** Every code of {@link LatchkeyError}. */
export type ErrorCode =
  | HttpErrorCode
  /** No complete reply after all attempts. */
  | 'network'
  /** The reply is not the relayer's: for example a proxy's page, or truncated JSON. */
  | 'invalid_reply'
  /** The timeout of the call has passed. */
  | 'timeout'
  /** `signal` was aborted. */
  | 'aborted'
  /** The client or the call has invalid options; nothing was sent. */
  | 'configuration'
  /** An account waits for the wallet to accept it, and was not accepted. Nothing was signed. */
  | 'account_not_accepted'
  /** The contract refused the call: see {@link ContractError}. */
  | 'contract'
  /** The relayer returned the address of a wallet that the key nodes have not signed for this account: do not use it. */
  | 'unverified_address'
  /** The relayer left out or changed what a key node says that it released. */
  | 'unverified_releases'
  /** The holder of the wallet refused to sign. */
  | 'signature_rejected'
  /** The wallet does not have enough funds for the gas. */
  | 'insufficient_funds'
  /** The node cannot be asked, or refused for a reason other than the contract. */
  | 'chain_unavailable'
  /** Another transaction used the nonce of the one that was sent. */
  | 'transaction_replaced';

/** Fields of an error besides its message. */
export interface ErrorDetails {
  /** How to fix the error. */
  fix?: string | undefined;
  /** HTTP status of the reply. */
  status?: number | undefined;
  /** Id of the request in the relayer's log. */
  requestId?: string | undefined;
  /** Set once a transaction was sent: it can be mined although the call failed. */
  transactionHash?: Hash | undefined;
  /** True when the call ended while the wallet asked its holder: an approval there still sends the transaction. */
  isWalletAsking?: boolean | undefined;
  cause?: unknown;
}

/**
 * Base class of all errors of the SDK. `code` names the cause, `fix` the remedy. No error contains a key, a request
 * header, or the URL of a node.
 */
export class LatchkeyError extends Error {
  override readonly name: string = 'LatchkeyError';
  readonly code: ErrorCode;
  readonly fix: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly transactionHash: Hash | undefined;
  readonly isWalletAsking: boolean;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.fix = details.fix;
    this.status = details.status;
    this.requestId = details.requestId;
    this.transactionHash = details.transactionHash;
    this.isWalletAsking = details.isWalletAsking ?? false;
  }
}

/** The relayer refused the request: has its `status`, `code`, `message`, `fix` and `requestId`. */
export class HttpError extends LatchkeyError {
  override readonly name = 'HttpError';
  declare readonly status: number;
  /** Seconds after which the relayer accepts a retry. */
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

/** The contract refused the call with an error of its interface. */
export class ContractError<name extends ContractErrorName = ContractErrorName> extends LatchkeyError {
  override readonly name = 'ContractError';
  readonly errorName: name;
  readonly args: ContractErrorArguments[name];

  constructor(errorName: name, args: ContractErrorArguments[name], text: string, details: ErrorDetails = {}) {
    super('contract', `the contract refused the call: ${text}`, details);
    this.errorName = errorName;
    this.args = args;
  }

  /** Returns true for this error of the contract, and narrows the types of `args`. */
  is<wanted extends ContractErrorName>(errorName: wanted): this is ContractError<wanted> {
    return (this.errorName as string) === errorName;
  }
}

/** The holder of the wallet refused to sign: nothing was sent. */
export class SignatureRejectedError extends LatchkeyError {
  override readonly name = 'SignatureRejectedError';

  constructor(details: ErrorDetails = {}, message = 'the signature was rejected in the wallet') {
    super('signature_rejected', message, details);
  }
}

/** Returns the error for an aborted signal: a timeout, or an abort by the caller. */
export function abortError(
  reason: unknown,
  { transactionHash, isWalletAsking }: Pick<ErrorDetails, 'transactionHash' | 'isWalletAsking'> = {},
): LatchkeyError {
  const details = { transactionHash, isWalletAsking };
  const sent = transactionHash && `; the transaction ${transactionHash} was sent and can still be mined`;
  const asked = isWalletAsking && '; the wallet still asks, and an approval there sends the transaction';
  const rest = sent || asked || '';
  return reason instanceof Error && reason.name === 'TimeoutError'
    ? new LatchkeyError('timeout', `the call exceeded its timeout${rest}`, details)
    : new LatchkeyError('aborted', `the call was aborted${rest}`, { ...details, cause: reason });
}

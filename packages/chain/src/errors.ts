import { accountConfigAbi } from '@latchkey/protocol';
import { BaseError, type DecodeErrorResultReturnType, decodeErrorResult, type Hex, isHex } from 'viem';

/** An error of the contract's interface, with its arguments. */
export type ContractError = Extract<
  DecodeErrorResultReturnType<typeof accountConfigAbi>,
  { abiItem: { type: 'error' } }
>;

/** The contract refused a call. `revert` is absent when the data is not an error of its interface. */
export class ContractRevertError extends Error {
  override readonly name = 'ContractRevertError';
  readonly data: Hex;
  readonly revert: ContractError | undefined;

  constructor(data: Hex) {
    const revert = decode(data);
    super(revert ? `the contract reverted: ${revert.errorName}` : `the contract reverted with ${data}`);
    this.data = data;
    this.revert = revert;
  }
}

/** The contract refused a transaction whose simulation had succeeded. Its gas is spent. */
export class MinedRevertError extends ContractRevertError {
  readonly gasUsed: bigint;

  constructor(data: Hex, gasUsed: bigint) {
    super(data);
    this.gasUsed = gasUsed;
  }
}

/** A write would cost more gas than the relayer pays for one. */
export class TooMuchGasError extends Error {
  override readonly name = 'TooMuchGasError';

  constructor(estimate: bigint, maxGas: bigint) {
    super(`the write would use ${estimate} gas, and the relayer pays for at most ${maxGas}`);
  }
}

/** The present fees of the chain are above those that the relayer pays. */
export class FeesTooHighError extends Error {
  override readonly name = 'FeesTooHighError';

  constructor() {
    super('the fees of the chain are higher than this service pays');
  }
}

/** The chain could not be asked, or a transaction was not settled in time. */
export class ChainUnavailableError extends Error {
  override readonly name = 'ChainUnavailableError';
}

/** The key of a payer could not sign. Nothing was stored or broadcast. */
export class SignerError extends ChainUnavailableError {}

/** A transaction was broadcast and not settled in time. It can still take effect. */
export class UnsettledTransactionError extends ChainUnavailableError {}

/** A transaction reverted although its simulation succeeds before and after it. Its gas is spent. */
export class UnexplainedRevertError extends UnsettledTransactionError {}

function decode(data: Hex): ContractError | undefined {
  try {
    return decodeErrorResult({ abi: accountConfigAbi, data }) as ContractError;
  } catch {
    return undefined;
  }
}

/** Converts a failed RPC call: a revert when the node returned its data, otherwise a `ChainUnavailableError`. */
export function toChainError(thrown: unknown): ContractRevertError | ChainUnavailableError {
  if (thrown instanceof ContractRevertError || thrown instanceof ChainUnavailableError) return thrown;
  const data = revertData(thrown);
  return data === undefined
    ? new ChainUnavailableError('the chain could not be asked', { cause: withoutUrl(thrown) })
    : new ContractRevertError(data);
}

/** Nodes reply to a revert with error code 3 and the revert's bytes in `data`. */
function revertData(thrown: unknown): Hex | undefined {
  if (!(thrown instanceof BaseError)) return undefined;
  const { code, data } = thrown.walk() as { code?: unknown; data?: unknown };
  const bytes = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  if (isHex(bytes)) return bytes;
  return code === 3 ? '0x' : undefined;
}

/**
 * Returns the part of a viem error that is safe to log: the full text contains the node's URL, which can contain a key.
 */
export function withoutUrl(thrown: unknown): unknown {
  if (!(thrown instanceof BaseError)) return thrown instanceof Error ? thrown : new Error('connection lost');
  const { name, shortMessage, details } = thrown;
  return new Error(`${name}: ${shortMessage}${details ? ` (${details})` : ''}`);
}

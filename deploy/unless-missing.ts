import { BaseError, ContractFunctionZeroDataError, ExecutionRevertedError } from 'viem';

/**
 * Returns the result of `readContract`, or undefined when the address has no such function: the call reverts or returns nothing.
 * Rejects with any other error, for example an error of the node, which says nothing about the contract.
 */
export async function unlessMissing<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    const isMissing = (cause: unknown) =>
      cause instanceof ContractFunctionZeroDataError || cause instanceof ExecutionRevertedError;
    if (error instanceof BaseError && error.walk(isMissing)) return undefined;
    throw error;
  }
}

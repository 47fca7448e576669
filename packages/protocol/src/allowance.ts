/** Statements of the service about the limits of actions, signed as typed data (EIP-712) by the signer of receipts. */
import type { Address, Hex } from 'viem';
import { domainOf } from './signed-writes.ts';

const fields = [
  { name: 'account', type: 'uint256' },
  { name: 'cidHash', type: 'uint256' },
  { name: 'wallet', type: 'address' },
  { name: 'name', type: 'string' },
  { name: 'window', type: 'uint64' },
  { name: 'limit', type: 'uint256' },
  { name: 'amount', type: 'uint256' },
  { name: 'sum', type: 'uint256' },
  { name: 'sequence', type: 'uint64' },
  { name: 'time', type: 'uint64' },
  { name: 'run', type: 'bytes16' },
] as const;

export type AllowanceStatement = {
  /** Master hash. */
  account: bigint;
  cidHash: bigint;
  wallet: Address;
  name: string;
  /** Seconds. */
  window: bigint;
  limit: bigint;
  amount: bigint;
  /** Sum of the uses in the window that ends with this use, itself included. */
  sum: bigint;
  /** 1 for the first use of the counter, and one more for each. */
  sequence: bigint;
  /** Unix time in microseconds. Each use of a counter is later than the one before. */
  time: bigint;
  /** The 16 bytes of the id of the run. */
  run: Hex;
};

/** Returns the typed data of a statement, for a deployment of the contract. */
export const buildAllowance = (
  message: AllowanceStatement,
  { chainId, contractAddress }: { chainId: number; contractAddress: Address },
) =>
  ({
    domain: domainOf(chainId, contractAddress),
    types: { Allowance: fields },
    primaryType: 'Allowance',
    message,
  }) as const;

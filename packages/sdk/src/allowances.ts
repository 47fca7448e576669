/** Statements of the service about the limits of actions, verified offline. */
import { buildAllowance, recoverSigner, signatureBytes } from '@latchkey/protocol';
import { type Address, type Hex, hashTypedData, isAddressEqual } from 'viem';
import { cidHash } from './values.ts';

/** A statement, as `takeAllowance` returns it to an action. Integers are decimal. */
export interface Allowance {
  cid: string;
  wallet: Address;
  name: string;
  /** Seconds. */
  window: string;
  limit: string;
  amount: string;
  /** Sum of the window, with this use. */
  sum: string;
  /** One more than that of the use before. */
  sequence: string;
  /** Unix time in microseconds. */
  time: string;
  run: Hex;
  signature: Hex;
}

export interface VerifyAllowanceParameters {
  allowance: Allowance;
  /** Master hash. */
  account: bigint;
  /** The signer that the contract names: its node configuration `receipt-signer`. */
  signer: Address;
  chainId: number;
  contractAddress: Address;
}

/** Returns true when the signer signed this statement about a limit of the account, for this deployment. Sends no request. */
export function verifyAllowance({
  allowance,
  account,
  signer,
  ...deployment
}: VerifyAllowanceParameters): boolean {
  const { cid, wallet, name, run, signature } = allowance;
  const message = {
    account,
    cidHash: cidHash(cid),
    wallet,
    name,
    window: BigInt(allowance.window),
    limit: BigInt(allowance.limit),
    amount: BigInt(allowance.amount),
    sum: BigInt(allowance.sum),
    sequence: BigInt(allowance.sequence),
    time: BigInt(allowance.time),
    run,
  };
  const bytes = signatureBytes(signature);
  const found = bytes && recoverSigner(hashTypedData(buildAllowance(message, deployment)), bytes);
  return found !== undefined && isAddressEqual(found, signer);
}

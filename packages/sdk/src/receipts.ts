/** Receipts of runs, verified offline. */
import {
  buildRunReceipt,
  paramsHash,
  type RunReceipt,
  recoverSigner,
  responseHash,
  signatureBytes,
} from '@latchkey/protocol';
import { type Address, type Hex, hashTypedData, isAddressEqual } from 'viem';
import type { paths } from './generated/api.ts';
import { cidHash } from './values.ts';

export type { RunReceipt };

/** A receipt with the signature of the service. */
export interface SignedReceipt {
  message: RunReceipt;
  signature: Hex;
}

type WireRun = paths['/core/v1/run/{id}']['get']['responses'][200]['content']['application/json'];

/** Returns a receipt in its wire form. */
export function readReceipt({ message, signature }: NonNullable<WireRun['receipt']>): SignedReceipt {
  return {
    message: {
      ...message,
      wallets: message.wallets as Address[],
      runId: message.runId as Hex,
      cidHash: BigInt(message.cidHash),
      usageKeyHash: BigInt(message.usageKeyHash),
      paramsHash: message.paramsHash as Hex,
      responseHash: message.responseHash as Hex,
      durationMs: BigInt(message.durationMs),
      blockNumber: BigInt(message.blockNumber),
    },
    signature: signature as Hex,
  };
}

export interface VerifyReceiptParameters {
  receipt: SignedReceipt;
  /** The signer that the contract names: its node configuration `receipt-signer`. */
  signer: Address;
  chainId: number;
  contractAddress: Address;
  /** CID, or its hash, of the code that must have run. */
  cid?: string | bigint | undefined;
  /** The parameters that it must have got. The order of their members counts. */
  jsParams?: { [name: string]: unknown } | undefined;
  /** The response that it must have returned. A run that failed has none. */
  response?: unknown;
}

/**
 * Returns true when the signer signed this receipt for this deployment, and it states what is given of CID, parameters and
 * response. Sends no request. A receipt can be shown any number of times: store its `runId` to accept it once.
 */
export function verifyReceipt({
  receipt: { message, signature },
  signer,
  cid,
  jsParams,
  response,
  ...deployment
}: VerifyReceiptParameters): boolean {
  if (cid !== undefined && message.cidHash !== cidHash(cid)) return false;
  if (jsParams !== undefined && message.paramsHash !== paramsHash(jsParams)) return false;
  if (response !== undefined && (message.responseHash !== responseHash(response) || !message.succeeded))
    return false;
  const bytes = signatureBytes(signature);
  const found = bytes && recoverSigner(hashTypedData(buildRunReceipt(message, deployment)), bytes);
  return found !== undefined && isAddressEqual(found, signer);
}

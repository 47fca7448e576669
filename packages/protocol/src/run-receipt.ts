/** Receipts of runs: the statement of the service about a run, signed as typed data (EIP-712). */
import { type Address, type Hex, sha256, stringToBytes } from 'viem';
import { domainOf } from './signed-writes.ts';

/** Name of the node configuration that holds the address of the signer. */
export const RECEIPT_SIGNER_CONFIGURATION = 'receipt-signer';

/** The fields of the type `RunReceipt`, in their order. `RunReceipts.sol` has the same. */
const fields = [
  { name: 'runId', type: 'bytes16' },
  { name: 'cidHash', type: 'uint256' },
  { name: 'usageKeyHash', type: 'uint256' },
  { name: 'paramsHash', type: 'bytes32' },
  { name: 'responseHash', type: 'bytes32' },
  { name: 'succeeded', type: 'bool' },
  { name: 'wallets', type: 'address[]' },
  { name: 'durationMs', type: 'uint64' },
  { name: 'blockNumber', type: 'uint64' },
] as const;

export type RunReceipt = {
  /** The 16 bytes of the id of the run, a UUID. */
  runId: Hex;
  /** Hash of the CID of the code, as the contract stores it. */
  cidHash: bigint;
  usageKeyHash: bigint;
  /** `paramsHash` of the parameters. */
  paramsHash: Hex;
  /** `responseHash` of the response. */
  responseHash: Hex;
  /** False when the run ended with an error; its response is null. */
  succeeded: boolean;
  /** The wallets whose keys the run used, each once, in the order of their first use. */
  wallets: readonly Address[];
  durationMs: bigint;
  /** The last block that the service knew when the run ended. */
  blockNumber: bigint;
};

/** The part of the typed data that all receipts of a deployment of the contract share. */
export const runReceiptType = ({ chainId, contractAddress }: { chainId: number; contractAddress: Address }) =>
  ({
    domain: domainOf(chainId, contractAddress),
    types: { RunReceipt: fields },
    primaryType: 'RunReceipt',
  }) as const;

/** Returns the typed data of a receipt, for a deployment of the contract. */
export const buildRunReceipt = (
  receipt: RunReceipt,
  deployment: { chainId: number; contractAddress: Address },
) => ({ ...runReceiptType(deployment), message: receipt });

/** SHA-256 of the JSON of `js_params` without white space. The order of the members counts. */
export const paramsHash = (jsParams: unknown): Hex => textHash(JSON.stringify(jsParams ?? {}));

/** SHA-256 of `responseText`. */
export const responseHash = (response: unknown): Hex => textHash(responseText(response));

/** Returns the text that a receipt hashes: the response when it is a string, otherwise its JSON without white space. */
export const responseText = (response: unknown): string =>
  typeof response === 'string' ? response : JSON.stringify(response ?? null);

const textHash = (text: string): Hex => sha256(stringToBytes(text));

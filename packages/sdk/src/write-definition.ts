/** Definitions of writes, and the forms of their calls. */
import { accountConfigAbi, decodeCall } from '@latchkey/protocol';
import {
  type Address,
  type ContractEventArgsFromTopics,
  type ContractEventName,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  type Hash,
  type Hex,
} from 'viem';
import type { ApiBareClient, BareClient, ChainSecuredBareClient } from './bare-client.ts';
import type { CallOptions, Deadline } from './deadline.ts';
import { LatchkeyError } from './errors.ts';
import type { BodyOf, PostPath, PostReplyOf } from './http.ts';

/** Options of every write. */
export interface WriteOptions extends CallOptions {
  /**
   * Idempotency-Key of this write: the relayer executes a request with the same key once, also from another process.
   * Default: a random key, the same for all attempts of the call. A signed write has a nonce made of it: it is refused when the
   * account has executed one with the same key. Not used for a transaction.
   */
  idempotencyKey?: string | undefined;
}

/** Options of `prepare`. */
export interface PrepareOptions extends CallOptions {
  /**
   * False for a write that succeeds only after others of its batch: the batch is simulated and its gas estimated
   * instead of the write. Default true.
   */
  simulate?: boolean | undefined;
}

/** The result of a write. */
export type Written<Result = object> = Result & {
  /** Block number of the receipt. All later reads of the client see it. */
  blockNumber: bigint;
  /** ChainSecured mode only. */
  transactionHash?: Hash;
};

type WriteName = ContractFunctionName<typeof accountConfigAbi, 'nonpayable'>;
/** A call of the contract as calldata. */
export function encodeWrite<const Name extends WriteName>(
  functionName: Name,
  args: ContractFunctionArgs<typeof accountConfigAbi, 'nonpayable', Name>,
): Hex {
  return encodeFunctionData({ abi: accountConfigAbi, functionName, args } as never);
}

type EventName = ContractEventName<typeof accountConfigAbi>;
/** Returns the next event of a name. The events of a batch are in the order of its writes. */
export type TakeEvent = <const Name extends EventName>(
  eventName: Name,
) => ContractEventArgsFromTopics<typeof accountConfigAbi, Name>;

/** A value that the relayer mints for a signature of the wallet, before the transaction that registers it. */
export interface Mint<Minted, Parameters = unknown> {
  /** Primary type of the envelope that the wallet signs. */
  primaryType: string;
  /** Placeholder for a simulation. */
  standIn: (admin: Address) => Minted;
  mint: (client: ChainSecuredBareClient, deadline: Deadline, parameters: Parameters) => Promise<Minted>;
}

/** The definition of a write for both modes. */
export interface Write<Parameters, Result, Path extends PostPath, Minted = undefined> {
  name: string;
  /** A sentence per change. */
  changes: (parameters: Parameters) => string[];
  api?: {
    path: Path;
    body: (parameters: Parameters) => Omit<BodyOf<Path>, 'typed_data' | 'signature'>;
    /** Primary type of the envelope that a wallet must sign for the body, and the function that signs it. */
    proof?: {
      primaryType: string;
      prove: (client: BareClient, parameters: Parameters, deadline: Deadline) => Promise<object>;
    };
    /** Called at the first 429. Returns headers that lift the limit, or undefined. */
    onLimited?: (client: BareClient, deadline: Deadline) => Promise<Record<string, string> | undefined>;
    /** Rejects when the client does not accept the reply to the write, whose block its reads see. */
    check?: (client: ApiBareClient, reply: PostReplyOf<Path>, deadline: Deadline) => Promise<void>;
    /** Absent: no result. */
    result?: (reply: PostReplyOf<Path>, parameters: Parameters) => Result;
  };
  chain?: {
    mint?: Mint<Minted, Parameters>;
    /** @param account Master hash of the wallet's account, or the identity of a wallet that has none. */
    calls: (account: bigint, parameters: Parameters, minted: Minted) => Hex[];
    /** Absent: no result. */
    result?: (take: TakeEvent, minted: Minted, parameters: Parameters, wallet: Address) => Result;
  };
}

/** A decoded call of the contract. */
export interface DecodedCall {
  functionName: string;
  /** By the names in the contract's interface. */
  args: { readonly [name: string]: unknown };
}

/** A prepared write, not sent. */
export interface ApiPrepared<Result> {
  mode: 'api';
  name: string;
  /** The changes, a sentence each. */
  changes: readonly string[];
  /** Primary types of the envelopes that a wallet will be asked to sign. */
  signatures: readonly string[];
  /** The request, without signatures and headers. */
  request: { method: 'POST'; url: string; body: object };
  /** Micro-credits: 10,000 are one cent. */
  priceMicros: bigint;
  send: (options?: WriteOptions) => Promise<Written<Result>>;
}

/** The estimated cost of a transaction. */
export interface Estimate {
  gas: bigint;
  /** Current price in wei per unit of gas. */
  gasPrice: bigint;
  /** Wei: gas × gasPrice. */
  cost: bigint;
}

/** A write that was simulated and not signed. */
export interface ChainSecuredPrepared<Result> {
  mode: 'chainSecured';
  name: string;
  /** The changes, a sentence each. */
  changes: readonly string[];
  /** Primary types of the envelopes that the wallet will be asked to sign before the transaction. */
  signatures: readonly string[];
  /**
   * Decoded from the calldata. When `signatures` is not empty, the values that the relayer mints are random
   * placeholders.
   */
  calls: readonly DecodedCall[];
  /** `data` is absent when `signatures` is not empty: it is known after the relayer has minted the values. */
  transaction: { to: Address; data?: Hex };
  /** Absent with `simulate: false`, and for signed writes, whose gas the relayer pays. */
  estimate?: Estimate;
  /** Of signed writes: the price from credit, in micro-credits. */
  priceMicros?: bigint;
  send: (options?: WriteOptions) => Promise<Written<Result>>;
}

/** The result of `prepare` in the mode of the client. */
export type Prepared<client extends BareClient, Result> = client extends ApiBareClient
  ? ApiPrepared<Result>
  : ChainSecuredPrepared<Result>;

export function requireMode<Side>(side: Side | undefined, name: string, mode: string): Side {
  if (!side) throw new LatchkeyError('configuration', `${name} is not available in ${mode} mode`);
  return side;
}

export function encodeCalls(calls: readonly Hex[]): Hex {
  const [first] = calls;
  return calls.length === 1 && first !== undefined ? first : encodeWrite('multicall', [calls]);
}

export const isOpening = (calls: readonly Hex[]): boolean =>
  calls.some((data) => decodeCall(data).functionName === 'newChainSecuredAccount');

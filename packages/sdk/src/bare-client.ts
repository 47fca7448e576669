import { type Account, type Address, type Chain, type Client, getAddress, type Transport } from 'viem';
import { parseBaseUrl } from './base-url.ts';
import { LatchkeyError } from './errors.ts';

/** What both modes take. */
export interface SharedParameters {
  /** Base URL of the relayer, without `/core/v1`. */
  url: string;
  /** How often a request is sent again after a network error, 429 or 503. Default 3. */
  retries?: number | undefined;
  /** Of every call that is not given its own. Default 60,000; of runs 960,000. */
  timeoutMs?: number | undefined;
  /** Instead of the global one. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** API mode: the relayer writes for the account. */
export interface ApiParameters extends SharedParameters {
  /** Account key or usage key. Without one: `newAccount` and what needs no key. */
  apiKey?: string | undefined;
}

/** A viem WalletClient with an account. */
export type Wallet = Client<Transport, Chain | undefined, Account>;

/** ChainSecured mode: the wallet writes, by transactions that it signs and pays for. */
export interface ChainSecuredParameters extends SharedParameters {
  /** The admin wallet. */
  wallet: Wallet;
  /** Serves chain reads and waits for receipts. Default: the wallet's transport. */
  publicClient?: Client<Transport, Chain | undefined> | undefined;
  /** Refuses to sign for any other contract than this one. Default: the one that the relayer names. */
  contractAddress?: Address | undefined;
  /** Base URL of the indexer. */
  indexerUrl?: string | undefined;
  /** Where lists come from. Default: the indexer when `indexerUrl` is given, else the chain. */
  reads?: 'indexer' | 'chain' | undefined;
}

/** The contract that the relayer works on. */
export interface Contract {
  address: Address;
  chainId: number;
}

/** @internal */
export interface Internals {
  /** In a function, so that no printed client shows it. */
  apiKey: () => string | undefined;
  retries: number;
  timeoutMs: number | undefined;
  fetch: typeof globalThis.fetch | undefined;
  /** Block of the client's last write, 0 before: what reads have to see. */
  lastBlock: bigint;
  /** The answer of the relayer, once it was given. */
  contract?: Promise<Contract>;
}

/** @internal */
export interface ChainInternals extends Internals {
  wallet: Wallet;
  reader: Client<Transport, Chain | undefined>;
  contractAddress: Address | undefined;
  indexerUrl: string | undefined;
  /** Master hash of the account, once it is known to be the wallet's. */
  masterHash?: bigint;
  /** The wallet's proof while it is sent again, in a function like a key. */
  walletAuth?: { endsAtMs: number; header: () => Promise<string> };
  /** Transactions are given to the wallet one after the other: each has to see the nonce of the one before. */
  lane: Promise<unknown>;
}

/** What the functions of API mode take. */
export interface ApiBareClient {
  readonly mode: 'api';
  /** Lists come over HTTP. */
  readonly reads: 'http';
  readonly url: string;
  /** @internal */
  readonly internals: Internals;
}

/** What the functions of ChainSecured mode take. */
export interface ChainSecuredBareClient<reads extends 'indexer' | 'chain' = 'indexer' | 'chain'> {
  readonly mode: 'chainSecured';
  readonly reads: reads;
  readonly url: string;
  /** @internal */
  readonly internals: ChainInternals;
}

/** What every function of the SDK takes first; {@link createClient} makes one with all functions bound to it. */
export type BareClient = ApiBareClient | ChainSecuredBareClient;

/** Of a client with an indexer, which is not told to read from the chain. */
export type IndexedParameters = ChainSecuredParameters & {
  indexerUrl: string;
  reads?: 'indexer' | undefined;
};
/** Of a client that reads from the chain. */
export type UnindexedParameters = ChainSecuredParameters &
  ({ reads: 'chain' } | { indexerUrl?: undefined; reads?: undefined });

/** The client that standalone functions take: a bundle holds those that are imported, and no others. */
export function createBareClient(parameters: ApiParameters): ApiBareClient;
export function createBareClient(parameters: IndexedParameters): ChainSecuredBareClient<'indexer'>;
export function createBareClient(parameters: UnindexedParameters): ChainSecuredBareClient<'chain'>;
export function createBareClient(parameters: ApiParameters | ChainSecuredParameters): BareClient {
  const url = parseBaseUrl(parameters.url, 'url');
  const { retries = 3, timeoutMs, fetch } = parameters;
  if (!Number.isSafeInteger(retries) || retries < 0)
    throw new LatchkeyError('configuration', 'retries has to be a whole number from 0');
  const shared = { retries, timeoutMs, fetch, lastBlock: 0n };
  if (!('wallet' in parameters)) {
    const { apiKey } = parameters;
    return { mode: 'api', reads: 'http', url, internals: { ...shared, apiKey: () => apiKey } };
  }
  if ('apiKey' in parameters)
    throw new LatchkeyError('configuration', 'a client has an apiKey or a wallet, not both');
  const { wallet, publicClient, contractAddress, indexerUrl } = parameters;
  const reads = parameters.reads ?? (indexerUrl === undefined ? 'chain' : 'indexer');
  if (!wallet.account) throw new LatchkeyError('configuration', 'the wallet has no account');
  if (reads === 'indexer' && indexerUrl === undefined)
    throw new LatchkeyError('configuration', 'reads from the indexer need an indexerUrl');
  return {
    mode: 'chainSecured',
    reads,
    url,
    internals: {
      ...shared,
      apiKey: () => undefined,
      wallet,
      reader: publicClient ?? wallet,
      contractAddress: contractAddress && getAddress(contractAddress),
      indexerUrl: indexerUrl === undefined ? undefined : parseBaseUrl(indexerUrl, 'indexerUrl'),
      lane: Promise.resolve(),
    },
  };
}

/** Reads of this client see the block from now on. */
export function sawBlock({ internals }: BareClient, blockNumber: bigint): void {
  if (blockNumber > internals.lastBlock) internals.lastBlock = blockNumber;
}

import { type Account, type Address, type Chain, type Client, getAddress, type Transport } from 'viem';
import { parseBaseUrl } from './base-url.ts';
import { LatchkeyError } from './errors.ts';

/** Options of both modes. */
export interface SharedParameters {
  /** Base URL of the relayer, without `/core/v1`. */
  url: string;
  /** Number of retries of a request after a network error, 429 or 503. Default 3. */
  retries?: number | undefined;
  /** Default timeout of calls other than `runAction`. Default 60,000. */
  timeoutMs?: number | undefined;
  /**
   * Default timeout of `runAction`. Default 960,000, a minute more than the longest run: a run goes on after its call has timed
   * out, and is charged.
   */
  runTimeoutMs?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** API mode: the relayer writes for the account. */
export interface ApiParameters extends SharedParameters {
  /** Account key or usage key. Absent: for `newAccount` and other calls without a key. */
  apiKey?: string | undefined;
  /**
   * A client of a node of the chain that you trust. With it, `createWallet` returns only addresses that the key nodes have signed, of
   * wallets that the contract has in the account. Requires `contractAddress`.
   */
  publicClient?: Client<Transport, Chain | undefined> | undefined;
  /** Address of the contract, as you know it. Required with `publicClient`. */
  contractAddress?: Address | undefined;
}

/** A viem WalletClient with an account. */
export type Wallet = Client<Transport, Chain | undefined, Account>;

/** ChainSecured mode: the wallet signs, sends and pays for transactions. */
export interface ChainSecuredParameters extends SharedParameters {
  /** The admin wallet. */
  wallet: Wallet;
  /** Transport of chain reads and receipts. Default: the wallet's transport. */
  publicClient?: Client<Transport, Chain | undefined> | undefined;
  /** Refuses to sign for any contract other than this one. Default: the contract that the relayer names. */
  contractAddress?: Address | undefined;
  /** Base URL of the indexer. */
  indexerUrl?: string | undefined;
  /**
   * `transactions`: the wallet sends its writes and pays the gas. `signed`: the wallet signs typed data, and the relayer
   * sends the writes and charges the account's credit. Default `transactions`.
   */
  writes?: 'transactions' | 'signed' | undefined;
  /** Source of lists. Default: the indexer when `indexerUrl` is set, otherwise the chain. */
  reads?: 'indexer' | 'chain' | undefined;
}

/** The contract that the relayer uses. */
export interface Contract {
  address: Address;
  chainId: number;
}

/** @internal */
export interface RequestInternals {
  retries: number;
  timeoutMs: number | undefined;
  fetch: typeof globalThis.fetch | undefined;
  /** Block number of the client's last write, 0 before it. Reads must see this block. */
  lastBlock: bigint;
}

/** @internal */
interface Internals extends RequestInternals {
  /** In a function, so that a printed client does not show it. */
  apiKey: () => string | undefined;
  runTimeoutMs: number | undefined;
  reader: Client<Transport, Chain | undefined> | undefined;
  contractAddress: Address | undefined;
  /** The cached reply of the relayer. */
  contract?: Promise<Contract>;
}

/** @internal */
export interface ChainInternals extends Internals {
  wallet: Wallet;
  reader: Client<Transport, Chain | undefined>;
  indexerUrl: string | undefined;
  writes: 'transactions' | 'signed';
  /** Nonces of signed writes: 256 numbers share a word of the contract's storage. */
  nonces: { word: bigint; used: number };
  /** Master hash of the wallet's account as the indexer names it, once known. */
  masterHash?: bigint;
  /** Master hash of the wallet's account on the chain, once known. An identity names an account for good. */
  account?: bigint;
  /** The wallet's proof while it is reused, in a function like a key. */
  walletAuth?: { endsAtMs: number; header: () => Promise<string> };
  /** Queue of transactions: each needs the nonce after the previous one. */
  lane: Promise<unknown>;
}

/** The client that functions of API mode take. */
export interface ApiBareClient {
  readonly mode: 'api';
  /** Lists come over HTTP. */
  readonly reads: 'http';
  readonly url: string;
  /** @internal */
  readonly internals: Internals;
}

/** The client that functions of ChainSecured mode take. */
export interface ChainSecuredBareClient<reads extends 'indexer' | 'chain' = 'indexer' | 'chain'> {
  readonly mode: 'chainSecured';
  readonly reads: reads;
  readonly url: string;
  /** @internal */
  readonly internals: ChainInternals;
}

/**
 * The first parameter of every function of the SDK. {@link createClient} creates a client with all functions bound to
 * it.
 */
export type BareClient = ApiBareClient | ChainSecuredBareClient;

/** Options of a client with an indexer that does not read from the chain. */
export type IndexedParameters = ChainSecuredParameters & {
  indexerUrl: string;
  reads?: 'indexer' | undefined;
};
/** Options of a client that reads from the chain. */
export type UnindexedParameters = ChainSecuredParameters &
  ({ reads: 'chain' } | { indexerUrl?: undefined; reads?: undefined });

/** Creates the client that standalone functions take: a bundle contains only the imported functions. */
export function createBareClient(parameters: ApiParameters): ApiBareClient;
export function createBareClient(parameters: IndexedParameters): ChainSecuredBareClient<'indexer'>;
export function createBareClient(parameters: UnindexedParameters): ChainSecuredBareClient<'chain'>;
export function createBareClient(parameters: ApiParameters | ChainSecuredParameters): BareClient {
  const url = parseBaseUrl(parameters.url, 'url');
  const { publicClient: reader, contractAddress } = parameters;
  const shared = {
    ...requestInternals(parameters),
    runTimeoutMs: parameters.runTimeoutMs,
    contractAddress: contractAddress && getAddress(contractAddress),
  };
  if (!('wallet' in parameters)) {
    if ((reader === undefined) !== (contractAddress === undefined))
      throw new LatchkeyError('configuration', 'set both publicClient and contractAddress, or none');
    const { apiKey } = parameters;
    return { mode: 'api', reads: 'http', url, internals: { ...shared, reader, apiKey: () => apiKey } };
  }
  if ('apiKey' in parameters)
    throw new LatchkeyError('configuration', 'set either apiKey or wallet, not both');
  const { wallet, indexerUrl } = parameters;
  const reads = parameters.reads ?? (indexerUrl === undefined ? 'chain' : 'indexer');
  if (!wallet.account) throw new LatchkeyError('configuration', 'the wallet has no account');
  if (reads === 'indexer' && indexerUrl === undefined)
    throw new LatchkeyError('configuration', 'reads from the indexer require indexerUrl');
  return {
    mode: 'chainSecured',
    reads,
    url,
    internals: {
      ...shared,
      apiKey: () => undefined,
      wallet,
      reader: reader ?? wallet,
      indexerUrl: indexerUrl === undefined ? undefined : parseBaseUrl(indexerUrl, 'indexerUrl'),
      writes: parameters.writes ?? 'transactions',
      nonces: { word: 0n, used: 256 },
      lane: Promise.resolve(),
    },
  };
}

/** Returns the internals that requests use. Throws for invalid options. */
export function requestInternals({
  retries = 3,
  timeoutMs,
  fetch,
}: Pick<SharedParameters, 'retries' | 'timeoutMs' | 'fetch'>) {
  if (!Number.isSafeInteger(retries) || retries < 0)
    throw new LatchkeyError('configuration', 'retries must be an integer from 0');
  return { retries, timeoutMs, fetch, lastBlock: 0n };
}

/** Makes later reads of this client see the block. */
export function sawBlock({ internals }: BareClient, blockNumber: bigint): void {
  if (blockNumber > internals.lastBlock) internals.lastBlock = blockNumber;
}

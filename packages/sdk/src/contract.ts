/** Reads of the contract that the relayer names. */
import { accountConfigAbi } from '@latchkey/protocol';
import {
  type Address,
  BaseError,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hash,
  type Hex,
  InsufficientFundsError,
  isHex,
  UserRejectedRequestError,
} from 'viem';
import { call, getBlockNumber } from 'viem/actions';
import type { BareClient, ChainInternals, Contract } from './bare-client.ts';
import { type Deadline, pause, unlessAborted } from './deadline.ts';
import {
  abortError,
  ContractError,
  type ContractErrorName,
  LatchkeyError,
  SignatureRejectedError,
} from './errors.ts';
import { get } from './http.ts';
import { word } from './values.ts';

/** Interval at which a node is asked whether it has a block. */
const BLOCK_POLL_MS = 100;

/** Returns the contract that the relayer names, cached. Throws when the client trusts another one. */
export async function loadContract(client: BareClient, deadline: Deadline): Promise<Contract> {
  const { internals } = client;
  if (!internals.contract) {
    internals.contract = askForContract(client, deadline);
    internals.contract.catch(() => {
      delete internals.contract;
    });
  }
  return unlessAborted(internals.contract, deadline);
}

async function askForContract(client: BareClient, deadline: Deadline): Promise<Contract> {
  const { json } = await get(client, '/core/v1/get_node_chain_config', { deadline });
  const address = json.contract_address as Address;
  const trusted = client.internals.contractAddress;
  if (trusted !== undefined && trusted !== address)
    throw new LatchkeyError(
      'configuration',
      `the relayer uses the contract ${address}, this client trusts ${trusted} only`,
    );
  return { address, chainId: json.chain_id };
}

type ViewName = ContractFunctionName<typeof accountConfigAbi, 'view'>;
export type ViewResult<Name extends ViewName> = ContractFunctionReturnType<
  typeof accountConfigAbi,
  'view',
  Name
>;

/** A client that reads the chain itself. */
export type ReadingClient = BareClient & { readonly internals: Pick<ChainInternals, 'reader'> };

/** Returns whether the client has a node of its own. */
export const isReading = (client: BareClient): client is ReadingClient =>
  client.internals.reader !== undefined;

/** Reads a view at the client's own last write or later. */
export async function readContract<const Name extends ViewName>(
  client: ReadingClient,
  functionName: Name,
  args: ContractFunctionArgs<typeof accountConfigAbi, 'view', Name>,
  deadline: Deadline,
): Promise<ViewResult<Name>> {
  const data = encodeFunctionData({ abi: accountConfigAbi, functionName, args } as never);
  const [result] = await readAll(client, [data], deadline);
  return decodeFunctionResult({ abi: accountConfigAbi, functionName, data: result } as never) as never;
}

/** Returns the results of several views at one block, in one request. */
export async function readAll(
  client: ReadingClient,
  calls: readonly Hex[],
  deadline: Deadline,
): Promise<readonly Hex[]> {
  const { address } = await loadContract(client, deadline);
  const blockNumber = await ownBlock(client, deadline);
  const data = encodeFunctionData({ abi: accountConfigAbi, functionName: 'multicall', args: [calls] });
  const result = await simulate(client, { to: address, data, blockNumber }, deadline);
  return decodeFunctionResult({ abi: accountConfigAbi, functionName: 'multicall', data: result });
}

/** Returns the return data of a call, by the wallet if there is one. Throws a ContractError when the contract refuses it. */
export async function simulate(
  client: ReadingClient,
  { to, data, blockNumber }: { to: Address; data: Hex; blockNumber?: bigint | undefined },
  deadline: Deadline,
): Promise<Hex> {
  const by = client.mode === 'chainSecured' ? { account: client.internals.wallet.account.address } : {};
  const block = blockNumber === undefined ? {} : { blockNumber };
  const result = await onChain(() => call(client.internals.reader, { ...by, to, data, ...block }), deadline);
  return result.data ?? '0x';
}

/**
 * Waits until the node has the client's last write. Returns the node's head then, or undefined when there was no write.
 */
export async function ownBlock(
  { internals }: ReadingClient,
  deadline: Deadline,
): Promise<bigint | undefined> {
  const { reader, lastBlock } = internals;
  if (lastBlock === 0n) return undefined;
  for (;;) {
    const head = await onChain(() => getBlockNumber(reader, { cacheTime: 0 }), deadline);
    if (head >= lastBlock) return head;
    await pause(BLOCK_POLL_MS, deadline);
  }
}

/** The transaction that a request to the node or the wallet is about, for its error. */
interface About {
  /** Set once the transaction was sent. */
  transactionHash?: Hash;
  /** Returns whether the wallet asks its holder to send a transaction. */
  isWalletAsking?: () => boolean;
}

/** Runs a request to the node or the wallet. Rejects with a LatchkeyError. */
export async function onChain<T>(
  ask: () => Promise<T>,
  deadline: Deadline,
  { transactionHash, isWalletAsking }: About = {},
): Promise<T> {
  try {
    return await unlessAborted(ask(), deadline, (reason) =>
      abortError(reason, { transactionHash, isWalletAsking: isWalletAsking?.() }),
    );
  } catch (thrown) {
    throw chainError(thrown, transactionHash);
  }
}

/** viem's errors contain the node's URL, which can contain a key: only their safe texts are kept. */
function chainError(thrown: unknown, transactionHash: Hash | undefined): LatchkeyError {
  if (thrown instanceof LatchkeyError) return thrown;
  if (!(thrown instanceof BaseError))
    return new LatchkeyError('chain_unavailable', 'the wallet or node failed', { transactionHash });
  const has = (is: (error: unknown) => boolean) => thrown.walk(is) !== null;
  if (has((error) => error instanceof UserRejectedRequestError)) return new SignatureRejectedError();
  const revert = thrown.walk((error) => findRevertData(error) !== undefined);
  const data = revert === null ? undefined : findRevertData(revert);
  if (data !== undefined) return contractError(data, transactionHash);
  if (has((error) => error instanceof InsufficientFundsError))
    return new LatchkeyError('insufficient_funds', 'the wallet does not have enough funds for the gas', {
      transactionHash,
    });
  return new LatchkeyError('chain_unavailable', thrown.shortMessage, { transactionHash });
}

/** Nodes put the bytes of a revert into `data`, some into `data.data`. */
function findRevertData(error: unknown): Hex | undefined {
  const { data } = error as { data?: unknown };
  const bytes = typeof data === 'object' && data !== null ? (data as { data?: unknown }).data : data;
  return isHex(bytes) && bytes.length >= 10 ? bytes : undefined;
}

function contractError(data: Hex, transactionHash: Hash | undefined): LatchkeyError {
  try {
    const { abiItem, errorName, args = [] } = decodeErrorResult({ abi: accountConfigAbi, data });
    const inputs: readonly { name?: string }[] = 'inputs' in abiItem ? abiItem.inputs : [];
    const named = (args as readonly unknown[]).map(
      (value, index) => `${inputs[index]?.name}: ${readable(value)}`,
    );
    const text = `${errorName}(${named.join(', ')})`;
    return new ContractError(errorName as ContractErrorName, args as never, text, { transactionHash });
  } catch {
    return new LatchkeyError('contract', `the contract refused the call with ${data}`, { transactionHash });
  }
}

/** Formats hashes in hex, as elsewhere, and ids in decimal. */
function readable(value: unknown): string {
  return typeof value === 'bigint' && value >= 1n << 64n ? word(value) : String(value);
}

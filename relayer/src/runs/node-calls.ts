/** Calls of the nodes of the service's chains for actions: methods that read, within limits. */
import { ActionError } from '@latchkey/runner-protocol';
import { type Activity, createTurns, TurnRefusedError } from '@latchkey/service/turns';
import { type PublicClient, RpcRequestError } from 'viem';
import type { RpcCall } from '../runners/chain-requests.ts';

/** Resolves to JSON of the `result` or `error` of JSON-RPC. Rejects with an `ActionError` named `RpcError`. */
export type CallNode = (account: bigint, call: RpcCall) => Promise<string>;

export type NodeCallsOptions = {
  /** Returns the client of a chain, undefined for a chain that the service does not have. */
  clientOf: (chainId: number) => Pick<PublicClient, 'request'> | undefined;
  activity: Activity<bigint | string>;
};

const MAX_REPLY_CHARS = 1024 * 1024;
const MAX_LOG_BLOCKS = 1_000n;
const MAX_FEE_HISTORY = 1_024n;

/** While another account is active, an account has half of the calls in progress. */
const TURNS = { inProgress: 64, few: 16, manyPerSecond: 200, waiting: 2_000, waitingPerAccount: 500 };

/** Methods that read, each with a check of its parameters. */
const methods: Record<string, (params: readonly unknown[]) => string | undefined> = {
  eth_blockNumber: anything,
  eth_call: anything,
  eth_chainId: anything,
  eth_estimateGas: anything,
  eth_feeHistory: ([count]) =>
    quantityOf(count) === undefined || (quantityOf(count) as bigint) > MAX_FEE_HISTORY
      ? `eth_feeHistory takes at most ${MAX_FEE_HISTORY} blocks, as hex`
      : undefined,
  eth_gasPrice: anything,
  eth_getBalance: anything,
  eth_getBlockByHash: anything,
  eth_getBlockByNumber: anything,
  eth_getBlockReceipts: anything,
  eth_getBlockTransactionCountByHash: anything,
  eth_getBlockTransactionCountByNumber: anything,
  eth_getCode: anything,
  eth_getLogs: ([filter]) => faultInFilter(filter),
  eth_getProof: anything,
  eth_getStorageAt: anything,
  eth_getTransactionByBlockHashAndIndex: anything,
  eth_getTransactionByBlockNumberAndIndex: anything,
  eth_getTransactionByHash: anything,
  eth_getTransactionCount: anything,
  eth_getTransactionReceipt: anything,
  eth_maxPriorityFeePerGas: anything,
  net_version: anything,
};
const readMethods = new Map(Object.entries(methods));

function anything(): undefined {
  return undefined;
}

const quantityOf = (value: unknown): bigint | undefined =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{1,16}$/.test(value) ? BigInt(value) : undefined;

/** Other names are refused: some nodes read names in any case, `FROMBLOCK` too. */
const filterNames = new Set(['address', 'topics', 'fromBlock', 'toBlock', 'blockHash']);

/** One block, or a range of numbers. */
function faultInFilter(filter: unknown): string | undefined {
  const { blockHash, fromBlock, toBlock, ...others } = (filter ?? {}) as Record<string, unknown>;
  if (Object.keys(others).some((name) => !filterNames.has(name)))
    return `eth_getLogs takes ${[...filterNames].join(', ')}`;
  const isOneBlock = fromBlock === toBlock;
  const [from, to] = [quantityOf(fromBlock), quantityOf(toBlock)];
  const isRange = from !== undefined && to !== undefined && to - from < MAX_LOG_BLOCKS;
  if (isOneBlock || (isRange && blockHash === undefined)) return undefined;
  return `eth_getLogs takes at most ${MAX_LOG_BLOCKS} blocks: send fromBlock and toBlock as hex numbers, or blockHash`;
}

const rpcError = (message: string): ActionError => new ActionError('RpcError', message);

export function createNodeCalls({ clientOf, activity }: NodeCallsOptions): CallNode {
  const takeTurn = createTurns<bigint | string>(TURNS, activity);
  return async (account, { chainId, method, params: json }) => {
    const check = readMethods.get(method);
    if (!check) throw rpcError(`the service does not call ${method}: only methods that read`);
    const client = clientOf(chainId);
    if (!client) throw rpcError(`this service has no chain ${chainId}`);
    const params = paramsIn(json);
    const fault = check(params);
    if (fault !== undefined) throw rpcError(fault);
    using _turn = await takeTurn(account).catch((error: unknown) => {
      throw error instanceof TurnRefusedError ? rpcError(`too many calls: ${error.message}`) : error;
    });
    const reply = await replyOf(client, { method, params }, chainId);
    if (reply.length > MAX_REPLY_CHARS)
      throw rpcError(`the reply to ${method} has more than ${MAX_REPLY_CHARS} characters: ask for less`);
    return reply;
  };
}

function paramsIn(json: string): unknown[] {
  try {
    const params: unknown = JSON.parse(json);
    if (Array.isArray(params)) return params;
  } catch {
    // The error below names the rule.
  }
  throw rpcError('the parameters are not a JSON array');
}

/** Errors of the node are a reply. Other errors could name its URL. */
async function replyOf(
  client: Pick<PublicClient, 'request'>,
  call: { method: string; params: unknown[] },
  chainId: number,
): Promise<string> {
  try {
    return JSON.stringify({ result: await client.request(call as never) });
  } catch (thrown) {
    const refusal = findRefusal(thrown);
    if (!refusal) throw rpcError(`the node of the chain ${chainId} does not answer`);
    const { code, details: message, data } = refusal;
    return JSON.stringify({ error: { code, message, data } });
  }
}

function findRefusal(thrown: unknown): RpcRequestError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (error instanceof RpcRequestError) return error;
  return undefined;
}

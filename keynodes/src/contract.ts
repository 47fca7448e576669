/** The views of AccountConfig that a key node decides by, over one RPC endpoint of its own. */

import { openJsonRpc } from '@latchkey/chain/json-rpc';
import { serviceUnavailable } from '@latchkey/http';
import { accountConfigAbi } from '@latchkey/protocol';
import {
  type Address,
  createPublicClient,
  type GetContractReturnType,
  getContract,
  type Hash,
  type PublicClient,
} from 'viem';
import { BehindError, type Block, blockFrom, CodeError } from './blocks.ts';
import { type ApprovalReader, createApprovalReader } from './dealing/approvals.ts';
import { createPinsReader, type PinsReader } from './pins/read-pins.ts';

const TIMEOUT_MS = 3_000;
const RETRY_MS = 100;

/** Views by name. Concurrent reads are one request. */
export type Views = GetContractReturnType<typeof accountConfigAbi, PublicClient>['read'];

/** Calls of one turn of the event loop are one request. */
export type Endpoint = {
  /** Returns the latest block. Rejects with a BehindError when the endpoint serves another chain. */
  latest: () => Promise<Block>;
  /** Rejects when the endpoint does not have the block. */
  block: (hash: Hash) => Promise<Block>;
  /** Views at one block (EIP-1898). They reject when the endpoint does not have it in its chain. */
  viewsAt: (hash: Hash) => Views;
};

/** Reads of a node in addition to the views. */
export type CodeReaders = { pins: PinsReader; approvals: ApprovalReader };

export function openEndpoint(
  rpcUrl: string,
  { address, chainId }: { address: Address; chainId: number },
): Endpoint & CodeReaders {
  const { transport } = openJsonRpc(rpcUrl, {
    timeoutMs: TIMEOUT_MS,
    retryCount: 1,
    retryDelayMs: RETRY_MS,
    isBatching: true,
  });
  const client = createPublicClient({ transport, cacheTime: 0 });
  const { read } = getContract({ abi: accountConfigAbi, address, client });
  return {
    async latest() {
      // Checks the chain with each request: a load balancer can pass each one to another node.
      const [found, block] = await Promise.all([client.getChainId(), client.getBlock()]);
      if (found !== chainId) throw new BehindError(`an RPC endpoint is of chain ${found}, not ${chainId}`);
      return blockFrom(block);
    },
    block: async (blockHash) => blockFrom(await client.getBlock({ blockHash })),
    viewsAt: (blockHash) => viewsAt(read, { blockHash, requireCanonical: true }),
    pins: createPinsReader(client, address),
    approvals: createApprovalReader(client, address),
  };
}

type View = (args: readonly unknown[], options: object) => Promise<unknown>;

const viewsAt = (read: Views, options: object): Views =>
  new Proxy(read, {
    get: (views, name) => {
      const view = views[name as keyof Views] as View;
      return (args: readonly unknown[] = []) => view(args, options);
    },
  });

/** Returns the answer. Rejects with a 503 when the chain does not give one. */
export async function askChain<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof BehindError || cause instanceof CodeError)
      throw serviceUnavailable(cause.message, { cause, isPublic: true });
    throw serviceUnavailable('the chain does not answer', { cause });
  }
}

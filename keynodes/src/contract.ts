/** The views of AccountConfig that a key node decides by, over its own RPC connection. */
import { serviceUnavailable } from '@latchkey/http';
import { accountConfigAbi } from '@latchkey/protocol';
import { openJsonRpc } from '@latchkey/service/json-rpc';
import { type Address, createPublicClient, type GetContractReturnType, getContract } from 'viem';

const TIMEOUT_MS = 3_000;
const RETRY_MS = 100;

export type Contract = {
  blockNumber: () => Promise<bigint>;
  /** Views by name, at the latest block. Concurrent reads are one request. */
  read: GetContractReturnType<typeof accountConfigAbi, ReturnType<typeof createPublicClient>>['read'];
};

export function createContract(rpcUrl: string, address: Address): Contract {
  const { transport } = openJsonRpc(rpcUrl, {
    timeoutMs: TIMEOUT_MS,
    retryCount: 1,
    retryDelayMs: RETRY_MS,
    isBatching: true,
  });
  const client = createPublicClient({ transport, cacheTime: 0 });
  const { read } = getContract({ abi: accountConfigAbi, address, client });
  return { blockNumber: () => client.getBlockNumber(), read };
}

/** Returns the answer. Rejects with a 503 when the chain does not give one. */
export async function askChain<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw serviceUnavailable('the chain does not answer', { cause });
  }
}

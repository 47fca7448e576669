// The smallest Ponder app that lists groups: one handler, one table, one route.
import { accountConfigAbi } from '@latchkey/protocol';
import { createConfig } from 'ponder';
import type { Hex } from 'viem';

const { RPC_URL = '', WS_RPC_URL, CHAIN_ID, CONTRACT_ADDRESS, START_BLOCK } = process.env;

export default createConfig({
  // As many copies of the URL as in the indexer: Ponder limits the requests per URL.
  chains: {
    service: {
      id: Number(CHAIN_ID),
      rpc: Array<string>(25).fill(new URL(RPC_URL).href),
      ...(WS_RPC_URL ? { ws: WS_RPC_URL } : {}),
    },
  },
  contracts: {
    AccountConfig: {
      abi: accountConfigAbi,
      chain: 'service',
      address: CONTRACT_ADDRESS as Hex,
      startBlock: Number(START_BLOCK),
    },
  },
});

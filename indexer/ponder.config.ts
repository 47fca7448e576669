import { accountConfigAbi } from '@latchkey/protocol';
import { createConfig } from 'ponder';
import { loadConfig } from './service/config.ts';

/** Ponder allows itself 20 requests a second and URL, which is below ten blocks a second: the URL counts this often. */
const RPC_URL_COPIES = 25;

const config = loadConfig();

export default createConfig({
  database: { kind: 'postgres', connectionString: config.databaseUrl },
  chains: {
    service: {
      id: config.deployment.chainId,
      // With its final slash the URL is none of those that Ponder warns of, once a copy, as being public.
      rpc: Array<string>(RPC_URL_COPIES).fill(new URL(config.rpcUrl).href),
      ...(config.wsRpcUrl === undefined ? {} : { ws: config.wsRpcUrl }),
    },
  },
  contracts: {
    AccountConfig: {
      abi: accountConfigAbi,
      chain: 'service',
      address: config.deployment.address,
      startBlock: config.deployment.startBlock,
    },
  },
});

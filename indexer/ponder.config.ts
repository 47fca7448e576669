import { accountConfigAbi } from '@latchkey/protocol';
import { createConfig } from 'ponder';
import { loadConfig } from './service/config.ts';

/**
 * Ponder limits itself to 20 requests a second per URL, too few for ten blocks a second: the URL is listed this often.
 */
const RPC_URL_COPIES = 25;

const config = loadConfig();

export default createConfig({
  database: {
    kind: 'postgres',
    connectionString: config.databaseUrl,
    poolConfig: { max: config.databasePoolSize },
  },
  chains: {
    service: {
      id: config.deployment.chainId,
      // The final slash keeps the URL off Ponder's list of public URLs, for which it would warn once per copy.
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

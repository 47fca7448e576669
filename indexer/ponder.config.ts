import { accountConfigAbi } from '@latchkey/protocol';
import { createConfig } from 'ponder';
import { loadConfig } from './service/config.ts';

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
      // While old blocks are indexed, Ponder sends at most 20 requests per second to each URL, more only after a while.
      rpc: Array<string>(25).fill(config.rpcUrl),
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

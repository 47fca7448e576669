import { address } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';

export const getNodeChainConfig = defineRoute({
  method: 'GET',
  path: `${prefix}/get_node_chain_config`,
  tag: 'chain',
  summary: 'Returns the chain and the contract that the relayer uses',
  auth: 'none',
  reply: z.object({
    chain_name: z.string(),
    chain_id: z.int(),
    is_evm: z.literal(true),
    testnet: z.boolean(),
    token: z.string(),
    contract_address: address,
  }),
  handle: ({ accountConfig, config }: Pick<Context, 'accountConfig' | 'config'>) => ({
    chain_name: config.chain.name,
    chain_id: config.chain.chainId,
    is_evm: true as const,
    testnet: config.chain.testnet,
    token: config.chain.token,
    contract_address: accountConfig.address,
  }),
});

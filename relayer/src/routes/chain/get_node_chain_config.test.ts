import { get, stack } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

test('returns 200 with chain and contract, without the RPC URL', async () => {
  const { status, body } = await get('get_node_chain_config');
  expect(status).toBe(200);
  expect(body).toEqual({
    chain_name: expect.any(String),
    chain_id: stack.chainId,
    is_evm: true,
    testnet: true,
    token: 'ETH',
    contract_address: stack.contractAddress,
  });
});

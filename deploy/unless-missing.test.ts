import { createPublicClient, custom, encodeAbiParameters, parseAbi, RpcRequestError } from 'viem';
import { expect, test } from 'vitest';
import { unlessMissing } from './unless-missing.ts';

const abi = parseAbi(['function getMinDelay() view returns (uint256)']);
const failure = (code: number, message: string) => () => {
  throw new RpcRequestError({ body: {}, url: 'http://node', error: { code, message } });
};

/** Reads a contract by a node that answers each request with `answer`. */
function read(answer: () => unknown): Promise<bigint | undefined> {
  const transport = custom({ request: async () => answer() }, { retryCount: 0 });
  const client = createPublicClient({ transport });
  return unlessMissing(
    client.readContract({ address: `0x${'11'.repeat(20)}`, abi, functionName: 'getMinDelay' }),
  );
}

test('returns the result of the contract', async () => {
  expect(await read(() => encodeAbiParameters([{ type: 'uint256' }], [5n]))).toBe(5n);
});

test.each([
  ['returns nothing', () => '0x'],
  ['reverts', failure(3, 'execution reverted')],
  ['reverts with another code', failure(-32_000, 'execution reverted')],
])('a function that %s is missing', async (_, answer) => {
  expect(await read(answer)).toBeUndefined();
});

test.each([
  ['internal error', failure(-32_603, 'internal error')],
  ['limit', failure(-32_005, 'rate limit exceeded')],
  ['server error', failure(-32_000, 'header not found')],
  [
    'lost connection',
    () => {
      throw new Error('ECONNRESET');
    },
  ],
])('rejects with an error of the node: %s', async (_, answer) => {
  await expect(read(answer)).rejects.toThrow();
});

import { isDeepStrictEqual } from 'node:util';
import { ChainUnavailableError } from '@latchkey/chain/errors';
import { expect, test } from 'vitest';
import { createExecutedWrites } from './executed-writes.ts';

const signed = { signer: `0x${'aa'.repeat(20)}`, nonce: 1n, digest: '0xd1' } as const;
const log = {
  args: { digest: '0xd1' },
  blockNumber: 7n,
  blockHash: '0x07',
  logIndex: 0,
  topics: ['0x01'],
  data: '0xd1',
  transactionHash: '0x77',
};

/** Finds writes in the logs of two nodes. */
const find = (ofNodes: object[][]) => {
  const agreed = async (question: (client: object) => unknown, contentOf: (answer: unknown) => unknown) => {
    const answers = await Promise.all(ofNodes.map((logs) => question({ getLogs: async () => logs })));
    if (isDeepStrictEqual(contentOf(answers[0]), contentOf(answers[1]))) return answers[0];
    throw new ChainUnavailableError('the nodes contradict each other');
  };
  const chain = { agreed, refreshHead: async () => 10n };
  return createExecutedWrites(chain as never, { address: `0x${'cc'.repeat(20)}`, startBlock: 0 })(signed);
};

test('signed writes were executed in the transaction whose event two nodes have', async () => {
  expect(await find([[log], [log]])).toEqual({ blockNumber: 7n, transactionHash: '0x77' });
});

test('an execution that one node invents or hides is not known', async () => {
  for (const other of [[], [{ ...log, data: '0xd2' }]])
    await expect(find([[log], other])).rejects.toThrow(ChainUnavailableError);
});

test('another write of the signer with the nonce is another one', async () => {
  const other = { ...log, args: { digest: '0xd2' } };
  expect(await find([[other], [other]])).toBeUndefined();
});

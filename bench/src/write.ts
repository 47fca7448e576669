/** A write, from request to reply: add_group. Baseline: the same calldata sent by viem. */
import { setTimeout as delay } from 'node:timers/promises';
import { accountConfigAbi, apiKeyHash } from '@latchkey/protocol';
import { devAccount, type Stack } from '@latchkey/stack';
import { createPublicClient, createWalletClient, encodeFunctionData, http, nonceManager } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { type Account, call } from './client.ts';
import { type Comparison, compare } from './measure.ts';

const NAME = 'bench group';
const DESCRIPTION = 'About as long as a typical description.';
/** An api payer that the relayer does not use: two senders with one nonce sequence would conflict. */
const PAYER_INDEX = 3;
const RECEIPT_POLL_MS = 5;

export async function benchWrite(
  stack: Stack,
  account: Account,
  count: number,
  concurrencies: number[],
): Promise<Comparison[]> {
  const { baseUrl, rpcUrl, contractAddress, ownerKey } = stack;
  const shared = { chain: foundry, transport: http(rpcUrl), cacheTime: 0, pollingInterval: RECEIPT_POLL_MS };
  const client = createPublicClient(shared);
  const payer = privateKeyToAccount(devAccount(PAYER_INDEX).privateKey, { nonceManager });
  const wallet = createWalletClient({ ...shared, account: payer });
  const owner = createWalletClient({ ...shared, account: privateKeyToAccount(ownerKey) });
  const contract = { address: contractAddress, abi: accountConfigAbi } as const;
  const payers = await client.readContract({ ...contract, functionName: 'api_payers' });
  await client.waitForTransactionReceipt({
    hash: await owner.writeContract({
      ...contract,
      functionName: 'setApiPayers',
      args: [[...payers, payer.address]],
    }),
  });
  const data = encodeFunctionData({
    abi: accountConfigAbi,
    functionName: 'addGroup',
    args: [apiKeyHash(account.key), NAME, DESCRIPTION, [], []],
  });

  const comparisons: Comparison[] = [];
  for (const concurrency of concurrencies) {
    comparisons.push(
      await compare('write (add_group)', {
        count,
        concurrency,
        service: {
          run: () =>
            call(`${baseUrl}/add_group`, {
              key: account.key,
              body: {
                group_name: NAME,
                group_description: DESCRIPTION,
                pkp_ids_permitted: [],
                cid_hashes_permitted: [],
              },
            }),
        },
        baseline: {
          async run() {
            const hash = await wallet.sendTransaction({ to: contractAddress, data });
            // viem's own wait looks again with the next block, which never comes when its first look was too early.
            for (;;) {
              const receipt = await client.getTransactionReceipt({ hash }).catch(() => undefined);
              if (receipt?.status === 'reverted') throw new Error('the transaction reverted');
              if (receipt) return;
              await delay(RECEIPT_POLL_MS);
            }
          },
        },
      }),
    );
  }
  return comparisons;
}

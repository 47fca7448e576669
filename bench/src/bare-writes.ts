// Forked process: sends calldata with viem, each transaction until its receipt, and answers with the durations.
import { setTimeout as delay } from 'node:timers/promises';
import { answer } from '@latchkey/testing/forked';
import { measure, type Samples } from '@latchkey/testing/measure';
import { type Address, createPublicClient, createWalletClient, type Hex, http, nonceManager } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';

export type Writes = {
  rpcUrl: string;
  payerKey: Hex;
  to: Address;
  data: Hex;
  clients: number;
  count: number;
};

const RECEIPT_POLL_MS = 4;

function openSender({ rpcUrl, payerKey, to, data }: Writes) {
  const shared = { chain: foundry, transport: http(rpcUrl), cacheTime: 0 };
  const client = createPublicClient(shared);
  const wallet = createWalletClient({ ...shared, account: privateKeyToAccount(payerKey, { nonceManager }) });
  return async () => {
    const hash = await wallet.sendTransaction({ to, data });
    // viem's own wait looks again with the next block, which never comes when its first look was too early.
    for (;;) {
      const receipt = await client.getTransactionReceipt({ hash }).catch(() => undefined);
      if (receipt?.status === 'reverted') throw new Error('the transaction reverted');
      if (receipt) return;
      await delay(RECEIPT_POLL_MS);
    }
  };
}

answer(
  (writes: Writes): Promise<Samples> => measure({ run: openSender(writes) }, writes.count, writes.clients),
);

// Forked process: sends calldata with viem, each transaction until its receipt, and answers with the durations.
import { setTimeout as delay } from 'node:timers/promises';
import { answer } from '@latchkey/testing/forked';
import { measure, type Samples } from '@latchkey/testing/measure';
import { type Address, createPublicClient, createWalletClient, type Hex, http } from 'viem';
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
const RECEIPT_TIMEOUT_MS = 30_000;

/**
 * Reads the nonce for each transaction, as viem does without a nonce manager. The nonce manager sometimes gives two concurrent transactions
 * one nonce, and the replaced one never has a receipt.
 */
function openSender({ rpcUrl, payerKey, to, data }: Writes) {
  const account = privateKeyToAccount(payerKey);
  const shared = { chain: foundry, transport: http(rpcUrl), cacheTime: 0 };
  const client = createPublicClient(shared);
  const wallet = createWalletClient({ ...shared, account });
  let nextNonce = 0;
  const takeNonce = async (): Promise<number> => {
    const pending = await client.getTransactionCount({ address: account.address, blockTag: 'pending' });
    const nonce = Math.max(pending, nextNonce);
    nextNonce = nonce + 1;
    return nonce;
  };
  return async () => {
    const nonce = await takeNonce();
    const hash = await wallet.sendTransaction({ to, data, nonce });
    const deadline = performance.now() + RECEIPT_TIMEOUT_MS;
    // viem's own wait checks again at the next block, which never comes when its first check was too early.
    while (performance.now() < deadline) {
      const receipt = await client.getTransactionReceipt({ hash }).catch(() => undefined);
      if (receipt?.status === 'reverted') throw new Error('the transaction reverted');
      if (receipt) return;
      await delay(RECEIPT_POLL_MS);
    }
    throw new Error(
      `the transaction ${hash} with nonce ${nonce} has no receipt after ${RECEIPT_TIMEOUT_MS} ms`,
    );
  };
}

answer(
  (writes: Writes): Promise<Samples> => measure({ run: openSender(writes) }, writes.count, writes.clients),
);

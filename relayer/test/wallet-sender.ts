/** A stand-in for the transactions of wallets: it has a run sign at nonces of its choice, and broadcasts to the chain of the stack. */
import {
  addGroup,
  addUsageKey,
  client,
  createWallet,
  newAccount,
  payAndConfirm,
  testClient,
} from '@latchkey/testing/stack';
import { type Address, parseEther } from 'viem';
import type {
  SendWalletTransaction,
  SignedByRun,
  ToSignByRun,
  WalletTransaction,
} from '../src/wallet-transactions/types.ts';
import { ownRelayer } from './own-relayer.ts';
import { formsAt } from './wallet-forms.ts';

export function createWalletSender() {
  const sender = {
    requests: [] as WalletTransaction[],
    signed: [] as SignedByRun[],
    /** Returns the requests to sign, one after the other. */
    plan: async ({ wallet, gas }: WalletTransaction): Promise<ToSignByRun[]> => [
      formsAt(await client.getTransactionCount({ address: wallet }), gas),
    ],
    send: (async (request, sign) => {
      sender.requests.push(request);
      let nonce = 0;
      for (const toSign of await sender.plan(request)) {
        sender.signed.push(await sign(toSign));
        ({ nonce } = toSign);
      }
      const serializedTransaction = sender.signed.at(-1)?.forms[0] ?? '0x';
      return { id: `tx-${nonce}`, nonce, hash: await client.sendRawTransaction({ serializedTransaction }) };
    }) as SendWalletTransaction,
  };
  return sender;
}

/** Starts a relayer that sends with the current stand-in, for an account with credit and a wallet. */
export async function startSendingRelayer(current: () => ReturnType<typeof createWalletSender>) {
  const relayer = await ownRelayer({}, { sendWalletTransaction: (...request) => current().send(...request) });
  const account = await newAccount();
  await payAndConfirm({ 'X-Api-Key': account.key }, { url: relayer.url });
  const pkpId = await createWallet(account.key);
  return {
    relayer,
    account,
    pkpId,
    /** Returns a usage key that may use the wallet, which gets funds, in the actions with these hashes. */
    async keyFor(wallet: Address, ...cidHashes: string[]): Promise<string> {
      await testClient.setBalance({ address: wallet, value: parseEther('10') });
      const contents = { pkp_ids_permitted: [wallet], cid_hashes_permitted: cidHashes };
      return addUsageKey(account.key, { execute_in_groups: [await addGroup(account.key, contents)] });
    },
  };
}

export type SendingRelayer = Awaited<ReturnType<typeof startSendingRelayer>>;

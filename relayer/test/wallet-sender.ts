/** A stand-in for the transactions of wallets: it has a run sign at nonces of its choice, and broadcasts to the chain of the stack. */
import { client } from '@latchkey/testing/stack';
import type {
  SendWalletTransaction,
  SignedByRun,
  ToSignByRun,
  WalletTransaction,
} from '../src/wallet-transactions/types.ts';
import { formsAt } from './wallet-forms.ts';

export function createWalletSender() {
  const sender = {
    requests: [] as WalletTransaction[],
    signed: [] as SignedByRun[],
    /** What the run is asked to sign, one after the other. */
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

import { createClient } from '@latchkey/sdk';
import { chain, stack } from '@latchkey/testing/stack';
import { newWalletKey, type WalletKey } from '@latchkey/testing/wallet-key';
import { createWalletClient, http, publicActions } from 'viem';
import { toLatchkeyAccount, type WalletParameters } from '../src/index.ts';

/** Returns an account of viem for a wallet of the stack. */
export const accountOf = ({ usageKey, walletAddress }: WalletKey, action?: WalletParameters['action']) =>
  toLatchkeyAccount({
    client: createClient({ url: stack.url, apiKey: usageKey }),
    walletAddress,
    action,
  });

/** Opens an account of the service, and returns a wallet client for its wallet. */
export async function newWalletClient() {
  const key = await newWalletKey();
  const account = accountOf(key);
  const transport = http(stack.rpcUrl);
  return {
    ...key,
    account,
    wallet: createWalletClient({ account, chain, transport, pollingInterval: 50 }).extend(publicActions),
  };
}

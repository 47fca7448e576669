/** Clients of the shared stack, one per mode, and the wallets that they need. */

import {
  type Account,
  type Chain,
  createTestClient,
  createWalletClient,
  http,
  parseEther,
  type Transport,
  type WalletClient,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { inject } from 'vitest';
import { type ApiClient, type ChainSecuredClient, createClient } from '../src/index.ts';

export const stack = inject('stack');

export const chain = { ...foundry, id: stack.chainId };

export const testClient = createTestClient({ chain, mode: 'anvil', transport: http(stack.rpcUrl) });

export type FundedWallet = WalletClient<Transport, Chain, Account>;

/** Creates a wallet, funded by default. */
export async function newWallet(
  ether = '10',
  transport: Transport = http(stack.rpcUrl),
): Promise<FundedWallet> {
  const account = privateKeyToAccount(generatePrivateKey());
  await testClient.setBalance({ address: account.address, value: parseEther(ether) });
  return createWalletClient({ account, chain, transport, pollingInterval: 50 });
}

/** Creates an API client with its own account. */
export async function newApiClient(): Promise<ApiClient> {
  const { apiKey } = await createClient({ url: stack.url }).newAccount({
    name: 'sdk',
    description: '',
  });
  return createClient({ url: stack.url, apiKey });
}

/** Pays 500 cents with the card, as a browser does: paid, not confirmed. */
export async function payByCard(
  client: ApiClient | ChainSecuredClient,
  card = 'pm_card_visa',
): Promise<{ paymentIntentId: string }> {
  const { paymentIntentId, clientSecret } = await client.createPaymentIntent({ amountCents: 500 });
  const { publishableKey } = await client.getProcessorConfig();
  const reply = await fetch(`${stack.stripeUrl}/v1/payment_intents/${paymentIntentId}/confirm`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${publishableKey}` },
    body: new URLSearchParams({ client_secret: clientSecret, payment_method: card }),
  });
  await reply.body?.cancel();
  return { paymentIntentId };
}

/** Creates a ChainSecured client with its own account. */
export async function newChainSecuredClient(): Promise<ChainSecuredClient<'chain'>>;
export async function newChainSecuredClient(reads: 'indexer'): Promise<ChainSecuredClient<'indexer'>>;
export async function newChainSecuredClient(reads?: 'indexer'): Promise<ChainSecuredClient> {
  const wallet = await newWallet();
  const client =
    reads === 'indexer'
      ? createClient({ url: stack.url, wallet, indexerUrl: stack.indexerUrl })
      : createClient({ url: stack.url, wallet });
  await client.newAccount({ name: 'sdk', description: '' });
  return client;
}

/** Where the services are: `config.json` beside the page, so that the same files work with every deployment. */

import type { Address } from 'viem';
import { t } from './i18n.ts';

export type Config = {
  /** Base URLs, without a path. */
  relayerUrl: string;
  triggersUrl: string;
  /** Without it, lists of ChainSecured accounts come from the chain and have no names. */
  indexerUrl?: string;
  /** RPC node from which the page reads the account and the signer of receipts, and which it gives to a wallet with the chain. */
  rpcUrl?: string;
  /** Address of AccountConfig. With it, the page trusts no other contract, and with `rpcUrl` it verifies the addresses of new wallets. */
  contractAddress?: Address;
  /** URL of Stripe.js. Default: Stripe's own. */
  stripeJsUrl?: string;
};

/** Rejects when the file is missing or has no relayer, with a message that says what to do. */
export async function loadConfig(): Promise<Config> {
  const response = await fetch('/config.json', { cache: 'no-store' });
  const config = response.ok ? ((await response.json().catch(() => ({}))) as Partial<Config>) : {};
  const { relayerUrl, triggersUrl } = config;
  if (relayerUrl === undefined || triggersUrl === undefined)
    throw new Error(t('Put a config.json with relayerUrl and triggersUrl beside index.html.'));
  return { ...config, relayerUrl, triggersUrl };
}

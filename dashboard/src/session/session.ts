/** The account that is signed in. Its key is in memory only, unless the user asks to keep it sealed. */
import { apiKeyHash } from '@latchkey/protocol';
import { type ApiClient, type ChainSecuredClient, createClient, LatchkeyError } from '@latchkey/sdk';
import {
  type Account,
  type Address,
  type Chain,
  type Client,
  createClient as createChainClient,
  http,
  type Transport,
} from 'viem';
import type { Config } from '../config.ts';
import { t } from '../i18n.ts';

/** `name` tells accounts apart without the key. */
export type ApiSession = { mode: 'api'; name: string; accountKey: string; client: ApiClient };
export type SessionWallet = Client<Transport, Chain | undefined, Account>;
export type ChainSecuredSession = {
  mode: 'chainSecured';
  name: string;
  address: Address;
  wallet: SessionWallet;
  client: ChainSecuredClient;
};
export type Session = ApiSession | ChainSecuredSession;

/** Returns the session of an account key. Rejects any other text, with the reason. */
export async function openWithAccountKey(
  { relayerUrl, rpcUrl, contractAddress }: Config,
  text: string,
): Promise<ApiSession> {
  const accountKey = text.trim();
  const client = createClient({
    url: relayerUrl,
    apiKey: accountKey,
    ...(rpcUrl !== undefined &&
      contractAddress !== undefined && {
        publicClient: createChainClient({ transport: http(rpcUrl) }),
        contractAddress,
      }),
  });
  await client.listApiKeys({ pageSize: 1 }).catch((error: unknown) => {
    if (!(error instanceof LatchkeyError)) throw error;
    if (error.status === 403)
      throw new LatchkeyError('forbidden', t('This is a usage key.'), {
        fix: t('Sign in with the account key.'),
      });
    if (error.status === 401)
      throw new LatchkeyError('unauthorized', t('No account has this key.'), {
        fix: t('Check the key. After a conversion to ChainSecured, sign in with the admin wallet.'),
      });
    throw error;
  });
  return { mode: 'api', name: String(apiKeyHash(accountKey)), accountKey, client };
}

/** Returns the session of a connected wallet, which may not have an account yet. */
export function openWithWallet(
  { relayerUrl, indexerUrl, contractAddress }: Config,
  wallet: SessionWallet,
): ChainSecuredSession {
  const shared = { url: relayerUrl, wallet, contractAddress };
  const client: ChainSecuredClient =
    indexerUrl === undefined ? createClient(shared) : createClient({ ...shared, indexerUrl });
  const { address } = wallet.account;
  return { mode: 'chainSecured', name: address, address, wallet, client };
}

/** Opens a managed account. A repeated attempt with the same Idempotency-Key opens no other one. */
export const openManagedAccount = (
  { relayerUrl }: Config,
  account: { name: string; description: string },
  idempotencyKey: string,
): Promise<{ apiKey: string }> => createClient({ url: relayerUrl }).newAccount(account, { idempotencyKey });

/** An account of the local stack that a first program can use. */
import { createHash, randomBytes } from 'node:crypto';
import type { Address, Hex } from 'viem';
import { devAccount } from './accounts.ts';
import { StackError } from './root.ts';

export type FirstAccount = {
  accountKey: string;
  wallet: Address;
  /** Can run any action with the wallet; the account has the starter credit. */
  usageKey: string;
  /** Token of an agent of the account, for the trigger service. */
  agentToken: string;
  /** Key of an address with funds on the local chain: anvil's account 3, a public key. */
  privateKey: Hex;
};

/** Permits every action in a group. */
const ANY_ACTION = 0;

async function post(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new StackError(`${new URL(url).pathname} returned ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** Creates an account with a wallet, a group of it and any action, a usage key of the group, and an agent. */
export async function createFirstAccount(urls: {
  baseUrl: string;
  triggersUrl: string;
}): Promise<FirstAccount> {
  const call = (name: string, body: object, key?: string) =>
    post(`${urls.baseUrl}/${name}`, body, key === undefined ? {} : { 'X-Api-Key': key });
  const { api_key: accountKey = '' } = await call('new_account', {
    account_name: 'First account',
    account_description: 'Created by the local stack',
  });
  const { wallet_address: wallet } = await call('create_wallet', { name: 'First wallet' }, accountKey);
  const { group_id: group } = await call(
    'add_group',
    {
      group_name: 'Any action with the first wallet',
      group_description: '',
      pkp_ids_permitted: [wallet],
      cid_hashes_permitted: [ANY_ACTION],
    },
    accountKey,
  );
  const { usage_api_key: usageKey = '' } = await call(
    'add_usage_api_key',
    { name: 'First key', execute_in_groups: [group] },
    accountKey,
  );
  const agentToken = await pairAgent(urls.triggersUrl, accountKey);
  return {
    accountKey,
    wallet: wallet as Address,
    usageKey,
    agentToken,
    privateKey: devAccount(3).privateKey,
  };
}

/** Pairs an agent with the account, as its program and its owner do together. */
async function pairAgent(url: string, accountKey: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const { authorize_url: authorizeUrl = '' } = await post(`${url}/agent/pair`, {
    token_hash: createHash('sha256').update(token).digest('base64url'),
    label: 'first agent',
  });
  const code = new URL(authorizeUrl).searchParams.get('code');
  const { token: session } = await post(`${url}/api/login`, { account_key: accountKey });
  await post(`${url}/api/pairings/approve`, { code }, { Authorization: `Bearer ${session}` });
  await post(`${url}/agent/pair/complete`, { code }, { Authorization: `Bearer ${token}` });
  return token;
}

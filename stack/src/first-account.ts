/** An account of the local stack that a first program can use. */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { replaceFile } from '@latchkey/service/files';
import type { Address, Hex } from 'viem';
import { devAccount } from './accounts.ts';
import { readKept, StackError } from './root.ts';

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

const TIMEOUT_MS = 30_000;
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
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new StackError(`${new URL(url).pathname} returned ${response.status}: ${text}`);
  return JSON.parse(text);
}

type Urls = { baseUrl: string; triggersUrl: string };

/** Returns the account of an earlier start that is still on the chain, and otherwise creates and keeps one. */
export async function firstAccount({ dataDir, ...urls }: Urls & { dataDir: string }): Promise<FirstAccount> {
  const file = join(dataDir, 'first-account.json');
  const kept = await readKept(file, (text) => JSON.parse(text) as FirstAccount);
  if (kept !== undefined && (await exists(urls, kept))) return kept;
  const account = await create(urls);
  await replaceFile(file, JSON.stringify(account));
  return account;
}

async function exists({ baseUrl }: Urls, { accountKey }: FirstAccount): Promise<boolean> {
  const headers = { 'X-Api-Key': accountKey };
  const response = await fetch(`${baseUrl}/account_exists`, {
    headers,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return (await response.json()) === true;
}

/** Creates an account with a wallet, a group of it and any action, a usage key of the group, and an agent. */
async function create(urls: Urls): Promise<FirstAccount> {
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

/** A funded account of the local stack, for a first program. */
import type { Hex } from 'viem';
import { devAccount } from './accounts.ts';
import { StackError } from './root.ts';

export type TestKey = {
  /** A usage key that can run any action; its account has the starter credit. */
  usageApiKey: string;
  /** Key of a wallet with funds on the local chain: anvil's account 3, a public key. */
  privateKey: Hex;
};

/** Creates an account and a usage key that can run any action. */
export async function makeTestKey(baseUrl: string): Promise<TestKey> {
  const post = async (path: string, body: object, key?: string): Promise<Record<string, string>> => {
    const response = await fetch(`${baseUrl}/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(key && { 'X-Api-Key': key }) },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new StackError(`${path} returned ${response.status}: ${text}`);
    return JSON.parse(text);
  };
  const { api_key } = await post('new_account', {
    account_name: 'Test key',
    account_description: 'Created by the local stack',
  });
  const { usage_api_key = '' } = await post(
    'add_usage_api_key',
    { name: 'Test key', description: 'Can run any action', execute_in_groups: [0] },
    api_key,
  );
  return { usageApiKey: usage_api_key, privateKey: devAccount(3).privateKey };
}

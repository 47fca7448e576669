/** Accounts of the honest client and of attackers. */
import { call, newAccount } from '../client.ts';
import type { AttackerAccount } from './attacks.ts';

const RECORDED_RUNS = 200;

export type Client = AttackerAccount;

export async function openClient(baseUrl: string): Promise<Client> {
  const { key } = await newAccount(baseUrl);
  const body = { execute_in_groups: [0] };
  const { usage_api_key: runner } = await call<{ usage_api_key: string }>(`${baseUrl}/add_usage_api_key`, {
    key,
    body,
  });
  return { key, runner };
}

/** Makes runs whose records the attacker lists. */
export async function makeRuns(baseUrl: string, { runner: key }: Client): Promise<void> {
  const body = { code: 'function main() { return 1 }' };
  for (let i = 0; i < RECORDED_RUNS; i++) await call(`${baseUrl}/svc_action`, { key, body });
}

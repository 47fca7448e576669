/** `seed`: opens a demo account on a local or test chain. */
import { randomBytes } from 'node:crypto';
import { apiKeyFromBytes, apiKeyHash, cidHash, cidOf, walletIdentity } from '@latchkey/protocol';
import { toHex } from 'viem';
import { type Context, requireDeployment, send } from './context.ts';
import { type Report, simulate } from './forge.ts';
import { printCalls } from './print.ts';

const ACTION = "async function main() { return 'hello'; }";

export async function seed(context: Context): Promise<void> {
  const { network, rpcUrl } = context;
  const { address } = requireDeployment(context);
  const cid = await cidOf(ACTION);
  const usageKey = apiKeyFromBytes(randomBytes(32));
  const args = [address, network.deployer, cidHash(cid), apiKeyHash(usageKey)];
  const run = { script: 'Seed', functionName: 'run', args } as const;
  const { result: report, estimate } = await simulate<Report>(rpcUrl, run);
  console.log(`Account ${toHex(walletIdentity(network.deployer), { size: 32 })} of ${network.deployer}`);
  printCalls(report.calls, estimate);
  if (report.calls.length === 0 || !(await send(context, report.calls, run))) return;
  console.log(`  usage key ${usageKey}`);
  console.log(`  action    ${cid} (${ACTION})`);
}

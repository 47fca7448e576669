/** `payers`: replaces the api payers by the ones in the networks file, in two steps. */
import { accountConfigAbi } from '@latchkey/protocol';
import type { Address } from 'viem';
import { type Context, requireDeployment, requireNone, send } from './context.ts';
import { type Report, simulate } from './forge.ts';
import { InputError } from './inputs.ts';
import { presentOwnerCalls } from './owner.ts';
import { printCalls } from './print.ts';
import { payerDifferences } from './verify.ts';

/** The numbers of the steps in SetApiPayers.s.sol. */
const STEPS = ['add', 'remove', 'unfreeze'];

export async function payers(context: Context, step: string | undefined): Promise<void> {
  const { network, client, rpcUrl } = context;
  if (step === undefined || !STEPS.includes(step))
    throw new InputError('--step must be add, remove or unfreeze');
  const { address } = requireDeployment(context);
  const args = [address, network.deployer, STEPS.indexOf(step), network.apiPayers, network.adminApiPayer];
  const run = { script: 'SetApiPayers', functionName: 'run', args } as const;
  const { result, estimate } = await simulate<[Report, Address[], Address[]]>(rpcUrl, run);
  const [report, current, next] = result;
  console.log(`AccountConfig ${address} on ${network.name} (${network.chainId})`);
  for (const payer of new Set([...current, ...next])) {
    const change = !current.includes(payer) ? 'added' : next.includes(payer) ? 'stays' : 'removed';
    console.log(`  ${payer}  ${change}`);
  }
  printCalls(report.calls, estimate);
  const isSent = await send(context, report.calls, run);
  const owner = await client.readContract({ address, abi: accountConfigAbi, functionName: 'owner' });
  await presentOwnerCalls(context, owner, `payers-${step}`, report.ownerCalls, isSent);
  if (isSent && report.ownerCalls.length === 0) requireNone(await payerDifferences(client, address, next));
}

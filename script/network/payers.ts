/** `payers`: rotates the api payers to those of the networks file, in two steps. */
import type { Address } from 'viem';
import { type Context, recordForSafe, requireDeployment, requireNone, send } from './context.ts';
import { type Report, simulate } from './forge.ts';
import { InputError } from './inputs.ts';
import { printCalls, printOwnerCalls } from './print.ts';
import { payerDifferences } from './verify.ts';

/** The numbers of the steps in SetApiPayers.s.sol. */
const STEPS = ['add', 'remove'];

export async function payers(context: Context, step: string | undefined): Promise<void> {
  const { network, client, rpcUrl } = context;
  if (step === undefined || !STEPS.includes(step)) throw new InputError('--step must be add or remove');
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
  printOwnerCalls(report.ownerCalls, network.owner);
  if (!(await send(context, report.calls, run))) return;
  if (report.ownerCalls.length !== 0) await recordForSafe(context, `payers-${step}`, report.ownerCalls);
  else requireNone(await payerDifferences(client, address, next));
}

/** `upgrade`: creates the compiled facets and cuts the diamond to them. */
import {
  type Context,
  recordDeployment,
  recordForSafe,
  requireDeployment,
  requireNone,
  send,
} from './context.ts';
import { type Report, simulate } from './forge.ts';
import { printCalls, printCode, printCuts, printOwnerCalls } from './print.ts';
import { codeDifferences, routeDifferences } from './verify.ts';

export async function upgrade(context: Context): Promise<void> {
  const { network, client, rpcUrl } = context;
  const { address, startBlock } = requireDeployment(context);
  const run = { script: 'Upgrade', functionName: 'run', args: [address, network.deployer] } as const;
  const { result: report, estimate } = await simulate<Report>(rpcUrl, run);
  console.log(`AccountConfig ${address} on ${network.name} (${network.chainId})`);
  printCode(report);
  printCuts(report);
  printCalls(report.calls, estimate);
  printOwnerCalls(report.ownerCalls, network.owner);
  if (!(await send(context, report.calls, run))) return;
  requireNone(await codeDifferences(client, address, report));
  if (report.ownerCalls.length !== 0) {
    await recordForSafe(context, 'diamondCut', report.ownerCalls);
    console.log(`When ${network.owner} has sent the cut, run upgrade again: it records the facets`);
    return;
  }
  const { result: wanted } = await simulate<Report>(rpcUrl, {
    script: 'Deploy',
    functionName: 'expected',
    args: [network.deployer],
  });
  requireNone(await routeDifferences(client, address, wanted));
  recordDeployment(context, address, startBlock, report.codes);
  console.log('The diamond has the compiled facets');
}

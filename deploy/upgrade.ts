/** `upgrade`: creates the compiled facets and cuts the diamond to them. */
import { accountConfigAbi } from '@latchkey/protocol';
import { type Context, recordDeployment, requireDeployment, requireNone, send } from './context.ts';
import { type Report, simulate } from './forge.ts';
import { requireOpcodes } from './opcodes.ts';
import { presentOwnerCalls } from './owner.ts';
import { printCalls, printCode, printCuts } from './print.ts';
import { codeDifferences, routeDifferences, timelockSettings } from './verify.ts';

export async function upgrade(context: Context): Promise<void> {
  const { network, client, rpcUrl } = context;
  const { address, startBlock } = requireDeployment(context);
  await requireOpcodes(client);
  const run = { script: 'Upgrade', functionName: 'run', args: [address, network.deployer] } as const;
  const { result: report, estimate } = await simulate<Report>(rpcUrl, run);
  console.log(`AccountConfig ${address} on ${network.name} (${network.chainId})`);
  printCode(report);
  printCuts(report);
  printCalls(report.calls, estimate);
  const isSent = await send(context, report.calls, run);
  if (isSent) requireNone(await codeDifferences(client, address, report));
  const owner = await client.readContract({ address, abi: accountConfigAbi, functionName: 'owner' });
  await presentOwnerCalls(context, owner, 'diamondCut', report.ownerCalls, isSent);
  if (!isSent) return;
  if (report.ownerCalls.length !== 0) {
    console.log(`When ${owner} has executed the cut, run upgrade again: it records the facets`);
    return;
  }
  const { result: wanted } = await simulate<Report>(rpcUrl, {
    script: 'Deploy',
    functionName: 'expected',
    args: [network.deployer, timelockSettings(network)],
  });
  requireNone(await routeDifferences(client, address, wanted));
  recordDeployment(context, address, startBlock, report.codes);
  console.log('The diamond has the compiled facets');
}

/** `verify`: compares the chain with the wanted state. It reads the chain directly, not through forge. */
import { accountConfigAbi } from '@latchkey/protocol';
import { type Address, type Hex, keccak256, type PublicClient, toFunctionSelector, zeroAddress } from 'viem';
import { formatAbiItem } from 'viem/utils';
import { type Context, requireDeployment, requireNone } from './context.ts';
import { type Report, simulate } from './forge.ts';
import type { Network } from './inputs.ts';
import { describe, readOf, settings, wantedOf } from './settings.ts';

const signatures = new Map<string, string>(
  accountConfigAbi
    .filter((item) => item.type === 'function')
    .map((item) => [toFunctionSelector(item), formatAbiItem(item)]),
);

export async function verify(context: Context): Promise<void> {
  const { network, client, rpcUrl } = context;
  const { address } = requireDeployment(context);
  const { result: wanted } = await simulate<Report>(rpcUrl, {
    script: 'Deploy',
    functionName: 'expected',
    args: [network.deployer, timelockSettings(network)],
  });
  const differences = await codeDifferences(client, address, wanted);
  if (await client.getCode({ address }))
    differences.push(
      ...(await routeDifferences(client, address, wanted)),
      ...(await settingDifferences(client, address, network, wantedOwner(network, wanted), {
        mayBePending: false,
      })),
    );
  requireNone(differences);
  console.log(`AccountConfig ${address} on ${network.name} (${network.chainId}) is as wanted`);
}

/** The timelock in the form of Deploy.s.sol. */
export function timelockSettings({ timelock }: Network): object {
  const { minDelaySec = 0, proposers = [], executors = [] } = timelock ?? {};
  return { minDelay: BigInt(minDelaySec), proposers, executors };
}

/** Returns the address that gets the ownership. */
export function wantedOwner(network: Network, { codes }: Pick<Report, 'codes'>): Address {
  return codes.find(({ name }) => name === 'Timelock')?.deployed ?? network.owner;
}

/** Returns the selector with its function in the interface. */
export function describeSelector(selector: Hex): string {
  return `${selector} ${signatures.get(selector) ?? '(not in the interface)'}`;
}

/** Differences in the code of the contracts, one sentence each. */
export async function codeDifferences(
  client: PublicClient,
  diamond: Address,
  { codes }: Pick<Report, 'codes'>,
): Promise<string[]> {
  const differences: string[] = [];
  for (const { name, deployed, codeHash } of codes) {
    const address = name === 'AccountConfig' ? diamond : deployed;
    const code = await client.getCode({ address });
    if (!code) differences.push(`${name}: there is no code at ${address}`);
    else if (keccak256(code) !== codeHash)
      differences.push(`${name}: the code at ${address} has hash ${keccak256(code)}, not ${codeHash}`);
  }
  return differences;
}

/** Differences in the routes of the diamond and of these additions, one sentence each. */
export async function routeDifferences(
  client: PublicClient,
  diamond: Address,
  { cuts }: Pick<Report, 'cuts'>,
): Promise<string[]> {
  const differences: string[] = [];
  const facets = await client.readContract({
    address: diamond,
    abi: accountConfigAbi,
    functionName: 'facets',
  });
  const routes = new Map(
    facets.flatMap(({ facetAddress, functionSelectors }) =>
      functionSelectors.map((selector): [Hex, Address] => [selector, facetAddress]),
    ),
  );
  for (const { facetAddress, functionSelectors } of cuts) {
    for (const selector of functionSelectors) {
      const route = routes.get(selector);
      routes.delete(selector);
      if (route !== facetAddress)
        differences.push(
          `${describeSelector(selector)}: goes to ${route ?? 'no facet'}, not to ${facetAddress}`,
        );
    }
  }
  for (const [selector, facet] of routes)
    differences.push(`${describeSelector(selector)}: goes to ${facet}, but no compiled facet has it`);
  return differences;
}

/**
 * Differences in owner, payers, the settings of one value and node configuration, one sentence each.
 * @param wantedOwner The owner once the ownership is accepted.
 * @param mayBePending True when the owner may not have accepted the ownership yet.
 */
export async function settingDifferences(
  client: PublicClient,
  diamond: Address,
  network: Network,
  wantedOwner: Address,
  { mayBePending }: { mayBePending: boolean },
): Promise<string[]> {
  const contract = { address: diamond, abi: accountConfigAbi } as const;
  const differences: string[] = [];
  const compare = (name: string, found: string, wanted: string) => {
    if (found !== wanted) differences.push(`${name}: is ${found || 'empty'}, not ${wanted || 'empty'}`);
  };
  const owner = await client.readContract({ ...contract, functionName: 'owner' });
  const pendingOwner = await client.readContract({ ...contract, functionName: 'pendingOwner' });
  const isOffered = owner === network.deployer && pendingOwner === wantedOwner;
  if (!isOffered) {
    compare('owner', owner, wantedOwner);
    compare('pendingOwner', pendingOwner, zeroAddress);
  } else if (!mayBePending)
    differences.push(`owner: is ${owner}; ${pendingOwner} has not accepted the ownership`);
  differences.push(...(await payerDifferences(client, diamond, network.apiPayers)));
  if (await client.readContract({ ...contract, functionName: 'payersFrozen' }))
    differences.push('apiPayers: are frozen, so that they write nothing');
  const admin = await client.readContract({ ...contract, functionName: 'adminApiPayerAccount' });
  compare('adminApiPayer', admin, network.adminApiPayer);
  for (const setting of settings) {
    const { data = '0x' } = await client.call({ to: diamond, data: readOf(setting) });
    compare(setting.name, describe(setting, data), describe(setting, wantedOf(setting, network)));
  }
  for (const [key, wanted] of Object.entries(network.nodeConfiguration)) {
    const found = await client.readContract({
      ...contract,
      functionName: 'nodeConfigurationValue',
      args: [key],
    });
    compare(`nodeConfiguration.${key}`, found, wanted);
  }
  return differences;
}

export async function payerDifferences(
  client: PublicClient,
  diamond: Address,
  wanted: readonly Address[],
): Promise<string[]> {
  const found = await client.readContract({
    address: diamond,
    abi: accountConfigAbi,
    functionName: 'api_payers',
  });
  return [
    ...wanted.filter((payer) => !found.includes(payer)).map((payer) => `apiPayers: ${payer} is missing`),
    ...found.filter((payer) => !wanted.includes(payer)).map((payer) => `apiPayers: ${payer} is one`),
  ];
}

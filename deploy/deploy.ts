/** `deploy`: creates the diamond, applies its settings, and offers the ownership to its owner. */
import { accountConfigAbi } from '@latchkey/protocol';
import { type Address, encodeFunctionData, keccak256, type PublicClient, parseAbi } from 'viem';
import {
  type Context,
  deploymentFile,
  readDeployment,
  recordDeployment,
  requireNone,
  send,
} from './context.ts';
import { type Call, type Report, simulate } from './forge.ts';
import { InputError, type Network } from './inputs.ts';
import { requireOpcodes } from './opcodes.ts';
import { presentOwnerCalls } from './owner.ts';
import { printCalls, printCode, printCuts } from './print.ts';
import { settings, valuesOf } from './settings.ts';
import { unlessMissing } from './unless-missing.ts';
import {
  codeDifferences,
  routeDifferences,
  settingDifferences,
  timelockSettings,
  wantedOwner,
} from './verify.ts';

/** The deterministic deployment proxy and the hash of its code. */
export const FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const FACTORY_CODE_HASH = '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989';

export async function deploy(context: Context): Promise<void> {
  const { network, client, rpcUrl, key, ownerKey } = context;
  await requireOpcodes(client);
  await requireFactory(client);
  // A dry run on a test network needs no key of the owner.
  const isKnown = network.isTestnet && (key === undefined || ownerKey !== undefined);
  if (network.owner !== network.deployer && !isKnown) await requireSafe(client, network.owner);
  const from = await client.getBlockNumber();
  const run = { script: 'Deploy', functionName: 'execute', args: [toInputs(network)] } as const;
  const { result: report, estimate } = await simulate<Report>(rpcUrl, run);
  const { diamond } = report;
  const recorded = readDeployment(context);
  if (recorded && recorded.address !== diamond && (await client.getCode({ address: recorded.address })))
    throw new InputError(
      `${deploymentFile(context)} names ${recorded.address}, a deployment of other code or of another deployer: ` +
        'use upgrade, or move the file away to deploy a second contract',
    );
  const owner = wantedOwner(network, report);
  printSettings(network, diamond, owner);
  printCode(report);
  printCuts(report);
  printCalls(report.calls, estimate);
  const acceptance = await planAcceptance(client, diamond, network, owner);
  if (!(await send(context, report.calls, run))) {
    if (network.timelock && !(await client.getCode({ address: owner })))
      console.log('The timelock accepts the ownership by an operation that is planned when it exists');
    else await presentOwnerCalls(context, owner, 'acceptOwnership', acceptance, false);
    return;
  }
  requireNone([
    ...(await codeDifferences(client, diamond, report)),
    ...(await routeDifferences(client, diamond, report)),
    ...(await settingDifferences(client, diamond, network, owner, { mayBePending: true })),
  ]);
  const existed = report.codes.some(({ deployed, exists }) => deployed === diamond && exists);
  const startBlock =
    recorded?.address === diamond
      ? recorded.startBlock
      : Number(await creationBlock(client, diamond, existed ? 0n : from));
  recordDeployment(context, diamond, startBlock, report.codes);
  await presentOwnerCalls(context, owner, 'acceptOwnership', acceptance, true);
  const remaining = await planAcceptance(client, diamond, network, owner);
  console.log(
    remaining.length === 0
      ? 'The deployment is complete'
      : `The deployment is complete when ${owner} has accepted the ownership`,
  );
}

function printSettings(network: Network, diamond: Address, owner: Address): void {
  console.log(`AccountConfig ${diamond} on ${network.name} (${network.chainId})`);
  console.log(`  deployer  ${network.deployer}`);
  console.log(`  owner     ${owner}`);
  if (network.timelock) {
    const { minDelaySec, proposers, executors } = network.timelock;
    console.log(`    timelock of ${minDelaySec} seconds`);
    console.log(`    proposers ${proposers.join(' ')}`);
    console.log(`    executors ${executors.join(' ')}`);
  }
  console.log(`  payers    ${network.apiPayers.join(' ')}`);
  console.log(`  admin     ${network.adminApiPayer}`);
  for (const { name } of settings) console.log(`  ${name.padEnd(9)} ${network[name] ?? 'none'}`);
  if (network.explorer) console.log(`  ${network.explorer}/address/${diamond}`);
}

/** The inputs in the form of Deploy.s.sol. */
function toInputs(network: Network): object {
  const { deployer, owner, apiPayers, adminApiPayer } = network;
  return {
    deployer,
    settings: { owner, apiPayers, adminApiPayer },
    timelock: timelockSettings(network),
    values: valuesOf(network),
    nodeConfiguration: Object.entries(network.nodeConfiguration).map(([key, value]) => ({ key, value })),
  };
}

async function requireFactory(client: PublicClient): Promise<void> {
  const code = await client.getCode({ address: FACTORY });
  if (!code || keccak256(code) !== FACTORY_CODE_HASH)
    throw new InputError(
      `The chain has no deterministic deployment proxy at ${FACTORY}: ask its operator to deploy it, or use another chain`,
    );
}

/** Throws unless the owner is a Safe on this chain: no one could accept an ownership that is offered to a wrong address. */
async function requireSafe(client: PublicClient, address: Address): Promise<void> {
  const abi = parseAbi(['function getThreshold() view returns (uint256)']);
  const threshold = await unlessMissing(client.readContract({ address, abi, functionName: 'getThreshold' }));
  if (!threshold)
    throw new InputError(
      `The owner ${address} is not a Safe on this chain: if it is the address of one key, on a test network, set OWNER_KEY`,
    );
}

/** Returns the transaction by which the owner accepts the ownership, none when it has accepted. */
async function planAcceptance(
  client: PublicClient,
  diamond: Address,
  network: Network,
  wanted: Address,
): Promise<Call[]> {
  const contract = { address: diamond, abi: accountConfigAbi } as const;
  const owner = (await client.getCode({ address: diamond }))
    ? await client.readContract({ ...contract, functionName: 'owner' })
    : network.deployer;
  if (owner === wanted) return [];
  const data = encodeFunctionData({ abi: accountConfigAbi, functionName: 'acceptOwnership' });
  return [{ what: 'acceptOwnership', to: diamond, data }];
}

/** Returns the block that created a contract, which had no code in block `before`. */
async function creationBlock(client: PublicClient, address: Address, before: bigint): Promise<bigint> {
  let [without, since] = [before, await client.getBlockNumber()];
  while (since - without > 1n) {
    const blockNumber = (without + since) / 2n;
    const code = await client.getCode({ address, blockNumber }).catch((cause) => {
      throw new InputError(`The node has no state of block ${blockNumber}: use an archive node`, { cause });
    });
    if (code) since = blockNumber;
    else without = blockNumber;
  }
  return since;
}

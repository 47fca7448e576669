/**
 * The transactions of the owner. A Safe that owns the contract sends them itself. A timelock gets them from the Safe in
 * two transactions, one that schedules them and one that executes them after the delay. With OWNER_KEY the commands send
 * what is due in place of a Safe.
 */
import {
  type Address,
  encodeFunctionData,
  type Hex,
  numberToHex,
  type PublicClient,
  parseAbi,
  zeroHash,
} from 'viem';
import { type Context, recordForSafe, sendAsOwner } from './context.ts';
import type { Call } from './forge.ts';
import { printOwnerCalls } from './print.ts';
import { unlessMissing } from './unless-missing.ts';

const timelockAbi = parseAbi([
  'function getMinDelay() view returns (uint256)',
  'function getTimestamp(bytes32 id) view returns (uint256)',
  'function hashOperationBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor, bytes32 salt) view returns (bytes32)',
  'function scheduleBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor, bytes32 salt, uint256 delay)',
  'function executeBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor, bytes32 salt)',
]);

/** The timestamp of an executed operation; one that was never scheduled has 0. */
const DONE = 1n;

/** Transactions that the Safe sends together. `isDue`: they would succeed now. */
type Step = { name: string; calls: readonly Call[]; isDue: boolean };

/** Returns the delay of a timelock in seconds, undefined when the address is not a timelock. */
async function readMinDelay(client: PublicClient, address: Address): Promise<bigint | undefined> {
  if (!(await client.getCode({ address }))) return undefined;
  return unlessMissing(client.readContract({ address, abi: timelockAbi, functionName: 'getMinDelay' }));
}

/** Prints the calls of the owner on the chain and, when `isRecorded`, writes their files for the Safe or sends what is due. */
export async function presentOwnerCalls(
  context: Context,
  owner: Address,
  name: string,
  calls: readonly Call[],
  isRecorded: boolean,
): Promise<void> {
  if (calls.length === 0) return;
  const minDelay = await readMinDelay(context.client, owner);
  const steps =
    minDelay === undefined
      ? [{ name, calls, isDue: true }]
      : await plan(context, owner, minDelay, name, calls);
  for (const step of steps) {
    printOwnerCalls(step.calls, context.network.owner);
    if (!isRecorded) continue;
    if (context.ownerKey === undefined) await recordForSafe(context, step.name, step.calls);
    else if (step.isDue) await sendAsOwner(context, context.ownerKey, step.calls);
    else console.log('Run the command again after the delay');
  }
}

/** Returns the steps of an operation of the timelock, and prints its state. */
async function plan(
  { client }: Context,
  timelock: Address,
  minDelay: bigint,
  name: string,
  calls: readonly Call[],
): Promise<Step[]> {
  const what = calls.map((call) => call.what).join(', ');
  console.log(`\nThe owner is the timelock ${timelock} with a delay of ${minDelay} seconds: ${what}`);
  const { args, timestamp, id } = await findOperation(client, timelock, calls);
  console.log(`  operation ${id}, ${describeState(timestamp)}`);
  const schedule = encodeFunctionData({
    abi: timelockAbi,
    functionName: 'scheduleBatch',
    args: [...args, minDelay],
  });
  const execute = encodeFunctionData({ abi: timelockAbi, functionName: 'executeBatch', args });
  const isDue = timestamp !== 0n && timestamp <= (await client.getBlock()).timestamp;
  const last = [{ what: `execute ${what}`, to: timelock, data: execute }];
  const steps = [{ name: `${name}-execute`, calls: last, isDue }];
  // A scheduled operation cannot be scheduled again.
  if (timestamp !== 0n) return steps;
  const first = [{ what: `schedule ${what}`, to: timelock, data: schedule }];
  return [{ name: `${name}-schedule`, calls: first, isDue: true }, ...steps];
}

/**
 * Finds the operation of these calls that is not executed yet. Its salt is the number of executed ones, so that equal
 * calls can be sent again later, and a repeated command finds the operation that it has planned before.
 */
async function findOperation(client: PublicClient, timelock: Address, calls: readonly Call[]) {
  const contract = { address: timelock, abi: timelockAbi } as const;
  for (let executed = 0n; ; executed++) {
    const args = [
      calls.map(({ to }) => to),
      calls.map(() => 0n),
      calls.map(({ data }): Hex => data),
      zeroHash,
      numberToHex(executed, { size: 32 }),
    ] as const;
    const id = await client.readContract({ ...contract, functionName: 'hashOperationBatch', args });
    const timestamp = await client.readContract({ ...contract, functionName: 'getTimestamp', args: [id] });
    if (timestamp !== DONE) return { args, id, timestamp };
  }
}

function describeState(timestamp: bigint): string {
  if (timestamp === 0n) return 'not scheduled';
  return `scheduled, can be executed from ${new Date(Number(timestamp) * 1000).toISOString()}`;
}

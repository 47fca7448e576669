/** Runs the commands of docs/deployment.md on a local chain with the id of Base Sepolia and a timelock as the owner. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountConfigAbi, TIMELOCK_CODE_HASHES } from '@latchkey/protocol';
import { devAccount } from '@latchkey/stack';
import { type Address, encodeFunctionData, type Hex, keccak256, toFunctionSelector, zeroAddress } from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  deployer,
  execute,
  read,
  safe,
  sendAs,
  startTestChain,
  stranger,
  type TestChain,
  WorkingDirectory,
} from './test-chain.ts';

/** Each test runs up to eight commands, a second each on an idle machine. */
vi.setConfig({ testTimeout: 600_000 });

const DELAY_SEC = 172_800;
/** The error of an operation that cannot be executed yet. */
const NOT_READY = toFunctionSelector('TimelockUnexpectedOperationState(bytes32,bytes32)');
const [stolenPayer, keptPayer, newPayer] = [6, 7, 8].map((index) => devAccount(index).address) as [
  Address,
  Address,
  Address,
];
const guardian = devAccount(9);

const directory = new WorkingDirectory(mkdtempSync(join(tmpdir(), 'latchkey-timelock-')));
const network = {
  name: 'base-sepolia',
  deployer: deployer.address,
  owner: safe,
  timelock: { minDelaySec: DELAY_SEC, proposers: [safe], executors: [safe] },
  guardian: guardian.address,
  conversionLimit: 3,
  consentRequired: true,
  apiPayers: [stolenPayer, keptPayer],
  adminApiPayer: stolenPayer,
  configOperator: null,
  pricingOperator: null,
  nodeConfiguration: {},
  confirmations: 1,
  explorer: null,
};
let chain: TestChain;
let diamond: Address;
let timelock: Address;

beforeAll(async () => {
  directory.writeNetworks({ '84532': network });
  chain = await startTestChain(84_532);
});

afterAll(async () => {
  await chain?.[Symbol.asyncDispose]();
  directory.remove();
});

const run = (command: string, options = '') =>
  directory.run(`${command} -- --network base-sepolia${options}`, chain);

/** The Safe sends the transactions of a file. */
async function executeFile(name: string): Promise<void> {
  const { transactions } = directory.readJson(`84532.safe.${name}.json`) as {
    transactions: { to: Address; data: Hex }[];
  };
  for (const { to, data } of transactions) {
    expect(to).toBe(timelock);
    await execute(chain, to, data);
  }
}

async function passTime(seconds: number): Promise<void> {
  await chain.client.increaseTime({ seconds });
  await chain.client.mine({ blocks: 1 });
}

/** The Safe schedules an operation, cannot execute it before the delay, and executes it after the delay. */
async function executeOperation(name: string): Promise<void> {
  await executeFile(`${name}-schedule`);
  await passTime(DELAY_SEC - 60);
  await expect(executeFile(`${name}-execute`)).rejects.toThrow(NOT_READY);
  await passTime(60);
  await executeFile(`${name}-execute`);
}

function freeze() {
  const { client } = chain;
  const call = { address: diamond, abi: accountConfigAbi, functionName: 'freezePayers' } as const;
  return sendAs(client, guardian, (account) => client.writeContract({ ...call, account, chain: null }));
}

test('a dry run prints the timelock', async () => {
  const { code, output } = await run('deploy');
  expect(output).toContain(
    `timelock of ${DELAY_SEC} seconds\n    proposers ${safe}\n    executors ${safe}\n`,
  );
  expect(output).toContain(`guardian  ${guardian.address}`);
  expect(output).toContain('by an operation that is planned when it exists');
  expect(code).toBe(0);
  timelock = /^ {2}owner {5}(0x\w{40})$/m.exec(output)?.[1] as Address;
  expect(output).toContain(`create Timelock at ${timelock}`);
  expect(await chain.client.getCode({ address: timelock })).toBeUndefined();
});

test('the timelock accepts the ownership after the delay', async () => {
  const deployed = await run('deploy', ' --broadcast');
  expect(deployed.output).toContain(`is complete when ${timelock} has accepted the ownership`);
  expect(deployed.code).toBe(0);
  const { address, facets } = directory.readJson('84532.json');
  diamond = address;
  expect(Object.keys(facets)).not.toContain('Timelock');
  expect(await read(chain, diamond, 'pendingOwner')).toBe(timelock);
  expect((await run('verify')).output).toContain(`${timelock} has not accepted the ownership`);

  await executeOperation('acceptOwnership');
  expect(await read(chain, diamond, 'owner')).toBe(timelock);
  // Key nodes know a timelock by its code.
  expect(TIMELOCK_CODE_HASHES).toContain(
    keccak256((await chain.client.getCode({ address: timelock })) ?? '0x'),
  );
  expect((await run('verify')).output).toContain('is as wanted');
  const again = await run('deploy', ' --broadcast');
  expect(again.output).toContain('The deployment is complete\n');
});

test('a repeated command plans the scheduled operation, and later an equal one', async () => {
  await freeze();
  const operation = async () => {
    const { output } = await run('payers', ' --step unfreeze --broadcast');
    return { id: /operation (0x\w{64})/.exec(output)?.[1], output };
  };
  const first = await operation();
  expect(first.output).toContain(
    `The owner is the timelock ${timelock} with a delay of ${DELAY_SEC} seconds`,
  );
  expect(first.output).toContain('not scheduled');
  await executeFile('payers-unfreeze-schedule');
  const second = await operation();
  expect(second.id).toBe(first.id);
  expect(second.output).toMatch(/scheduled, can be executed from \d{4}-/);
  expect(second.output).not.toContain(': schedule ');
  await passTime(DELAY_SEC);
  await executeFile('payers-unfreeze-execute');
  expect((await run('payers', ' --step unfreeze')).output).toContain('Nothing to send');

  await freeze();
  const third = await operation();
  expect(third.id).not.toBe(first.id);
  await executeOperation('payers-unfreeze');
});

test('after a freeze one operation replaces a stolen payer and unfreezes', async () => {
  await freeze();
  directory.writeNetworks({
    '84532': { ...network, apiPayers: [keptPayer, newPayer], adminApiPayer: newPayer },
  });
  const { output } = await run('payers', ' --step unfreeze --broadcast');
  expect(output).toContain(`${stolenPayer}  removed`);
  expect(output).toContain('setAdminApiPayerAccount, setApiPayers, unfreezePayers');
  await executeOperation('payers-unfreeze');
  expect(await read(chain, diamond, 'api_payers')).toEqual([keptPayer, newPayer]);
  const frozen = { address: diamond, abi: accountConfigAbi, functionName: 'payersFrozen' } as const;
  expect(await chain.client.readContract(frozen)).toBe(false);
  expect((await run('verify')).code).toBe(0);
});

test('a cut is scheduled and executed', async () => {
  const { client } = chain;
  const selector = toFunctionSelector('getPricing(uint256)');
  const args = [
    [{ facetAddress: zeroAddress, action: 2, functionSelectors: [selector] }],
    zeroAddress,
    '0x',
  ] as const;
  // An older diamond: a function is missing.
  await client.impersonateAccount({ address: timelock });
  await client.setBalance({ address: timelock, value: 10n ** 18n });
  await client.sendTransaction({
    account: timelock,
    chain: null,
    to: diamond,
    data: encodeFunctionData({ abi: accountConfigAbi, functionName: 'diamondCut', args }),
  });
  await client.stopImpersonatingAccount({ address: timelock });

  const dry = await run('upgrade');
  expect(dry.output).toContain(`The owner is the timelock ${timelock}`);
  expect(dry.output).toContain(`Transaction of ${safe}: schedule diamondCut\n  to   ${timelock}\n`);
  expect(dry.output).toContain(`Transaction of ${safe}: execute diamondCut\n  to   ${timelock}\n`);
  expect(directory.files().filter((name) => name.includes('diamondCut'))).toEqual([]);

  const sent = await run('upgrade', ' --broadcast');
  expect(sent.output).toContain(`When ${timelock} has executed the cut, run upgrade again`);
  await executeOperation('diamondCut');
  const done = await run('upgrade', ' --broadcast');
  expect(done.output).toContain('The diamond has the compiled facets');
  expect((await run('verify')).code).toBe(0);
});

test('verify reports another owner and guardian', async () => {
  directory.writeNetworks({
    '84532': {
      ...network,
      timelock: { ...network.timelock, minDelaySec: 60 },
      guardian: stranger.address,
      apiPayers: [keptPayer, newPayer],
      adminApiPayer: newPayer,
    },
  });
  const { code, output } = await run('verify');
  expect(output).toMatch(/Timelock: there is no code at 0x\w{40}/);
  expect(output).toMatch(new RegExp(`owner: is ${timelock}, not 0x\\w{40}`));
  expect(output).toContain(`guardian: is ${guardian.address}, not ${stranger.address}`);
  expect(code).toBe(1);
});

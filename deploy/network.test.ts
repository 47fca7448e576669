/** Runs the commands of docs/deployment.md on local chains with the ids of Base and Base Sepolia. */
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountConfigAbi } from '@latchkey/protocol';
import { devAccount } from '@latchkey/stack';
import {
  type Address,
  encodeFunctionData,
  type Hex,
  maxUint256,
  toFunctionSelector,
  zeroAddress,
} from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FACTORY } from './deploy.ts';
import { root } from './forge.ts';
import {
  artifact,
  deployer,
  execute,
  ranCommands,
  read,
  safe,
  sendAs,
  startTestChain,
  stranger,
  type TestChain,
  until,
  WorkingDirectory,
} from './test-chain.ts';

/** A test runs up to ten commands, a second each on an idle machine. */
vi.setConfig({ testTimeout: 600_000 });

const [oldPayer, keptPayer, newPayer, operator] = [6, 7, 8, 9].map((index) => devAccount(index).address) as [
  Address,
  Address,
  Address,
  Address,
];

const FACETS = readdirSync(join(root, 'contracts/facets')).filter((name) => name.endsWith('.sol')).length;

const directory = new WorkingDirectory(mkdtempSync(join(tmpdir(), 'latchkey-network-')));
const network = {
  deployer: deployer.address,
  owner: safe,
  timelock: null,
  guardian: safe,
  conversionLimit: 7,
  consentRequired: true,
  apiPayers: [oldPayer, keptPayer],
  adminApiPayer: oldPayer,
  configOperator: operator,
  pricingOperator: null,
  nodeConfiguration: { region: 'north' },
  confirmations: 1,
  explorer: 'https://explorer.example',
};
const rotated = { ...network, apiPayers: [keptPayer, newPayer], adminApiPayer: newPayer };
let base: TestChain;
let sepolia: TestChain;
/** Equal on both chains. */
let diamond: Address;

function writeNetworks(settings: object): void {
  const { 31337: local } = JSON.parse(readFileSync(join(root, 'deploy/networks.json'), 'utf8'));
  directory.writeNetworks({
    '31337': local,
    '8453': { name: 'base', ...settings },
    '84532': { name: 'base-sepolia', ...settings },
  });
}

beforeAll(async () => {
  writeNetworks(network);
  [base, sepolia] = await Promise.all([startTestChain(8453), startTestChain(84_532)]);
});

afterAll(async () => {
  await Promise.all([base, sepolia].map((chain) => chain?.[Symbol.asyncDispose]()));
  directory.remove();
});

const blockNumber = ({ client }: TestChain) => client.getBlockNumber();
const pending = async ({ client }: TestChain) => (await client.getTxpoolStatus()).pending;
const safeTransactions = (name: string): { to: Address; data: Hex }[] =>
  directory.readJson(name).transactions;

async function executeFile(chain: TestChain, name: string): Promise<void> {
  for (const { to, data } of safeTransactions(name)) await execute(chain, to, data);
}

/** Returns the transactions to the factory in the order of the chain. */
async function creations({ client }: TestChain): Promise<Hex[]> {
  const found: Hex[] = [];
  for (let number = 0n; number <= (await client.getBlockNumber()); number++) {
    const { transactions } = await client.getBlock({ blockNumber: number, includeTransactions: true });
    for (const { to, input } of transactions)
      if (to?.toLowerCase() === FACTORY.toLowerCase()) found.push(input);
  }
  return found;
}

async function cut(chain: TestChain, facetAddress: Address, action: number, functionSelectors: Hex[]) {
  const args = [[{ facetAddress, action, functionSelectors }], zeroAddress, '0x'] as const;
  await execute(
    chain,
    diamond,
    encodeFunctionData({ abi: accountConfigAbi, functionName: 'diamondCut', args }),
  );
}

test('a dry run prints the plan and sends nothing', async () => {
  const before = await blockNumber(sepolia);
  const { code, output } = await directory.run('deploy -- --network base-sepolia', sepolia, {
    DEPLOYER_KEY: '',
  });
  expect(output).toContain('Dry run: nothing was sent');
  expect(code).toBe(0);
  expect(await blockNumber(sepolia)).toBe(before);
  expect(await pending(sepolia)).toBe(0);
  expect(directory.files()).toEqual([]);
  diamond = /AccountConfig (0x\w{40}) on base-sepolia \(84532\)/.exec(output)?.[1] as Address;
  for (const address of [deployer.address, safe, oldPayer, keptPayer, operator])
    expect(output).toContain(address);
  expect(output).toContain(`https://explorer.example/address/${diamond}`);
  expect(output.match(/0x\w{40} {2}to be created\n +\d+ bytes, code hash 0x\w{64}/g)).toHaveLength(
    FACETS + 1,
  );
  expect(output.match(/^Cut: Add \w+Facet 0x\w{40}$/gm)).toHaveLength(FACETS);
  const functions = accountConfigAbi.filter((item) => item.type === 'function');
  expect(output.match(/^ {2}0x\w{8} \w+\(.*\)$/gm)).toHaveLength(functions.length);
  for (const item of functions) expect(output).toContain(`  ${toFunctionSelector(item)} ${item.name}(`);
  for (const what of [
    'create WritesFacet',
    'create AccountConfig',
    'setApiPayers',
    'setNodeConfiguration region',
  ])
    expect(output).toMatch(new RegExp(`^ +\\d+\\. +\\d{5,}  ${what}`, 'm'));
  expect(output).toMatch(/total \d{8} gas, 0\.\d+ ETH/);
  expect(output).toContain(`acceptOwnership\n  to   ${diamond}\n  data 0x79ba5097`);
});

test('the next run completes a run that was killed after the first facet', async () => {
  const { client } = sepolia;
  await client.setAutomine(false);
  const killed = directory.start('deploy -- --network base-sepolia --broadcast', sepolia.url);
  await until('the first facet is sent', async () => (await pending(sepolia)) === 1);
  await client.mine({ blocks: 1 });
  await until('the second facet is sent', async () => (await pending(sepolia)) === 1);
  killed.killAll();
  expect((await killed.ended).code).toBe(null);
  expect(await creations(sepolia)).toHaveLength(1);
  expect(directory.files()).toEqual([]);

  const early = await directory.run('deploy -- --network base-sepolia --broadcast', sepolia);
  expect(early.output).toContain(`1 transactions of ${deployer.address} are pending`);
  expect(early.code).toBe(1);

  // The second facet was never mined: the transaction is lost.
  await client.dropTransaction({
    hash: (await client.getBlock({ blockTag: 'pending', includeTransactions: false })).transactions[0] as Hex,
  });
  await client.setAutomine(true);
  const next = await directory.run('deploy -- --network base-sepolia --broadcast', sepolia);
  expect(next.output).toContain(`Sent and confirmed: ${FACETS + 8}`);
  expect(next.output).toContain(`is complete when ${safe} has accepted`);
  expect(next.code).toBe(0);
  expect(await creations(sepolia)).toHaveLength(FACETS + 1);

  const { startBlock, ...deployment } = directory.readJson('84532.json');
  expect(deployment).toMatchObject({ chainId: 84_532, address: diamond });
  expect(Object.values(deployment.facets).sort()).toEqual(
    (await read(sepolia, diamond, 'facetAddresses')).toSorted(),
  );
  expect(await client.getCode({ address: diamond, blockNumber: BigInt(startBlock) })).toBeDefined();
  expect(await client.getCode({ address: diamond, blockNumber: BigInt(startBlock - 1) })).toBeUndefined();
});

test('a finished deployment stays unchanged', async () => {
  const before = await blockNumber(sepolia);
  const files = directory.files().map((name) => statSync(join(directory.deployments, name)).mtimeMs);
  const { code, output } = await directory.run('deploy -- --network base-sepolia --broadcast', sepolia);
  expect(output).toContain('Nothing to send');
  expect(output).not.toContain('84532.json');
  expect(code).toBe(0);
  expect(await blockNumber(sepolia)).toBe(before);
  expect(statSync(join(directory.deployments, '84532.json')).mtimeMs).toBe(files[0]);
});

test('refuses a second contract beside the recorded one', async () => {
  writeNetworks({ ...network, deployer: stranger.address });
  const { code, output } = await directory.run('deploy -- --network base-sepolia', sepolia);
  writeNetworks(network);
  expect(output).toContain(`names ${diamond}, a deployment of other code or of another deployer`);
  expect(code).toBe(1);
});

test('the Safe accepts the ownership with the written file', async () => {
  const before = await directory.run('verify -- --network base-sepolia', sepolia);
  expect(before.output).toContain(`owner: is ${deployer.address}; ${safe} has not accepted the ownership`);
  expect(before.code).toBe(1);

  expect(directory.readJson('84532.safe.acceptOwnership.json')).toMatchObject({
    chainId: '84532',
    meta: { createdFromSafeAddress: safe },
    transactions: [{ to: diamond, value: '0', data: '0x79ba5097' }],
  });
  await executeFile(sepolia, '84532.safe.acceptOwnership.json');
  expect(await read(sepolia, diamond, 'owner')).toBe(safe);

  const after = await directory.run('verify -- --network base-sepolia', sepolia);
  expect(after.output).toContain(`AccountConfig ${diamond} on base-sepolia (84532) is as wanted`);
  expect(after.code).toBe(0);
  const again = await directory.run('deploy -- --network base-sepolia --broadcast', sepolia);
  expect(again.output).toContain('The deployment is complete\n');
});

test('on Base a stranger creates the contracts first, and the deployment is the same', async () => {
  for (const data of await creations(sepolia))
    await sendAs(base.client, stranger, (account) =>
      base.client.sendTransaction({ account, chain: null, to: FACTORY, data }),
    );
  const created = await blockNumber(base);
  expect(await read(base, diamond, 'owner')).toBe(deployer.address);
  expect(await read(base, diamond, 'api_payers')).toEqual([]);

  const dry = await directory.run('deploy -- --network base', base);
  expect(dry.output).toContain(`AccountConfig ${diamond} on base (8453)`);
  expect(dry.output.match(/0x\w{40} {2}exists/g)).toHaveLength(FACETS + 1);
  expect(await blockNumber(base)).toBe(created);

  // One block per transaction, and two more.
  writeNetworks({ ...network, confirmations: 3 });
  const started = directory.start('deploy -- --network base --broadcast', base.url);
  await until('the command waits for confirmations', async () =>
    started.output().includes('Waiting for 3 confirmations'),
  );
  expect(await blockNumber(base)).toBe(created + 8n);
  const minedAtMs = Date.now();
  expect(directory.files()).not.toContain('8453.json');
  await base.client.mine({ blocks: 2 });
  const { code, output } = await started.ended;
  expect(statSync(join(directory.deployments, '8453.json')).mtimeMs).toBeGreaterThanOrEqual(minedAtMs);
  expect(output).toContain('Sent and confirmed: 8');
  expect(code).toBe(0);
  expect(directory.readJson('8453.json')).toEqual({
    ...directory.readJson('84532.json'),
    chainId: 8453,
    startBlock: Number(created),
  });
  expect(await read(base, diamond, 'pendingOwner')).toBe(safe);
});

test('the Safe rotates the api payers, and the deployer does while it owns', {
  timeout: 600_000,
}, async () => {
  writeNetworks(rotated);
  const onBase = (async () => {
    for (const step of ['add', 'remove']) {
      const { code, output } = await directory.run(
        `payers -- --network base --step ${step} --broadcast`,
        base,
      );
      expect(output).toContain('Sent and confirmed');
      expect(code).toBe(0);
    }
  })();
  const early = await directory.run('payers -- --network base-sepolia --step remove', sepolia);
  expect(early.output).toContain(`NotAddedYet(${newPayer})`);
  expect(early.code).toBe(1);

  const dry = await directory.run('payers -- --network base-sepolia --step add', sepolia);
  for (const line of [`${oldPayer}  stays`, `${keptPayer}  stays`, `${newPayer}  added`])
    expect(dry.output).toContain(line);
  expect(directory.files()).not.toContain('84532.safe.payers-add.json');

  await directory.run('payers -- --network base-sepolia --step add --broadcast', sepolia);
  await executeFile(sepolia, '84532.safe.payers-add.json');
  expect(await read(sepolia, diamond, 'api_payers')).toEqual([oldPayer, keptPayer, newPayer]);
  expect(await read(sepolia, diamond, 'adminApiPayerAccount')).toBe(oldPayer);
  const between = await directory.run('verify -- --network base-sepolia', sepolia);
  expect(between.output).toContain(`apiPayers: ${oldPayer} is one`);

  const dryRemove = await directory.run('payers -- --network base-sepolia --step remove', sepolia);
  expect(dryRemove.output).toContain(`${oldPayer}  removed`);
  await directory.run('payers -- --network base-sepolia --step remove --broadcast', sepolia);
  await executeFile(sepolia, '84532.safe.payers-remove.json');
  expect(await read(sepolia, diamond, 'api_payers')).toEqual([keptPayer, newPayer]);
  expect(await read(sepolia, diamond, 'adminApiPayerAccount')).toBe(newPayer);
  expect((await directory.run('verify -- --network base-sepolia', sepolia)).code).toBe(0);

  await onBase;
  expect(new Set(await read(base, diamond, 'api_payers'))).toEqual(new Set([keptPayer, newPayer]));
});

test('the Safe unfreezes the api payers', async () => {
  const freeze = encodeFunctionData({ abi: accountConfigAbi, functionName: 'freezePayers' });
  await execute(sepolia, diamond, freeze);
  const verified = await directory.run('verify -- --network base-sepolia', sepolia);
  expect(verified).toMatchObject({ code: 1, output: expect.stringContaining('apiPayers: are frozen') });
  const dry = await directory.run('payers -- --network base-sepolia --step unfreeze', sepolia);
  expect(dry.output).toContain(`Transaction of ${safe}: unfreezePayers\n  to   ${diamond}\n`);
  await directory.run('payers -- --network base-sepolia --step unfreeze --broadcast', sepolia);
  await executeFile(sepolia, '84532.safe.payers-unfreeze.json');
  const frozen = { address: diamond, abi: accountConfigAbi, functionName: 'payersFrozen' } as const;
  expect(await sepolia.client.readContract(frozen)).toBe(false);
});

test('the Safe upgrades an older facet', async () => {
  const { client } = sepolia;
  const { facets } = directory.readJson('84532.json');
  const configFacet: Address = facets.ConfigFacet;
  const selectors = await client.readContract({
    address: diamond,
    abi: accountConfigAbi,
    functionName: 'facetFunctionSelectors',
    args: [configFacet],
  });
  const create = async (name: string, file?: string) => {
    const { abi, bytecode } = artifact(name, file);
    const receipt = await sendAs(client, stranger, (account) =>
      client.deployContract({ account, chain: null, abi, bytecode: bytecode.object }),
    );
    return receipt.contractAddress as Address;
  };
  // Simulates a new ConfigFacet: another contract is in its directory, and the compiled one is not on the chain.
  const [answer, getPricing] = ['answer()', 'getPricing(uint256)'].map((signature) =>
    toFunctionSelector(signature),
  ) as [Hex, Hex];
  await cut(sepolia, await create('ConfigFacet'), 1, [...selectors]);
  await cut(sepolia, await create('NewFacet', 'Facets'), 0, [answer]);
  await cut(sepolia, zeroAddress, 2, [getPricing]);
  await client.setCode({ address: configFacet, bytecode: '0x' });
  await client.setNonce({ address: configFacet, nonce: 0 });

  const { code, output } = await directory.run('verify -- --network base-sepolia', sepolia);
  expect(code).toBe(1);
  expect(output).toContain(`ConfigFacet: there is no code at ${configFacet}`);
  expect(output).toContain(`${getPricing} getPricing(uint256): goes to no facet`);
  expect(output).toMatch(
    new RegExp(`setApiPayers\\(address\\[\\]\\): goes to 0x\\w{40}, not to ${configFacet}`),
  );
  expect(output).toMatch(
    new RegExp(`${answer} \\(not in the interface\\): goes to 0x\\w{40}, but no compiled facet`),
  );
  expect(output.trim().split('\n')).toHaveLength(1 + 1 + selectors.length + 1);

  const before = await blockNumber(sepolia);
  const dry = await directory.run('upgrade -- --network base-sepolia', sepolia);
  expect(dry.output).toContain(`Cut: Add ConfigFacet ${configFacet}\n  ${getPricing} getPricing(uint256)`);
  expect(dry.output).toContain(`Cut: Replace ConfigFacet ${configFacet}\n`);
  expect(dry.output).toContain(`Cut: Remove selectors ${zeroAddress}\n  ${answer}`);
  expect(dry.output).toContain(`create ConfigFacet at ${configFacet}`);
  expect(await blockNumber(sepolia)).toBe(before);

  const sent = await directory.run('upgrade -- --network base-sepolia --broadcast', sepolia);
  expect(sent.output).toContain('Sent and confirmed: 1');
  expect(await blockNumber(sepolia)).toBe(before + 1n);
  await executeFile(sepolia, '84532.safe.diamondCut.json');
  const done = await directory.run('upgrade -- --network base-sepolia --broadcast', sepolia);
  expect(done.output).toContain('The diamond has the compiled facets');
  expect((await directory.run('verify -- --network base-sepolia', sepolia)).code).toBe(0);
  expect(await read(sepolia, diamond, 'api_payers')).toEqual([keptPayer, newPayer]);
});

test('verify reports other code and other settings', async () => {
  const { client } = base;
  const { facets } = directory.readJson('8453.json');
  writeNetworks({
    ...rotated,
    configOperator: null,
    pricingOperator: operator,
    guardian: operator,
    conversionLimit: null,
    consentRequired: false,
    nodeConfiguration: { region: 'south' },
  });
  const code = await client.getCode({ address: facets.ViewsFacet });
  await client.setCode({ address: facets.ViewsFacet, bytecode: '0x00' });
  const { output } = await directory.run('verify -- --network base', base);
  await client.setCode({ address: facets.ViewsFacet, bytecode: code as Hex });
  writeNetworks(rotated);
  const lines = output.trim().split('\n').slice(1);
  expect(lines).toHaveLength(8);
  expect(lines[0]).toContain(`ViewsFacet: the code at ${facets.ViewsFacet} has hash 0x`);
  expect(lines[1]).toContain('has not accepted the ownership');
  expect(lines.slice(2)).toEqual([
    `guardian: is ${safe}, not ${operator}`,
    `configOperator: is ${operator}, not ${zeroAddress}`,
    `pricingOperator: is ${zeroAddress}, not ${operator}`,
    `conversionLimit: is 7, not ${maxUint256}`,
    'consentRequired: is true, not false',
    'nodeConfiguration.region: is north, not south',
  ]);
});

test('refuses a demo account on mainnet', async () => {
  const refused = await directory.run('seed -- --network base --broadcast', base);
  expect(refused.output).toContain('NotATestChain(8453)');
  expect(refused.code).toBe(1);
  const { code, output } = await directory.run('seed -- --network base-sepolia --broadcast', sepolia);
  expect(code).toBe(0);
  expect(output).toMatch(/usage key \S{44}\n/);
  const again = await directory.run('seed -- --network base-sepolia --broadcast', sepolia);
  expect(again.output).toContain('Nothing to send');
});

test('on a local chain the deployer keeps the ownership', async () => {
  await using local = await startTestChain(31_337);
  for (const [line, result] of [
    ['deploy -- --network local --broadcast', 'The deployment is complete\n'],
    ['verify -- --network local', 'on local (31337) is as wanted'],
    ['seed -- --network local --broadcast', 'usage key'],
  ] as const)
    expect(await directory.run(line, local)).toMatchObject({
      code: 0,
      output: expect.stringContaining(result),
    });
  const { address } = directory.readJson('31337.json');
  expect(await read(local, address, 'owner')).toBe(deployer.address);
  expect(await read(local, address, 'pendingOwner')).toBe(zeroAddress);
});

test('no record of forge has the URL of a node', () => {
  const cache = join(root, 'cache');
  const records = readdirSync(cache)
    .filter((name) => name.endsWith('.s.sol'))
    .flatMap((name) =>
      readdirSync(join(cache, name), { recursive: true, encoding: 'utf8' }).map((path) => join(name, path)),
    )
    .filter((path) => path.endsWith('.json'));
  const withUrl = records.filter((path) => {
    const text = readFileSync(join(cache, path), 'utf8');
    return [base, sepolia].some(({ url }) => text.includes(url));
  });
  expect(withUrl).toEqual([]);
});

test('the tests run all commands of the runbook', () => {
  const runbook = readFileSync(join(root, 'docs/deployment.md'), 'utf8');
  const commands = [...runbook.matchAll(/^npm run (\w+ -- .+)$/gm)].map(([, line]) => line);
  expect(commands.length).toBeGreaterThanOrEqual(8);
  for (const command of commands) expect(ranCommands).toContain(command);
});

/** An owner that is the address of one key: the commands send its transactions. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devAccount } from '@latchkey/stack';
import { afterAll, expect, test, vi } from 'vitest';
import { deployer, read, safe, startTestChain, stranger, WorkingDirectory } from './test-chain.ts';

/** Each test runs up to six commands, a second each on an idle machine. */
vi.setConfig({ testTimeout: 600_000 });

const DELAY_SEC = 3_600;
const owner = devAccount(6);
const payer = devAccount(7).address;
const directory = new WorkingDirectory(mkdtempSync(join(tmpdir(), 'latchkey-owner-key-')));
const network = {
  isTestnet: true,
  deployer: deployer.address,
  owner: owner.address,
  timelock: null,
  guardian: safe,
  conversionLimit: null,
  consentRequired: true,
  apiPayers: [payer],
  adminApiPayer: payer,
  configOperator: null,
  pricingOperator: null,
  nodeConfiguration: {},
  confirmations: 1,
  explorer: null,
};
directory.writeNetworks({
  84532: { ...network, name: 'base-sepolia' },
  8453: { ...network, name: 'base', isTestnet: false },
  11155111: {
    ...network,
    name: 'sepolia',
    timelock: { minDelaySec: DELAY_SEC, proposers: [owner.address], executors: [owner.address] },
  },
});
const OWNER_KEY = owner.privateKey;

afterAll(() => directory.remove());

test('accepts the ownership when its key is given, and in no other case', async () => {
  await using chain = await startTestChain(84_532);
  const run = (env: NodeJS.ProcessEnv) =>
    directory.run('deploy -- --network base-sepolia --broadcast', chain, env);
  const before = await chain.client.getBlockNumber();
  const [without, wrong] = await Promise.all([run({}), run({ OWNER_KEY: stranger.privateKey })]);
  expect(without.output).toContain('is not a Safe on this chain: if it is the address of one key');
  expect(wrong.output).toContain(`OWNER_KEY is the key of ${stranger.address}, not of ${owner.address}`);
  expect([without.code, wrong.code]).toEqual([1, 1]);
  expect(await chain.client.getBlockNumber()).toBe(before);

  const { code, output } = await run({ OWNER_KEY });
  expect(output).toContain('The deployment is complete\n');
  expect(output).not.toContain(OWNER_KEY);
  expect(code).toBe(0);
  expect(directory.files()).toEqual(['84532.json']);
  expect(await read(chain, directory.readJson('84532.json').address, 'owner')).toBe(owner.address);
});

test('has no key outside test networks', async () => {
  await using chain = await startTestChain(8_453);
  const before = await chain.client.getBlockNumber();
  const { code, output } = await directory.run('deploy -- --network base --broadcast', chain, { OWNER_KEY });
  expect(output).toContain('OWNER_KEY is for test networks: base has no "isTestnet": true');
  expect(code).toBe(1);
  expect(await chain.client.getBlockNumber()).toBe(before);
});

test('schedules by a timelock, and executes after the delay', async () => {
  await using chain = await startTestChain(11_155_111);
  const run = (command: string, options = '') =>
    directory.run(`${command} -- --network sepolia${options}`, chain, { OWNER_KEY });
  expect((await run('deploy')).output).toContain('Dry run: nothing was sent');
  const first = await run('deploy', ' --broadcast');
  expect(first.output).toContain('Sent by the owner and confirmed: schedule');
  expect(first.output).toContain('Run the command again after the delay');

  const scheduled = await chain.client.getBlockNumber();
  const early = await run('deploy', ' --broadcast');
  expect(early.output).toContain('Run the command again after the delay');
  expect(await chain.client.getBlockNumber()).toBe(scheduled);

  await chain.client.increaseTime({ seconds: DELAY_SEC });
  await chain.client.mine({ blocks: 1 });
  const last = await run('deploy', ' --broadcast');
  expect(last.output).toContain('Sent by the owner and confirmed: execute');
  expect(last.output).toContain('The deployment is complete\n');
  expect((await run('verify')).output).toContain('is as wanted');
});

/** Mistakes that the commands refuse before they send anything. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devAccount } from '@latchkey/stack';
import { type Hex, toHex } from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FACTORY } from './deploy.ts';
import { deployer, safe, startTestChain, stranger, type TestChain, WorkingDirectory } from './test-chain.ts';

/** A test runs ten commands, a second each on an idle machine. */
vi.setConfig({ testTimeout: 600_000 });

const payer = devAccount(6).address;
const directory = new WorkingDirectory(mkdtempSync(join(tmpdir(), 'latchkey-refusals-')));
const network = {
  deployer: deployer.address,
  owner: safe,
  timelock: null,
  guardian: safe,
  conversionLimit: null,
  consentRequired: false,
  apiPayers: [payer],
  adminApiPayer: payer,
  configOperator: null,
  pricingOperator: null,
  nodeConfiguration: {},
  confirmations: 1,
  explorer: null,
};
let sepolia: TestChain;

function writeNetworks(settings: object): void {
  directory.writeNetworks({
    8453: { name: 'base', ...network },
    84532: { name: 'base-sepolia', ...settings },
  });
}

beforeAll(async () => {
  writeNetworks(network);
  sepolia = await startTestChain(84_532);
});

afterAll(async () => {
  await sepolia?.[Symbol.asyncDispose]();
  directory.remove();
});

test('refuses a wrong chain, key, owner or environment before anything is sent', async () => {
  const before = await sepolia.client.getBlockNumber();
  const refusals: [line: string, env: NodeJS.ProcessEnv, message: string][] = [
    ['deploy -- --network base --broadcast', {}, 'The node has chain id 84532; base is 8453'],
    ['deploy -- --network base-sepolia', { RPC_URL: '' }, 'RPC_URL is missing'],
    ['deploy -- --network base-sepolia --broadcast', { DEPLOYER_KEY: '' }, 'DEPLOYER_KEY is missing'],
    ['deploy -- --network base-sepolia --broadcast', { DEPLOYER_KEY: 'x' }, 'is not 0x and 64 hex digits'],
    [
      'deploy -- --network base-sepolia --broadcast',
      { DEPLOYER_KEY: stranger.privateKey },
      `is the key of ${stranger.address}, not of ${deployer.address}`,
    ],
    ['deploy -- --network optimism', {}, 'has no network optimism'],
    ['deploy -- --network base-sepolia --dry', {}, "Unknown option '--dry'"],
    ['undeploy -- --network base-sepolia', {}, 'npm run deploy'],
    ['payers -- --network base-sepolia', {}, '--step must be add, remove or unfreeze'],
    ['verify -- --network base-sepolia', { DEPLOYMENTS_DIR: '/nonexistent' }, 'deploy first'],
  ];
  await Promise.all(
    refusals.map(async ([line, env, message]) => {
      const { code, output } = await directory.run(line, sepolia, env);
      expect(output).toContain(message);
      expect(code).toBe(1);
    }),
  );
  writeNetworks({ ...network, guardian: null });
  const noGuardian = await directory.run('deploy -- --network base-sepolia', sepolia);
  expect(noGuardian.output).toContain('base-sepolia has no guardian');
  expect(noGuardian.code).toBe(1);
  const accepted = await directory.run('deploy -- --network base-sepolia --without-guardian', sepolia);
  expect(accepted).toMatchObject({ code: 0, output: expect.stringContaining('guardian  none') });
  writeNetworks({ ...network, owner: stranger.address });
  const noSafe = await directory.run('deploy -- --network base-sepolia', sepolia);
  expect(noSafe.output).toContain(`The owner ${stranger.address} is not a Safe on this chain`);
  const factory = await sepolia.client.getCode({ address: FACTORY });
  await sepolia.client.setCode({ address: FACTORY, bytecode: toHex('other') });
  const noFactory = await directory.run('deploy -- --network base-sepolia', sepolia);
  await sepolia.client.setCode({ address: FACTORY, bytecode: factory as Hex });
  expect(noFactory.output).toContain('has no deterministic deployment proxy');
  expect([noSafe, noFactory].map(({ code }) => code)).toEqual([1, 1]);
  expect(await sepolia.client.getBlockNumber()).toBe(before);
});

test('the help explains dry runs', async () => {
  const { code, output } = await directory.run('deploy -- --help', sepolia);
  expect(output).toContain('Without --broadcast nothing is sent');
  expect(code).toBe(0);
});

test('no message contains the URL of the node', async () => {
  const url = 'http://127.0.0.1:1/secret';
  const { code, output } = await directory.run('deploy -- --network base', { url });
  expect(code).toBe(1);
  expect(output).not.toContain('secret');
});

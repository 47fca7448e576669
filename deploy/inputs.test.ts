import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getAddress, zeroAddress } from 'viem';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from './forge.ts';
import { readNetwork } from './inputs.ts';

const directory = mkdtempSync(join(tmpdir(), 'latchkey-inputs-'));
const file = join(directory, 'networks.json');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const [deployer, owner, payer, otherPayer] = [1, 2, 3, 4].map((byte) =>
  getAddress(`0x${`a${byte}`.repeat(20)}`),
) as [string, string, string, string];
const right = {
  name: 'base',
  deployer,
  owner,
  timelock: null,
  guardian: null,
  conversionLimit: null,
  consentRequired: false,
  apiPayers: [payer, otherPayer],
  adminApiPayer: payer,
  configOperator: null,
  pricingOperator: null,
  nodeConfiguration: { region: 'north' },
  confirmations: 5,
  explorer: null,
};

const timelock = { minDelaySec: 172_800, proposers: [owner], executors: [owner] };

function read(networks: object, name = 'base') {
  writeFileSync(file, JSON.stringify(networks));
  return readNetwork(file, name);
}

test('finds a network by its name and by its chain id', () => {
  const networks = { 8453: right, 84532: { name: 'other' } };
  expect(read(networks)).toEqual({ chainId: 8453, isTestnet: false, ...right });
  expect(read(networks, '8453')).toEqual({ chainId: 8453, isTestnet: false, ...right });
});

describe('refuses an entry', () => {
  test.each(Object.keys(right))('without %s', (field) => {
    expect(() => read({ 8453: { ...right, name: 'base', [field]: undefined } }, '8453')).toThrow(
      `${field} is missing`,
    );
  });

  test.each([
    [{ deployer: zeroAddress }, 'deployer is the zero address'],
    [{ owner: zeroAddress }, 'owner is the zero address'],
    [{ configOperator: zeroAddress }, 'configOperator is the zero address'],
    [{ apiPayers: [payer, zeroAddress] }, 'apiPayers.1 is the zero address'],
    [{ owner: owner.toLowerCase().replace('a', 'A') }, 'owner is not an address'],
    [{ owner: '0x1234' }, 'owner is not an address'],
    [{ apiPayers: [] }, 'apiPayers is empty'],
    [{ apiPayers: [payer, otherPayer, payer] }, `apiPayers has ${payer} twice`],
    [{ adminApiPayer: owner }, 'adminApiPayer is not one of apiPayers'],
    [{ apiPayers: [payer, deployer] }, 'deployer is one of apiPayers'],
    [{ apiPayers: [payer, owner] }, 'owner is one of apiPayers'],
    [{ owner: deployer }, 'owner is the deployer'],
    [{ nodeConfiguration: { region: '' } }, 'nodeConfiguration.region'],
    [{ conversionLimit: -1 }, 'conversionLimit'],
    [{ conversionLimit: '7' }, 'conversionLimit'],
    [{ consentRequired: null }, 'consentRequired'],
    [{ guardian: payer }, 'guardian is one of apiPayers'],
    [{ timelock }, 'guardian is null'],
    [{ timelock: { ...timelock, proposers: [payer] } }, 'timelock.proposers does not contain the owner'],
    [{ timelock: { ...timelock, executors: [payer] } }, 'timelock.executors does not contain the owner'],
    [{ timelock: { ...timelock, executors: [zeroAddress] } }, 'timelock.executors.0 is the zero address'],
    [{ timelock: { ...timelock, proposers: [] } }, 'timelock.proposers is empty'],
    [{ timelock: { ...timelock, minDelaySec: 0 } }, 'timelock.minDelaySec'],
    [{ timelock: { ...timelock, minDelaySec: 2_592_001 } }, 'timelock.minDelaySec'],
    [{ confirmations: 0 }, 'confirmations'],
    [{ explorer: 'basescan' }, 'explorer'],
    [{ payers: [] }, 'payers'],
  ])('with %j', (change, message) => {
    expect(() => read({ 8453: { ...right, ...change } })).toThrow(message);
  });

  test('lists all mistakes together', () => {
    const mistakes = { ...right, owner: zeroAddress, apiPayers: [], confirmations: 'five' };
    expect(() => read({ 8453: mistakes })).toThrow(/owner.*\n.*apiPayers.*\n.*confirmations/);
  });

  test('refuses a duplicate name, an unknown name and an invalid id', () => {
    expect(() => read({ 8453: right, 84532: right })).toThrow('two networks base');
    expect(() => read({ 8453: right }, 'optimism')).toThrow('has no network optimism; it has base (8453)');
    expect(() => read({ '0x2105': right })).toThrow('0x2105 is not a chain id');
  });
});

test('the committed file has the local chain, Base and Base Sepolia', () => {
  const networks = join(root, 'deploy/networks.json');
  expect(readNetwork(networks, 'local').chainId).toBe(31_337);
  expect(JSON.parse(readFileSync(networks, 'utf8'))).toMatchObject({
    8453: { name: 'base' },
    84532: { name: 'base-sepolia' },
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readDeployment } from './deployment.ts';
import { ConfigError } from './settings.ts';

const deployment = {
  chainId: 31_337,
  address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  startBlock: 3,
  facets: {},
};

function directoryWith(content?: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  if (content !== undefined) writeFileSync(join(directory, '31337.json'), content);
  return directory;
}

test('returns the deployment of the chain', () => {
  expect(readDeployment(directoryWith(JSON.stringify(deployment)), 31_337)).toEqual(deployment);
});

test.each([
  ['is missing: deploy with npm run deploy', undefined],
  ['is not the file of a deployment', '{'],
  ['startBlock', JSON.stringify({ ...deployment, startBlock: -1 })],
  ['is for chain 1, but CHAIN_ID is 31337', JSON.stringify({ ...deployment, chainId: 1 })],
])('names the file that %s', (reason, content) => {
  const directory = directoryWith(content);
  const read = () => readDeployment(directory, 31_337);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(join(directory, '31337.json'));
  expect(read).toThrow(reason);
});

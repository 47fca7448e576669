/** `npm run keys -- acknowledge` as a process on the machine of a node. */
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { start, temporaryDirectory } from '@latchkey/testing/processes';
import { until } from '@latchkey/testing/until';
import { toFunctionSelector, zeroAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPinned } from '../src/pins/watch-pins.ts';
import { openAccounts, ownerKey } from './accounts.ts';
import { startDeployed, startNode } from './key-nodes.ts';

const ADD = 0;
const directory = temporaryDirectory(tmpdir());

const deployed = disposeAfterAll(await startDeployed());
const node = disposeAfterAll(await startNode(deployed, { KEYNODE_DATA_DIR: directory.path }));
beforeAll(async () => {
  await until('the node has pinned the code', async () => (await readPinned(directory.path)) !== undefined);
});
afterAll(async () => {
  directory[Symbol.dispose]();
});

const codeFault = async (): Promise<string> => (await node.context.checkHealth()).code.detail ?? '';

/** Resolves to the exit code and the output. The command has no terminal. */
async function acknowledge(...options: string[]): Promise<{ code: number; output: string }> {
  const args = ['keynodes/src/admin/main.ts', 'acknowledge', ...options];
  const settings = { RPC_URL: deployed.rpcUrl, DEPLOYMENTS_DIR: deployed.directory };
  const { child, output } = start(process.execPath, args, settings);
  const [code] = await once(child, 'close');
  return { code, output: output() };
}

test('lets a node decide by changed code only after its operator has said yes', async () => {
  const { write, facetOf } = openAccounts(deployed);
  const facet = await facetOf(toFunctionSelector('isPathRegistered(uint256)'));
  const added = [{ facetAddress: facet, action: ADD, functionSelectors: ['0x12345678'] }];
  const unchanged = await acknowledge('--data-dir', directory.path, '--yes');
  expect(unchanged).toMatchObject({
    code: 0,
    output: expect.stringContaining('has not changed since it was pinned'),
  });

  await write(ownerKey, 'diamondCut', [added, zeroAddress, '0x']);
  await expect.poll(codeFault).toContain('unknown function 0x12345678');
  const asked = await acknowledge('--data-dir', directory.path);
  expect(asked).toMatchObject({
    code: 1,
    output: expect.stringContaining('no terminal to ask at: add --yes'),
  });
  expect(asked.output).toContain(`unknown function 0x12345678: none → ${facet.toLowerCase()}`);
  expect(await codeFault()).toContain('unknown function 0x12345678');

  const acknowledged = await acknowledge('--data-dir', directory.path, '--yes');
  expect(acknowledged).toMatchObject({ code: 0, output: expect.stringMatching(/^acknowledged: /m) });
  await expect.poll(codeFault).toBe('');
});

test('names what is missing, without a stack trace', async () => {
  using empty = temporaryDirectory(tmpdir());
  expect(await acknowledge()).toEqual({
    code: 1,
    output: '--data-dir is missing: give KEYNODE_DATA_DIR of the node\n',
  });
  expect(await acknowledge('--data-dir', empty.path, '--yes')).toEqual({
    code: 1,
    output: `${empty.path} has no node.json: --data-dir is KEYNODE_DATA_DIR of the node\n`,
  });
});

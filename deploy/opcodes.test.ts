import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foundryBinary } from '@latchkey/foundry';
import { choosePorts } from '@latchkey/stack';
import { createPublicClient, hexToBytes, http, type PublicClient } from 'viem';
import { afterAll, expect, test, vi } from 'vitest';
import { root } from './forge.ts';
import { InputError } from './inputs.ts';
import { PROBES, requireOpcodes } from './opcodes.ts';
import { artifact, deployer, safe, stranger, until, WorkingDirectory } from './test-chain.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Opcodes that came after the Paris fork. */
const LATER: Record<number, string> = {
  73: 'BLOBHASH',
  74: 'BLOBBASEFEE',
  92: 'TLOAD',
  93: 'TSTORE',
  94: 'MCOPY',
  95: 'PUSH0',
  30: 'CLZ',
};

const directory = new WorkingDirectory(mkdtempSync(join(tmpdir(), 'latchkey-opcodes-')));
afterAll(() => directory.remove());

/** Starts a chain with the rules of an earlier fork. */
async function startFork(hardfork: string) {
  const { anvil: port } = await choosePorts({ anvil: 0 });
  const args = ['--hardfork', hardfork, '--chain-id', '84532', '--port', String(port), '--silent'];
  const child = spawn(foundryBinary('anvil'), args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const client: PublicClient = createPublicClient({ cacheTime: 0, transport: http(url) });
  await until('anvil answers', async () => (await client.getChainId().catch(() => 0)) === 84_532);
  return {
    url,
    client,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

test.each([
  ['paris', 'PUSH0 and MCOPY'],
  ['shanghai', 'MCOPY'],
])('refuses a chain with the rules of %s: it does not execute %s', async (hardfork, missing) => {
  await using chain = await startFork(hardfork);
  const refused = requireOpcodes(chain.client);
  await expect(refused).rejects.toThrow(InputError);
  await expect(refused).rejects.toThrow(`does not execute ${missing}, which`);
});

test('accepts a chain with the rules of Cancun', async () => {
  await using chain = await startFork('cancun');
  await requireOpcodes(chain.client);
});

test('an outage of the node is not a missing opcode', async () => {
  const client: PublicClient = createPublicClient({
    transport: http('http://127.0.0.1:9', { retryCount: 0 }),
  });
  const error = await requireOpcodes(client).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(InputError);
});

test('a dry run is refused before anything else', async () => {
  await using chain = await startFork('shanghai');
  const payer = stranger.address;
  directory.writeNetworks({
    84532: {
      name: 'base-sepolia',
      deployer: deployer.address,
      owner: safe,
      timelock: null,
      guardian: safe,
      apiPayers: [payer],
      adminApiPayer: payer,
      configOperator: null,
      pricingOperator: null,
      conversionLimit: null,
      consentRequired: false,
      nodeConfiguration: {},
      confirmations: 1,
      explorer: null,
    },
  });
  const { code, output } = await directory.run('deploy -- --network base-sepolia', chain);
  expect(output).toContain('The chain does not execute MCOPY');
  expect(output).toContain('Nothing was sent');
  expect(code).toBe(1);
});

test('the probes have every later opcode of the compiled contracts', () => {
  const found = new Set<string>();
  const facets = readdirSync(join(root, 'contracts/facets')).filter((name) => name.endsWith('.sol'));
  for (const name of ['AccountConfig', ...facets.map((file) => file.slice(0, -'.sol'.length))]) {
    const code = hexToBytes(artifact(name).bytecode.object);
    for (let index = 0; index < code.length; index++) {
      const opcode = code[index] as number;
      const later = LATER[opcode];
      if (later) found.add(later);
      // PUSH1 to PUSH32 have data behind them.
      if (opcode >= 0x60 && opcode <= 0x7f) index += opcode - 0x5f;
    }
  }
  expect([...found].sort()).toEqual(Object.keys(PROBES).sort());
});

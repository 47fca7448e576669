/** Starts a chain for one test and deploys the contract to it. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { foundryBinary, withForgeCache } from '@latchkey/foundry';
import { parseDeployment } from '@latchkey/protocol';
import { type Address, createTestClient, type Hex, http, publicActions, walletActions } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { end, root, start } from './processes.ts';
import { freePort, until } from './until.ts';

/** The first account that anvil funds. */
export const DEPLOYER_KEY: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

export type Chain = AsyncDisposable & {
  port: number;
  url: string;
  wsUrl: string;
  chainId: number;
  client: ReturnType<typeof testClient>;
};

function testClient(url: string) {
  return createTestClient({ mode: 'anvil', chain: foundry, transport: http(url), pollingInterval: 5 })
    .extend(publicActions)
    .extend(walletActions);
}

/**
 * States that anvil keeps. It reads older ones from the disk, where a large one takes longer than a block, and replaces one that it cannot
 * read by an empty chain.
 */
const KEPT_STATES = 128;

/** Starts an anvil that mines one block per transaction, and no other blocks. A reorg goes back by fewer blocks than it keeps states. */
export async function startChain(port?: number, chainId: number = foundry.id): Promise<Chain> {
  const chosen = port ?? (await freePort());
  const { child } = start(foundryBinary('anvil'), [
    '--port',
    String(chosen),
    '--chain-id',
    String(chainId),
    '--prune-history',
    String(KEPT_STATES),
    '--silent',
  ]);
  const url = `http://127.0.0.1:${chosen}`;
  const client = testClient(url);
  await until('anvil answers', async () => (await client.getChainId()) === chainId);
  return {
    port: chosen,
    url,
    wsUrl: `ws://127.0.0.1:${chosen}`,
    chainId,
    client,
    [Symbol.asyncDispose]: () => end(child, 'SIGKILL'),
  };
}

/** Deploys the diamond by the deploy script; `payers` are its api payers. Resolves to its address. */
export async function deploy(
  chain: Chain,
  directory: string,
  payers: Address[] = [privateKeyToAddress(DEPLOYER_KEY)],
): Promise<Address> {
  const target = ['script', 'script/Deploy.s.sol:Deploy', '--rpc-url', chain.url];
  const args = [...target, '--broadcast', '--private-key', DEPLOYER_KEY];
  const settings = { DEPLOYMENTS_DIR: directory, API_PAYERS: payers.join(',') };
  await withForgeCache((cache) =>
    promisify(execFile)(foundryBinary('forge'), args, {
      cwd: root,
      env: { ...process.env, ...settings, ...cache },
    }),
  );
  const file = join(root, directory, `${foundry.id}.json`);
  return parseDeployment(JSON.parse(readFileSync(file, 'utf8'))).address;
}

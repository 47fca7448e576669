/** Deploys AccountConfig to the local chain by the deploy script. */
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { foundryBinary, withForgeCache } from '@latchkey/foundry';
import { unpackCompiled } from '@latchkey/foundry/compiled';
import { type Deployment, LOCAL_CHAIN_ID, parseDeployment } from '@latchkey/protocol';
import type { DevAccount } from './accounts.ts';
import type { Chain } from './chain.ts';
import type { Parts } from './parts.ts';
import { root, StackError } from './root.ts';
import { timed } from './timed.ts';

type DeployOptions = {
  chain: Chain;
  rpcUrl: string;
  /** Directory of `<chainId>.json`. */
  deploymentsDir: string;
  dataDir: string;
  owner: DevAccount;
  payers: DevAccount[];
  env: Record<string, string | undefined>;
  log: (line: string) => void;
};

/** Returns the deployment whose code is on the chain; deploys the compiled contracts first when there is none. */
export async function ensureDeployed(parts: Parts, options: DeployOptions): Promise<Deployment> {
  const { chain, deploymentsDir, log } = options;
  const file = join(deploymentsDir, `${LOCAL_CHAIN_ID}.json`);
  const forge = openForge(parts, options);
  await timed('contracts compiled', log, async () => {
    await unpackCompiled(root);
    await forge(['build', 'contracts', 'script'], {});
  });
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const earlier = text === undefined ? undefined : parseDeployment(JSON.parse(text));
  if (earlier && (await chain.client.getCode({ address: earlier.address }))) {
    const changed = await changedFacets(earlier, chain);
    if (changed.length > 0)
      log(
        `warning: the contracts have changed since they were deployed (${changed.join(', ')}): start with --fresh, or ` +
          'npm run upgrade (docs/deployment.md)',
      );
    return earlier;
  }
  await timed('AccountConfig deployed', log, () => deploy(forge, file, options));
  return parseDeployment(JSON.parse(await readFile(file, 'utf8')));
}

/** Names of deployed facets whose compiled code is different. */
async function changedFacets({ facets }: Deployment, chain: Chain): Promise<string[]> {
  const changed: string[] = [];
  for (const [name, address] of Object.entries(facets)) {
    const artifact = await readFile(join(root, `out/${name}.sol/${name}.json`), 'utf8').catch(() => '{}');
    const compiled: string | undefined = JSON.parse(artifact).deployedBytecode?.object;
    if ((await chain.client.getCode({ address })) !== compiled) changed.push(name);
  }
  return changed;
}

type Forge = (args: string[], env: Record<string, string>) => Promise<void>;

/** Returns a function that runs a command of forge to its end. */
function openForge(parts: Parts, { env, dataDir }: DeployOptions): Forge {
  return (args, settings) =>
    withForgeCache(async (cache) => {
      const part = await parts.start('deploy', foundryBinary('forge'), args, {
        env: { ...env, ...cache, ...settings, FOUNDRY_BROADCAST: join(dataDir, 'broadcast') },
      });
      const exit = await part.exited;
      if (exit !== 'exit code 0')
        throw new StackError(`forge ${args[0]} ended with ${exit}:\n${part.tail()}`);
    });
}

async function deploy(
  forge: Forge,
  file: string,
  { owner, payers, rpcUrl, deploymentsDir }: DeployOptions,
): Promise<void> {
  // The script writes its file before its transactions are mined, and only below `.data` and `deployments`.
  await mkdir(join(root, '.data'), { recursive: true });
  const written = await mkdtemp(join(root, '.data', 'deploy-'));
  try {
    await forge(
      // biome-ignore format: an option and its value
      ['script', 'script/Deploy.s.sol:Deploy', '--rpc-url', rpcUrl, '--broadcast', '--private-key', owner.privateKey],
      {
        OWNER: owner.address,
        API_PAYERS: payers.map(({ address }) => address).join(','),
        DEPLOYMENTS_DIR: relative(root, written),
      },
    );
    await mkdir(deploymentsDir, { recursive: true });
    await copyFile(join(written, `${LOCAL_CHAIN_ID}.json`), `${file}.new`);
    await rename(`${file}.new`, file);
  } finally {
    await rm(written, { recursive: true, force: true });
  }
}

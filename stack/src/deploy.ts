/** Deploys AccountConfig to the local chain by the deploy script. */
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { foundryBinary, withForgeCache } from '@latchkey/foundry';
import { unpackCompiled } from '@latchkey/foundry/compiled';
import { type Deployment, LOCAL_CHAIN_ID, parseDeployment } from '@latchkey/protocol';
import { replaceFile } from '@latchkey/service/files';
import type { DevAccount } from './accounts.ts';
import type { Chain } from './chain.ts';
import type { Parts } from './parts.ts';
import { readKept, root, StackError } from './root.ts';
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

/** Returns the deployment whose code is on the chain; deploys the contracts first when there is none. */
export async function ensureDeployed(parts: Parts, options: DeployOptions): Promise<Deployment> {
  const { chain, deploymentsDir, log } = options;
  const file = join(deploymentsDir, `${LOCAL_CHAIN_ID}.json`);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) {
    const deployment = parseDeployment(JSON.parse(text));
    if (await chain.client.getCode({ address: deployment.address })) {
      if (await haveChanged(deployment, options))
        log(
          'warning: the contracts have changed since they were deployed: start with --fresh, or npm run upgrade (docs/deployment.md)',
        );
      return deployment;
    }
  }
  const forge = openForge(parts, options);
  await timed('contracts compiled', log, async () => {
    await unpackCompiled(root);
    await forge(['build', 'contracts', 'script'], {});
  });
  await timed('AccountConfig deployed', log, () => deploy(forge, file, options));
  const deployment = parseDeployment(JSON.parse(await readFile(file, 'utf8')));
  await noteSources(deployment, options);
  return deployment;
}

/** Hash of the sources that were deployed, and the facets. An upgrade writes other facets into the deployment. */
type Noted = { sources: string; facets: string };

const noteFile = ({ dataDir }: Pick<DeployOptions, 'dataDir'>) => join(dataDir, 'chain', 'contracts.json');

async function noteSources(deployment: Deployment, options: DeployOptions): Promise<void> {
  await mkdir(join(options.dataDir, 'chain'), { recursive: true });
  await replaceFile(noteFile(options), JSON.stringify(await describeContracts(deployment)));
}

async function describeContracts({ facets }: Deployment): Promise<Noted> {
  const hash = createHash('sha256');
  for (const path of globSync('contracts/**/*.sol', { cwd: root }).sort())
    hash.update(path).update(await readFile(join(root, path)));
  return { sources: hash.digest('hex'), facets: JSON.stringify(facets) };
}

async function haveChanged(deployment: Deployment, options: DeployOptions): Promise<boolean> {
  const present = await describeContracts(deployment);
  const noted = await readKept(noteFile(options), (text) => JSON.parse(text) as Noted);
  if (noted?.facets === present.facets) return noted.sources !== present.sources;
  await noteSources(deployment, options);
  return false;
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

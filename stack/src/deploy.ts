/** Deploys AccountConfig to the local chain by the deploy script. */
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { foundryBinary, withForgeCache } from '@latchkey/foundry';
import { type Deployment, parseDeployment } from '@latchkey/protocol';
import type { DevAccount } from './accounts.ts';
import { CHAIN_ID, type Chain } from './chain.ts';
import type { Parts } from './parts.ts';
import { root, StackError } from './root.ts';

/** Interval of progress reports. */
const PROGRESS_MS = 5_000;

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

/** Returns the deployment whose code is on the chain; compiles and deploys it first when there is none. */
export async function ensureDeployed(parts: Parts, options: DeployOptions): Promise<Deployment> {
  const file = join(options.deploymentsDir, `${CHAIN_ID}.json`);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) {
    const deployment = parseDeployment(JSON.parse(text));
    if (await options.chain.client.getCode({ address: deployment.address })) return deployment;
  }
  await deploy(parts, file, options);
  const deployment = parseDeployment(JSON.parse(await readFile(file, 'utf8')));
  options.log(`AccountConfig is at ${deployment.address}`);
  return deployment;
}

/** Logs the start of the work, its duration while it runs, and its total duration. */
export async function timed<T>(
  what: string,
  log: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  log(what);
  const timer = setInterval(() => log(`${what}: still running after ${seconds()}`), PROGRESS_MS);
  try {
    const result = await work();
    log(`${what}: done in ${seconds()}`);
    return result;
  } finally {
    clearInterval(timer);
  }
}

async function deploy(parts: Parts, file: string, options: DeployOptions): Promise<void> {
  const { owner, payers, rpcUrl, dataDir, env, log } = options;
  // The script writes its file before its transactions are mined, and only below `.data` and `deployments`.
  await mkdir(join(root, '.data'), { recursive: true });
  const written = await mkdtemp(join(root, '.data', 'deploy-'));
  const forge = async (args: string[], isQuiet: boolean) => {
    await withForgeCache(async (cache) => {
      const part = await parts.start('deploy', foundryBinary('forge'), args, {
        isQuiet,
        env: {
          ...env,
          ...cache,
          OWNER: owner.address,
          API_PAYERS: payers.map(({ address }) => address).join(','),
          DEPLOYMENTS_DIR: relative(root, written),
          FOUNDRY_BROADCAST: join(dataDir, 'broadcast'),
        },
      });
      const exit = await part.exited;
      if (exit !== 'exit code 0')
        throw new StackError(`forge ${args[0]} ended with ${exit}:\n${part.tail()}`);
    });
  };
  try {
    await timed('compiling the contracts', log, () => forge(['build', 'contracts', 'script'], false));
    await timed('deploying AccountConfig', log, () =>
      forge(
        // biome-ignore format: an option and its value
        ['script', 'script/Deploy.s.sol:Deploy', '--rpc-url', rpcUrl, '--broadcast', '--private-key', owner.privateKey],
        true,
      ),
    );
    await mkdir(options.deploymentsDir, { recursive: true });
    await copyFile(join(written, `${CHAIN_ID}.json`), `${file}.new`);
    await rename(`${file}.new`, file);
  } finally {
    await rm(written, { recursive: true, force: true });
  }
}

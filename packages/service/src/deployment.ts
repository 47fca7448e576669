/** Reads the files that deployments of AccountConfig leave. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Deployment, parseDeployment } from '@latchkey/protocol';
import { ConfigError } from './settings.ts';

/** Returns the deployment of a chain. Throws `ConfigError`, which names the file. */
export function readDeployment(directory: string, chainId: number): Deployment {
  const path = join(directory, `${chainId}.json`);
  let deployment: Deployment;
  try {
    deployment = parseDeployment(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    throw new ConfigError(
      isMissing
        ? `${path} is missing: deploy with npm run deploy, or correct DEPLOYMENTS_DIR and CHAIN_ID`
        : `${path} is not the file of a deployment: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
  if (deployment.chainId !== chainId)
    throw new ConfigError(`${path} is for chain ${deployment.chainId}, but CHAIN_ID is ${chainId}`);
  return deployment;
}

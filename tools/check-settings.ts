/**
 * Checks settings without starting a service: prints the mistakes and exits with 1. Standard input is a JSON object of the environments
 * of services, by their folders.
 */
import { text } from 'node:stream/consumers';
import { ConfigError, defineSettings } from '@latchkey/service/settings';
import { loadModule, services } from './service-schemas.ts';

const environments = JSON.parse(await text(process.stdin)) as Record<string, Record<string, string>>;
for (const service of services) {
  const env = environments[service.folder];
  if (!env) continue;
  const { environment, loadConfig } = await loadModule(service);
  // The indexer's settings contain the deployment, which may not exist yet.
  const load =
    service.folder === 'indexer'
      ? defineSettings({ schema: environment, configFrom: (data) => data }).load
      : loadConfig;
  try {
    load(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.message.split('\n')) console.error(`${service.folder}: ${line}`);
    process.exitCode = 1;
  }
}

import { join } from 'node:path';
import type { z } from 'zod';

const root = join(import.meta.dirname, '..');

/**
 * The services, with the module that declares the schema of each one's settings as `environment`, and the secrets as
 * `secretVariables`.
 */
export const services = [
  { name: 'Relayer', folder: 'relayer', config: 'relayer/src/config.ts' },
  { name: 'Runner', folder: 'runner', config: 'runner/src/config.ts' },
  { name: 'Key node', folder: 'keynodes', config: 'keynodes/src/config.ts' },
  { name: 'Trigger service', folder: 'triggers', config: 'triggers/src/config.ts' },
  { name: 'Indexer', folder: 'indexer', config: 'indexer/service/config.ts' },
];

type Settings = { environment: z.ZodObject; secretVariables?: readonly string[] };

/** Loads a module of settings at run time: a tool must not make the services its dependencies. */
const load = ({ config }: (typeof services)[number]) => import(join(root, config)) as Promise<Settings>;

/** Returns the schema of a service's settings. */
export async function loadSchema(service: (typeof services)[number]): Promise<z.ZodObject> {
  return (await load(service)).environment;
}

/** Returns the names of the settings that a service deletes from its environment. */
export async function loadSecrets(service: (typeof services)[number]): Promise<readonly string[]> {
  return (await load(service)).secretVariables ?? [];
}

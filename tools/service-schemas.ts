import { join } from 'node:path';
import type { z } from 'zod';

const root = join(import.meta.dirname, '..');

/** The services, each with the module of its settings: `environment` is the schema, `secretVariables` are the secrets. */
export const services = [
  { name: 'Relayer', folder: 'relayer', config: 'relayer/src/config.ts' },
  { name: 'Runner', folder: 'runner', config: 'runner/src/config.ts' },
  { name: 'Key node', folder: 'keynodes', config: 'keynodes/src/config.ts' },
  { name: 'Trigger service', folder: 'triggers', config: 'triggers/src/config.ts' },
  { name: 'Indexer', folder: 'indexer', config: 'indexer/service/config.ts' },
  {
    name: 'Dashboard',
    folder: 'packages/dashboard-server',
    config: 'packages/dashboard-server/src/config.ts',
  },
];

type ConfigModule = {
  environment: z.ZodObject;
  secretVariables?: readonly string[];
  loadConfig: (variables: Record<string, string | undefined>) => unknown;
};

/** Loads the module at run time: a tool must not make the services its dependencies. */
export const loadModule = ({ config }: (typeof services)[number]): Promise<ConfigModule> =>
  import(join(root, config));

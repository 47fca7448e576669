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

/** Variables of a container that its service does not know, or that have a secret in place of the path of its file. */
export const wrongVariables = async (
  service: (typeof services)[number],
  variables: Record<string, string>,
): Promise<string[]> => {
  const { environment, secretVariables = [] } = await loadModule(service);
  const isWrong = ([variable = '', value = '']: string[]) => {
    if (variable === 'NODE_EXTRA_CA_CERTS') return false;
    const isFile = /^\/(run\/)?secrets\//.test(value) && !(variable in environment.shape);
    const setting = isFile ? variable.replace(/_FILE$/, '') : variable;
    return !(setting in environment.shape) || secretVariables.includes(setting) !== (setting !== variable);
  };
  return Object.entries(variables)
    .filter(isWrong)
    .map(([variable]) => variable);
};

/**
 * Writes `src/generated/`: the wire types of the relayer and of the trigger service and the prices of the relayer's
 * operations, from the OpenAPI descriptions that `npm run openapi` writes, and the table of functions that clients bind.
 * CI regenerates and compares it.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

type Operation = { 'x-price'?: { name: string; micros: number; per: string } };
type Description = OpenAPI3 & { paths: Record<string, { post?: Operation }> };

/** Reads the operations of a service under some prefixes, and returns them with their types. */
async function readOperations(service: string, ...prefixes: string[]) {
  const file = join(import.meta.dirname, `../../../${service}/openapi.json`);
  const description = JSON.parse(readFileSync(file, 'utf8')) as Description;
  const operations = Object.entries(description.paths).filter(([path]) =>
    prefixes.some((prefix) => path.startsWith(prefix)),
  );
  const types = astToString(
    await openapiTS({ ...description, paths: Object.fromEntries(operations) }, { defaultNonNullable: false }),
  );
  return { operations, types };
}

const { operations: ofApi, types } = await readOperations('relayer', '/core/v1/', '/operator/v1/');
const triggers = await readOperations('triggers', '/api/');
const table = ofApi.flatMap(([path, { post }]) =>
  post?.['x-price']
    ? [`  '${path}': { micros: ${post['x-price'].micros}n, per: '${post['x-price'].per}' },`]
    : [],
);

const directory = join(import.meta.dirname, '../src/generated');
mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, 'api.ts'), types);
// TypeDoc does not know the tag.
writeFileSync(join(directory, 'triggers.ts'), triggers.types.replace(/^ *\/\*\* @constant \*\/\n/gm, ''));
writeFileSync(
  join(directory, 'prices.ts'),
  `/** Prices of POST operations in micro-credits: 1,000,000 are one credit. All others are free. */
export const prices: { readonly [path: string]: { readonly micros: bigint; readonly per: string } } = {
${table.join('\n')}
};
`,
);

/**
 * Returns the table of all functions that these modules export, as type and value. It names each function: bundlers
 * leave out none of a module that is spread.
 */
async function tableOf(name: string, modules: readonly string[]): Promise<string> {
  const ids = modules.map((module) => module.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()));
  const entries = await Promise.all(
    modules.map(async (module, index) => {
      const names = Object.keys(await import(`../src/${module}.ts`)).toSorted();
      return names.map((exported) => `  ${exported}: ${ids[index]}.${exported},`);
    }),
  );
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  return `${modules.map((module, index) => `import * as ${ids[index]} from '../${module}.ts';`).join('\n')}

export type ${type} = ${ids.map((id) => `typeof ${id}`).join(' & ')};
export const ${name} = (): ${type} => ({
${entries.flat().join('\n')}
});
`;
}

const modules = [
  ...[
    'acceptance',
    'account-export',
    'account-history',
    'accounts',
    'action-codes',
    'actions',
    'approvals',
    'auto-top-up',
    'billing',
    'chain-information',
    'explain-execution',
    'group-members',
    'groups',
  ],
  ...[
    'run-records',
    'runs',
    'secrets',
    'transactions',
    'usage-key-settings',
    'usage-keys',
    'wallets',
    'webhooks',
  ],
];
writeFileSync(join(directory, 'functions.ts'), await tableOf('functions', modules));
writeFileSync(
  join(directory, 'trigger-functions.ts'),
  await tableOf('triggerFunctions', [
    'trigger-alerts',
    'trigger-export',
    'trigger-forms',
    'trigger-runs',
    'triggers',
    'triggers-access',
  ]),
);

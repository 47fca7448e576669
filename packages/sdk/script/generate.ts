/**
 * Writes `src/generated/`: the wire types of the HTTP API and the prices of its operations, from the relayer's OpenAPI
 * description. CI regenerates and compares it.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

type Operation = { 'x-price'?: { name: string; micros: number; per: string } };
type Description = OpenAPI3 & { paths: Record<string, { post?: Operation }> };

const description = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../relayer/openapi.json'), 'utf8'),
) as Description;
const ofApi = Object.entries(description.paths).filter(([path]) => path.startsWith('/core/v1/'));
const types = astToString(await openapiTS({ ...description, paths: Object.fromEntries(ofApi) }));
const table = ofApi.flatMap(([path, { post }]) =>
  post?.['x-price']
    ? [`  '${path}': { micros: ${post['x-price'].micros}n, per: '${post['x-price'].per}' },`]
    : [],
);

const directory = join(import.meta.dirname, '../src/generated');
mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, 'api.ts'), types);
writeFileSync(
  join(directory, 'prices.ts'),
  `/** Prices of POST operations in micro-credits: 1,000,000 are one credit. All others are free. */
export const prices: { readonly [path: string]: { readonly micros: bigint; readonly per: string } } = {
${table.join('\n')}
};
`,
);

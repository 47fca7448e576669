/**
 * Writes `src/generated/`: the wire types of the HTTP API and the prices of its operations, from the same routes that the
 * relayer serves. CI regenerates and compares.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openapiDocument } from '@latchkey/http';
import openapiTS, { astToString } from 'openapi-typescript';
import { authenticators } from '../../../relayer/src/auth/authenticators.ts';
import { prefix, prices } from '../../../relayer/src/routes/define-route.ts';
import { routes } from '../../../relayer/src/routes/index.ts';

type Priced = { 'x-price'?: { name: string; micros: number; per: string } };

const served = routes.filter(({ path }) => path.startsWith(prefix));
const document = openapiDocument(served, {
  title: 'Core service',
  version: '1',
  prices,
  authenticators,
  minBlock: true,
  idempotency: true,
});
const types = astToString(await openapiTS(document as never));
const operations = Object.entries(document.paths as Record<string, { post?: Priced }>);
const table = operations.flatMap(([path, { post }]) =>
  post?.['x-price']
    ? [`  '${path}': { micros: ${post['x-price'].micros}n, per: '${post['x-price'].per}' },`]
    : [],
);

const directory = join(import.meta.dirname, '../src/generated');
mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, 'api.ts'), types);
writeFileSync(
  join(directory, 'prices.ts'),
  `/** What the POST operations cost, in micro-credits: 1,000,000 are one credit. The others are free. */
export const prices: { readonly [path: string]: { readonly micros: bigint; readonly per: string } } = {
${table.join('\n')}
};
`,
);

import { openapiDocument } from '@latchkey/http';
import { authenticators } from './auth/authenticators.ts';
import { readPackageInfo } from './package-info.ts';
import { prices } from './routes/define-route.ts';
import { routes } from './routes/index.ts';

/** The general part of the API description; `version` is added to it. */
export const apiInfo = {
  title: 'Latchkey relayer',
  description: 'Accounts, usage keys, groups, actions, wallets, and runs of actions.',
  prices,
};

/** The API description that a relayer serves, computed without starting one. */
export async function servedDocument(): Promise<ReturnType<typeof openapiDocument>> {
  const { version } = await readPackageInfo();
  return openapiDocument(routes, { ...apiInfo, version, authenticators, minBlock: true, idempotency: true });
}

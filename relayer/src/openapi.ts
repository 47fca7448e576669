import { openapiDocument } from '@latchkey/http';
import { authenticators } from './auth/authenticators.ts';
import { readPackageInfo } from './package-info.ts';
import { prices } from './routes/define-route.ts';
import { routes } from './routes/index.ts';

/** The general part of the OpenAPI description; the caller adds `version`. */
export const apiInfo = {
  title: 'Latchkey relayer',
  description: 'Accounts, usage keys, groups, actions, wallets, and runs of actions.',
  prices,
};

/** Returns the OpenAPI description that a relayer serves, without starting one. */
export async function servedDocument(): Promise<ReturnType<typeof openapiDocument>> {
  const { version } = await readPackageInfo();
  return openapiDocument(routes, { ...apiInfo, version, authenticators, minBlock: true, idempotency: true });
}

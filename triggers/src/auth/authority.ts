/** Who may act for an account, by the chain. */
import { serviceUnavailable } from '@latchkey/http';
import { type Admin, type Core, CoreUnavailableError } from '../core.ts';

/** Authority of a wallet that has no account yet. */
export const NO_ACCOUNT = 'no account';

/**
 * Mode and admin wallet of an account, as sessions, approved pairings and tokens record them at the login that they come from:
 * when either changes, they end.
 */
export const authorityOf = (admin: Admin | undefined): string =>
  admin === undefined ? NO_ACCOUNT : `${admin.managed ? 'managed' : 'chain secured'} ${admin.wallet}`;

/** The admin of the account that a hash names; 503 when the core service cannot be asked. */
export const adminOf = (core: Pick<Core, 'adminOf'>, hash: string): Promise<Admin | undefined> =>
  core.adminOf(hash).catch((error: unknown) => {
    throw error instanceof CoreUnavailableError ? serviceUnavailable(error.message, { cause: error }) : error;
  });

/** False when the account has changed its mode or admin since. */
export async function isCurrent(
  core: Pick<Core, 'adminOf'>,
  { account, authority }: { account: string; authority: string },
): Promise<boolean> {
  return authorityOf(await adminOf(core, account)) === authority;
}

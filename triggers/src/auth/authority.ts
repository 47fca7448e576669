/** Who may act for an account, by the chain. */
import type { Admin, Core } from '../core.ts';

/** Authority of a wallet that has no account yet. */
export const NO_ACCOUNT = 'no account';

/**
 * Mode and admin wallet of an account, as sessions, approved pairings and tokens record them at the login that they come from:
 * when either changes, they end.
 */
export const authorityOf = (admin: Admin | undefined): string =>
  admin === undefined ? NO_ACCOUNT : `${admin.managed ? 'managed' : 'chain secured'} ${admin.wallet}`;

/** False when the account has changed its mode or admin since. */
export async function isCurrent(
  core: Pick<Core, 'adminOf'>,
  { account, authority }: { account: string; authority: string },
): Promise<boolean> {
  return authorityOf(await core.adminOf(account)) === authority;
}

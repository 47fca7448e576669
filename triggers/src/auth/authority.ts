/** Authority over an account, read from the chain. */
import type { Admin, RelayerClient } from '../relayer-client.ts';

/** Reads the admin of an account. */
export type AdminLookup = Pick<RelayerClient, 'getAdmin'>;

/** Authority of a wallet without an account. */
export const NO_ACCOUNT = 'no account';

/**
 * Encodes the mode and admin wallet of an account. Sessions, approved pairings and tokens store it at login, and become invalid
 * when it changes.
 */
export const toAuthority = (admin: Admin | undefined): string =>
  admin === undefined ? NO_ACCOUNT : `${admin.managed ? 'managed' : 'chain secured'} ${admin.wallet}`;

/** Resolves to false when the mode or admin of the account has changed. */
export async function isCurrent(
  relayer: AdminLookup,
  { account, authority }: { account: string; authority: string },
): Promise<boolean> {
  return toAuthority(await relayer.getAdmin(account)) === authority;
}

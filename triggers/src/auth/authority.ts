/** Authority over an account, read from the chain. */
import { type Admin, NotAcceptedError, type RelayerClient } from '../relayer-client.ts';

/** An account, and the authority by which it logs in. */
export type Login = { account: string; authority: string };

/** Reads the admin of an account. */
export type AdminLookup = Pick<RelayerClient, 'getAdmin'>;

/** Authority of a wallet without an account. */
export const NO_ACCOUNT = 'no account';

const SEPARATOR = ' by ';

const describe = (admin: Admin | undefined): string =>
  admin === undefined ? NO_ACCOUNT : `${admin.managed ? 'managed' : 'chain secured'} ${admin.wallet}`;

/**
 * Encodes the mode and admin wallet of an account, and the hash of the key or wallet that logged in. Sessions, approved pairings
 * and tokens store it at login, and become invalid when it changes. The account itself cannot be looked up by its master hash:
 * that hash names nothing after a rotation of the account key.
 */
export const toAuthority = (admin: Admin | undefined, hash: string): string =>
  admin === undefined ? NO_ACCOUNT : `${describe(admin)}${SEPARATOR}${hash}`;

/**
 * Resolves to false when the account key, the mode or the admin of the account has changed. A wallet that logged in without an
 * account still has none while a transferred account waits for it, so that a stranger cannot end its session by a transfer.
 */
export async function isCurrent(relayer: AdminLookup, login: Login): Promise<boolean> {
  return isSame(login, await findAdmin(relayer, login));
}

/** Like `isCurrent` negated, but false while a transferred account waits for its wallet: the giver can take it back. */
export async function isHandedOver(relayer: AdminLookup, login: Login): Promise<boolean> {
  const { isWaiting, ...found } = await findAdmin(relayer, login);
  return !isWaiting && !isSame(login, found);
}

type Found = { state: string | undefined; admin: Admin | undefined };

const isSame = (login: Login, { state, admin }: Found): boolean =>
  describe(admin) === state && (admin?.account ?? login.account) === login.account;

/** Resolves to the state at login, and to the admin now: undefined for an account that does not exist or waits for the wallet it was transferred to. */
async function findAdmin(relayer: AdminLookup, { account, authority }: Login) {
  // The authority of a wallet without an account has no hash: the identity of the wallet is the account.
  const [state, hash = account] = authority.split(SEPARATOR);
  let isWaiting = false;
  const admin = await relayer.getAdmin(hash).catch((error: unknown) => {
    if (!(error instanceof NotAcceptedError)) throw error;
    isWaiting = true;
    return undefined;
  });
  return { state, admin, isWaiting };
}

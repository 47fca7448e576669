/** Decides who may log in, for the pages and for the API. */
import { unauthorized } from '@latchkey/http';
import { isApiKey, walletIdentity } from '@latchkey/protocol';
import { numberToHex } from 'viem';
import { keyHash } from '../key-hash.ts';
import type { Admin, RelayerClient } from '../relayer-client.ts';
import { type Login, toAuthority } from './authority.ts';
import type { WalletLogin } from './wallet-login.ts';

const toLogin = (hash: string, admin: Admin | undefined): Login => ({
  account: admin?.account ?? hash,
  authority: toAuthority(admin, hash),
});

type Options = {
  relayer: Pick<RelayerClient, 'getAdmin' | 'getKeyKind'>;
  walletLogin: Pick<WalletLogin, 'verify'>;
};
type Signed = { message: string; signature: string; login_secret: string };

/** Resolves to the login of an account key, or of the wallet that signed a message. */
export const logIn = (options: Options, credentials: { account_key: string } | Signed): Promise<Login> =>
  'account_key' in credentials
    ? logInWithAccountKey(options, credentials.account_key)
    : logInWithWallet(options, credentials);

/** Resolves to the login of an account key. Rejects with 401 for every other text, and with `NotAcceptedError`. */
async function logInWithAccountKey({ relayer }: Options, text: string): Promise<Login> {
  const key = text.trim();
  const kind = isApiKey(key) ? await relayer.getKeyKind(key) : undefined;
  if (kind !== 'account key')
    throw unauthorized(
      kind === undefined ? 'Unknown account key.' : 'This is a usage key. Log in with the account key.',
    );
  const hash = keyHash(key);
  const admin = await relayer.getAdmin(hash);
  if (!admin?.managed)
    throw unauthorized('The account is ChainSecured: its account key can no longer log in.', {
      fix: 'Log in with the admin wallet of the account.',
    });
  return toLogin(hash, admin);
}

/**
 * Resolves to the login of the wallet that signed the message. Rejects with `WalletLoginError`, with `NotAcceptedError` for a wallet
 * for which an account waits, and with 401 for a wallet that is not the admin of its account.
 */
async function logInWithWallet({ relayer, walletLogin }: Options, signed: Signed): Promise<Login> {
  const wallet = await walletLogin.verify(signed.login_secret, signed);
  const identity = numberToHex(walletIdentity(wallet), { size: 32 });
  const admin = await relayer.getAdmin(identity);
  // The identity of a former admin wallet still resolves to the account.
  if (admin && (admin.managed || admin.wallet !== wallet))
    throw unauthorized('This wallet is not the admin of the account.', {
      fix: 'Log in with the current admin wallet.',
    });
  return toLogin(identity, admin);
}
